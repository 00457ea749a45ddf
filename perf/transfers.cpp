// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/transfer.hpp"
#include "perf/measure.hpp"

#include <fmt/format.h>

#include <string>

namespace kaon::perf {
namespace {

/// N of the first coarse level.
constexpr int vectors = 24;

/// The block of a lattice: 4 sites in each direction, or as many as fit.
Coordinates block_of(const Lattice& lattice) {
  Coordinates block{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int local = lattice.local_extents()[mu], per_aggregate = lattice.is_partitioned(mu) ? 2 : 1;
    block[mu] = local % (4 * per_aggregate) == 0 ? 4 : local % (2 * per_aggregate) == 0 ? 2 : 1;
  }
  return block;
}

/// Aggregates, and vectors of normal numbers.
template <class T>
struct Level {
  explicit Level(const Lattice& lattice)
      : aggregation(lattice, block_of(lattice)), near_null(lattice, {.right_hand_sides = vectors}) {
    fill(near_null, 0);
  }
  detail::Transfer<T> transfer(detail::StoredPrecision precision = detail::StoredPrecision::field) const {
    return {aggregation, near_null, precision};
  }

  detail::Aggregation aggregation;
  SpinorField<T> near_null;
};

/// V of one parity is read once for all right-hand sides; in half, a scale for each row too.
template <class T>
Cost transfer_cost(const SpinorField<T>& fine, const SpinorField<T>& coarse, detail::StoredPrecision precision) {
  const double sites = 0.5 * static_cast<double>(fine.lattice().volume()), count = fine.right_hand_sides();
  const double rows = sites * fine.components(), numbers = rows * vectors;
  const double basis =
      precision == detail::StoredPrecision::half ? 4.0 * numbers + 4.0 * rows : 2.0 * sizeof(T) * numbers;
  return {8.0 * numbers * count, basis + count * (vector_bytes(fine) + vector_bytes(coarse))};
}

/// Even sites of the fine lattice, as in a cycle.
template <class T>
void run_transfer(benchmark::State& state, Suite& suite, const Lattice& lattice, bool prolongs, int count,
                  detail::StoredPrecision precision) {
  const Level<T> level(lattice);
  const detail::Transfer<T> transfer = level.transfer(precision);
  SpinorField<T> psi(lattice, {.subset = Subset::even, .right_hand_sides = count});
  SpinorField<T> coarse(level.aggregation.coarse(), {.spins = 2, .colors = vectors, .right_hand_sides = count});
  fill(psi, 1);
  fill(coarse, 2);
  measure(state, suite, transfer_cost(psi, coarse, precision), [&] {
    if (prolongs) {
      transfer.prolong(psi, coarse);
    } else {
      transfer.restrict(coarse, psi);
    }
  });
}

/// From the vectors to V. Flops: two Gram matrices and two products with triangles, 16 N^2 a row; bytes: the vectors
/// read, V written three times and read four times.
template <class T>
void run_block_qr(benchmark::State& state, Suite& suite, const Lattice& lattice) {
  const Level<T> level(lattice);
  const double rows = static_cast<double>(lattice.volume()) * level.near_null.components();
  const Cost cost{16.0 * vectors * vectors * rows, 8.0 * vectors * vector_bytes(level.near_null)};
  measure(state, suite, cost, [&] { level.transfer(); });
}

std::string variant(const char* precision, const Lattice& lattice) {
  return fmt::format("{}/n:{}/block:{}", precision, 2 * vectors, to_string(block_of(lattice)));
}

template <class T>
void register_transfer_precision(Suite& suite, const Lattice& lattice, detail::StoredPrecision precision) {
  const bool is_half = precision == detail::StoredPrecision::half;
  const std::string name = variant(is_half ? "single-half" : precision_name<T>(), lattice);
  for (const int count : right_hand_side_counts) {
    for (const bool prolongs : {false, true}) {
      add_benchmark(case_name(prolongs ? "prolong" : "restrict", name, count, lattice),
                    [&suite, &lattice, prolongs, count, precision](benchmark::State& state) {
                      run_transfer<T>(state, suite, lattice, prolongs, count, precision);
                    });
    }
  }
  if (is_half) return;
  add_benchmark(case_name("block_qr", name, vectors, lattice),
                [&suite, &lattice](benchmark::State& state) { run_block_qr<T>(state, suite, lattice); });
}

}  // namespace

void register_transfers(Suite& suite, const Lattice& lattice) {
  register_transfer_precision<double>(suite, lattice, detail::StoredPrecision::field);
  register_transfer_precision<float>(suite, lattice, detail::StoredPrecision::field);
  register_transfer_precision<float>(suite, lattice, detail::StoredPrecision::half);
}

}  // namespace kaon::perf
