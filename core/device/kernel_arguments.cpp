// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/team.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

namespace kaon::detail {
namespace {

constexpr double given[2] = {3.25, -7.5};

/// Returns the arguments that follow views. `received` is first, if it is found in any case.
struct EchoKernel {
  static constexpr int max_team_size = 32;
  static constexpr unsigned min_teams = 1;
  double* received;
  Kokkos::View<double*, Memory> of_rank_1;
  double behind_rank_1;
  Kokkos::View<double**, Memory> of_rank_2;
  double behind_rank_2;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    if (team.team_rank() == 0) {
      received[0] = behind_rank_1;
      received[1] = behind_rank_2;
    }
  }
};

}  // namespace

void require_kernel_arguments() {
  if constexpr (!on_device) return;
  const Execution execution;
  const Kokkos::View<double[2], Memory> received("kaon::require_kernel_arguments");
  launch_teams("kaon::require_kernel_arguments", execution, 1, 1,
               EchoKernel{received.data(), {}, given[0], {}, given[1]});
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), received);
  require(host(0) == given[0] && host(1) == given[1], [&] {
    return fmt::format(
        "kernels of this build get wrong arguments: its CUDA compiler and its host compiler disagree on the layout of "
        "Kokkos::View. CUDA 12.9 and newer need Kokkos 4.7.2 or newer (this is {}.{}.{}): build kaon with another one",
        KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
  });
}

}  // namespace kaon::detail
