// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/ordered_sum.hpp"

namespace kaon::detail {
namespace {

constexpr int part_size = 256;

/// part_sums[q][part] = sum of the part's values.
struct PartSumKernel {
  EntryValues values, part_sums;

  KOKKOS_FUNCTION void operator()(const int part) const {
    const int entries = static_cast<int>(values.extent(1));
    const int first = part * part_size;
    const int last = entries - first < part_size ? entries : first + part_size;
    for (int q = 0; q < static_cast<int>(values.extent(0)); ++q) {
      double sum = 0.0;
      for (int entry = first; entry < last; ++entry) sum += values(q, entry);
      part_sums(q, part) = sum;
    }
  }
};

}  // namespace

std::vector<double> ordered_sums(const Lattice& lattice, const EntryValues& values) {
  const Execution& execution = lattice.execution();
  const std::size_t parts = (values.extent(1) + part_size - 1) / part_size;
  const EntryValues part_sums(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "kaon::part_sums"),
                              values.extent(0), parts);
  Kokkos::parallel_for("kaon::ordered_sums", Kokkos::RangePolicy<Execution>(execution, 0, static_cast<int>(parts)),
                       PartSumKernel{values, part_sums});
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), part_sums);
  Kokkos::deep_copy(execution, host, part_sums);
  execution.fence("kaon::ordered_sums");
  std::vector<double> sums(values.extent(0), 0.0);
  for (std::size_t q = 0; q < sums.size(); ++q) {
    for (std::size_t part = 0; part < parts; ++part) sums[q] += host(q, part);
  }
  lattice.communicator().sum(sums);
  return sums;
}

}  // namespace kaon::detail
