// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_exchange.hpp"
#include "core/device/team.hpp"
#include "core/lanes/algebra.hpp"
#include "perf/measure.hpp"

#include <array>
#include <cstddef>
#include <numeric>

namespace kaon::perf {
namespace {

using detail::faces;
using detail::HaloExchange;

/// Bytes of a Wilson hop's half spinors through each face, one a site of one parity.
std::array<std::size_t, faces> face_bytes(const Lattice& lattice, std::size_t number_bytes, int right_hand_sides) {
  constexpr std::size_t numbers = sizeof(detail::HalfSpinor<double>) / sizeof(double);
  std::array<std::size_t, faces> bytes{};
  for (std::size_t face = 0; face < faces; ++face) {
    if (!lattice.is_partitioned(face / 2)) continue;
    const auto sites = static_cast<std::size_t>(lattice.local_volume() / lattice.local_extents()[face / 2] / 2);
    bytes[face] = sites * numbers * number_bytes * static_cast<std::size_t>(right_hand_sides);
  }
  return bytes;
}

struct Word {
  double number[2];
};
struct Fill {
  Word* to;
  KOKKOS_FUNCTION void operator()(std::size_t k) const { to[k] = {{static_cast<double>(k), 1.0}}; }
};
struct WaitForAll {
  detail::HaloFlags flags;
  KOKKOS_FUNCTION void operator()(int face) const { flags.wait(face); }
};

/// An exchange as a hop makes it where kernels exchange halos by themselves.
struct ExchangeWithinKernel {
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;

  Word* to[faces] = {};
  int words[faces] = {};
  int teams = 0;
  detail::HaloSignals signals;
  detail::HaloFlags flags;

  KOKKOS_FUNCTION void operator()(const detail::Team& team) const {
    int item = team.league_rank() * team.team_size() + team.team_rank();
    for (int face = 0; face < faces && item >= 0; ++face) {
      if (item < words[face]) to[face][item] = {{static_cast<double>(item), 1.0}};
      item -= words[face];
    }
    signals.raise_last(team, teams);
    if (team.league_rank() != 0) return;
    for (int face = team.team_rank(); face < faces; face += team.team_size()) flags.wait(face);
  }
};

/// Bytes that all processes send in an exchange.
Cost cost_of(const Suite& suite, const std::array<std::size_t, faces>& bytes) {
  const auto sent = static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}));
  return {0.0, sent * suite.communicator.size()};
}

/// An exchange with nothing beside it, in one kernel.
void run_halo_within_kernel(benchmark::State& state, Suite& suite, const Lattice& lattice, std::size_t number_bytes,
                            int count) {
  const std::array<std::size_t, faces> bytes = face_bytes(lattice, number_bytes, count);
  HaloExchange exchange(lattice, bytes, choose_transport(lattice));
  if (!exchange.works_within_kernels()) return state.SkipWithError("kernels do not exchange these halos");
  ExchangeWithinKernel kernel;
  int words = 0;
  for (std::size_t face = 0; face < faces; ++face) {
    kernel.words[face] = static_cast<int>(bytes[face] / sizeof(Word));
    words += kernel.words[face];
  }
  kernel.teams = (words + kernel.max_team_size - 1) / kernel.max_team_size;
  measure(state, suite, cost_of(suite, bytes), [&] {
    for (int face = 0; face < faces; ++face) kernel.to[face] = static_cast<Word*>(exchange.outgoing(face));
    kernel.signals = exchange.next_generation();
    kernel.flags = exchange.flags();
    detail::launch_teams("kaon::perf::halo_within_kernel", lattice.execution(), kernel.teams, kernel.max_team_size,
                         kernel);
  });
}

/// An exchange with nothing beside it, from the kernels that write the halos to the first that may read them. GB/s are
/// those that all processes send.
void run_halo(benchmark::State& state, Suite& suite, const Lattice& lattice, std::size_t number_bytes, int count) {
  const std::array<std::size_t, faces> bytes = face_bytes(lattice, number_bytes, count);
  HaloExchange exchange(lattice, bytes, choose_transport(lattice));
  measure(state, suite, cost_of(suite, bytes), [&] {
    const Execution& packing = exchange.packing();
    for (int face = 0; face < faces; ++face) {
      const std::size_t words = bytes[static_cast<std::size_t>(face)] / sizeof(Word);
      if (words == 0) continue;
      Kokkos::parallel_for("kaon::perf::halo", Kokkos::RangePolicy<Execution>(packing, 0, words),
                           Fill{static_cast<Word*>(exchange.outgoing(face))});
    }
    exchange.start();
    exchange.finish();
    Kokkos::parallel_for("kaon::perf::halo wait", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, faces),
                         WaitForAll{exchange.flags()});
  });
}

}  // namespace

void register_halos(Suite& suite, const Lattice& lattice) {
  if (!lattice.is_partitioned()) return;
  for (const auto& [name, number_bytes] : {std::pair("double", sizeof(double)), std::pair("single", sizeof(float))}) {
    for (const int count : right_hand_side_counts) {
      add_benchmark(case_name("halo", name, count, lattice),
                    [&suite, &lattice, number_bytes, count](benchmark::State& state) {
                      run_halo(state, suite, lattice, number_bytes, count);
                    });
      if (!on_device) continue;
      add_benchmark(case_name("halo_within_kernel", name, count, lattice),
                    [&suite, &lattice, number_bytes, count](benchmark::State& state) {
                      run_halo_within_kernel(state, suite, lattice, number_bytes, count);
                    });
    }
  }
}

}  // namespace kaon::perf
