// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/transfer.hpp"

#include "core/device/allocate.hpp"
#include "core/fields/field_checks.hpp"
#include "core/fields/not_finite.hpp"
#include "core/fields/recycled_memory.hpp"
#include "multigrid/transfer/transfer_kernels.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace kaon::detail {
namespace {

constexpr int most_vectors = 256;

/// Right-hand sides of a team: as equal as they can be.
int right_hand_sides_of_team(int right_hand_sides) {
  const int passes = (right_hand_sides + transfer_right_hand_sides - 1) / transfer_right_hand_sides;
  return (right_hand_sides + passes - 1) / passes;
}

/// Aggregates whose teams follow one another: as many as the cache of a host has room for.
int group_of(int aggregates) {
  constexpr int host_group = 4;
  return on_device || aggregates % host_group != 0 ? 1 : host_group;
}

/// Sets the members that both kernels have.
template <class L, class V, int K>
void fill(TransferKernel<L, V, K>& kernel, const Aggregation& aggregation, const BasisMatrices<L>& basis,
          const SpinorField<float>& fine) {
  kernel.sites = aggregation.sites();
  kernel.basis = basis;
  kernel.fine = site_components(fine);
  kernel.right_hand_sides = fine.right_hand_sides();
  kernel.passes = (fine.right_hand_sides() + K - 1) / K;
  kernel.group = group_of(kernel.sites.aggregates);
}

template <class V, int K, class L>
void run_restrict(const Aggregation& aggregation, const BasisMatrices<L>& basis,
                  std::span<const RestrictTarget> targets, const SpinorField<float>& in) {
  RestrictKernel<L, V, K> kernel{};
  fill(kernel, aggregation, basis, in);
  kernel.ranges = static_cast<int>(targets.size());
  for (std::size_t k = 0; k < targets.size(); ++k) {
    kernel.range[k] = targets[k].range;
    kernel.coarse[k] = site_components(*targets[k].out);
  }
  // Numbers of a chunk of sites, and on GPUs the positions of their rows and afterwards sums of threads.
  constexpr int bytes = 20 << 10, number = 2 * static_cast<int>(sizeof(float));
  const int site_bytes = basis.site_rows * (K * number + static_cast<int>(sizeof(int)));
  kernel.chunk = std::clamp(bytes / site_bytes, 1, kernel.sites.sites);
  kernel.team_bytes = kernel.chunk * site_bytes;
  if (on_device) kernel.team_bytes = std::max(kernel.team_bytes, transfer_team * thread_columns<L> * K * number);
  launch_teams("kaon::restrict", aggregation.fine().execution(),
               kernel.sites.aggregates * 2 * kernel.ranges * kernel.passes, transfer_team, kernel);
}

template <class L>
void restrict_with(const Aggregation& aggregation, const BasisMatrices<L>& basis,
                   std::span<const RestrictTarget> targets, const SpinorField<float>& in) {
  with_column_pack(basis.vectors, [&]<class V>() {
    with_count<transfer_right_hand_sides>(right_hand_sides_of_team(in.right_hand_sides()),
                                          [&]<int K>() { run_restrict<V, K>(aggregation, basis, targets, in); });
  });
}

template <class V, int K, class L>
void run_prolong(const Aggregation& aggregation, const BasisMatrices<L>& basis, SpinorField<float>& out,
                 const SpinorField<float>& in, bool add) {
  ProlongKernel<L, V, K> kernel{};
  fill(kernel, aggregation, basis, out);
  kernel.range = aggregation.sites_of(out.subset());
  kernel.coarse = site_components(in);
  kernel.add = add;
  kernel.team_bytes = basis.vectors * K * 2 * static_cast<int>(sizeof(float));
  launch_teams("kaon::prolong", aggregation.fine().execution(), kernel.sites.aggregates * 2 * kernel.passes,
               transfer_team, kernel);
}

template <class L>
void prolong_with(const Aggregation& aggregation, const BasisMatrices<L>& basis, SpinorField<float>& out,
                  const SpinorField<float>& in, bool add) {
  with_column_pack(basis.vectors, [&]<class V>() {
    with_count<transfer_right_hand_sides>(right_hand_sides_of_team(in.right_hand_sides()),
                                          [&]<int K>() { run_prolong<V, K>(aggregation, basis, out, in, add); });
  });
}

/// Rounds rows of V. A team takes some of them. They pass through its memory, since threads of GPUs side by side are to
/// load and store numbers side by side.
struct RoundRows {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;

  BasisMatrices<float> from;
  BasisMatrices<half> to;
  int all_rows, rows_of_team, team_bytes;

  /// Rows that fill some 16 KiB.
  static int rows_of(int vectors) { return std::clamp(4096 / stride_of(vectors), 1, 64); }
  /// Numbers of a row in the team's memory: an odd number, so that threads with a row each use all banks.
  KOKKOS_FORCEINLINE_FUNCTION static int stride_of(int vectors) { return 2 * vectors + 1; }
  static int bytes(int vectors) { return rows_of(vectors) * stride_of(vectors) * 4; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int first = team.league_rank() * rows_of_team, numbers = 2 * from.vectors, stride = stride_of(from.vectors);
    const int rows = all_rows - first < rows_of_team ? all_rows - first : rows_of_team;
    const int threads = team.team_size(), rank = team.team_rank();
    const std::size_t position = static_cast<std::size_t>(first) * static_cast<std::size_t>(numbers);
    auto* const row_numbers = static_cast<float*>(team_memory(team, team_bytes));  // [row][number, factor]
    for (int item = rank; item < rows * numbers; item += threads) {
      row_numbers[item / numbers * stride + item % numbers] = from.data[position + static_cast<std::size_t>(item)];
    }
    team.team_barrier();
    for (int row = rank; row < rows; row += threads) {
      float* const of_row = row_numbers + row * stride;
      float largest = 0.0F;
      for (int k = 0; k < numbers; ++k) largest = maximum(largest, absolute(of_row[k]));
      to.units[first + row] = largest / half_one;
      of_row[numbers] = largest > 0.0F ? half_one / largest : 0.0F;
    }
    team.team_barrier();
    for (int item = rank; item < rows * numbers; item += threads) {
      const float* const of_row = row_numbers + item / numbers * stride;
      store_numbers<float, false>(to.data + position + static_cast<std::size_t>(item), of_row[item % numbers],
                                  of_row[numbers]);
    }
  }
};

void round(const Aggregation& aggregation, const BasisMatrices<float>& from, const BasisMatrices<half>& to) {
  const int rows = 2 * static_cast<int>(aggregation.coarse().local_volume()) * from.rows();
  const int rows_of_team = RoundRows::rows_of(from.vectors), teams = (rows - 1) / rows_of_team + 1;
  launch_teams("kaon::round_basis", aggregation.fine().execution(), teams, RoundRows::max_team_size,
               RoundRows{from, to, rows, rows_of_team, RoundRows::bytes(from.vectors)});
}

void require_finite_and_not_zero(const SpinorField<float>& vectors) {
  const std::vector<double> squares = blas::norm2(vectors);
  for (int j = 0; j < vectors.right_hand_sides(); ++j) {
    const double square = squares[static_cast<std::size_t>(j)];
    if (!std::isfinite(square)) {
      const std::string site = place_of_not_finite(vectors, j);
      require(false, [&] { return fmt::format("near-null vector {} is not finite {}: make it anew", j, site); });
    }
    require(square > 0.0, [&] { return fmt::format("near-null vector {} is zero everywhere: make it anew", j); });
  }
}

const char* sites_of(Subset subset) {
  return subset == Subset::full ? "all sites" : subset == Subset::even ? "even sites" : "odd sites";
}

}  // namespace

Transfer::Transfer(const Aggregation& aggregation, const SpinorField<float>& vectors, MultigridPrecision precision)
    : aggregation_(aggregation), fine_domain_(vectors.parameters()), vectors_(vectors.right_hand_sides()) {
  fine_domain_.right_hand_sides = 1;
  require_one_slice(vectors, "a near-null vector");
  require(vectors.lattice() == aggregation.fine(), [&] {
    return fmt::format("near-null vectors on lattice {} cannot make aggregates of lattice {}: the lattices differ",
                       to_string(vectors.lattice().extents()), to_string(aggregation.fine().extents()));
  });
  require(vectors.subset() == Subset::full || aggregation.fine().parities() == 1, [&] {
    return fmt::format("near-null vectors on {}: give vectors on all sites", sites_of(vectors.subset()));
  });
  require(vectors.components() % 2 == 0, [&] {
    return fmt::format("fields with {} components a site have no two chiralities: the number must be even",
                       vectors.components());
  });
  const std::ptrdiff_t rows = volume_of(aggregation.block()) * (vectors.components() / 2);
  require(vectors_ <= rows && vectors_ <= most_vectors, [&] {
    return fmt::format(
        "{} near-null vectors for aggregates of {} sites: these have {} components of a chirality. Give at most {} "
        "vectors, or larger aggregates",
        vectors_, to_string(aggregation.block()), rows, std::min<std::ptrdiff_t>(rows, most_vectors));
  });
  require_finite_and_not_zero(vectors);
  const auto all_rows =
      static_cast<std::size_t>(2 * aggregation.coarse().local_volume()) * static_cast<std::size_t>(rows);
  storage_ = allocate<float>("kaon::Transfer", all_rows * static_cast<std::size_t>(2 * vectors_));
  const BasisMatrices<float> basis = {storage_.data(), vectors_, fine_domain_.components() / 2,
                                      static_cast<int>(volume_of(aggregation.block())), nullptr};
  take_vectors(basis, aggregation_, vectors);
  qr_ = block_qr(basis, aggregation_);
  store(basis, precision);
}

void Transfer::store(const BasisMatrices<float>& basis, MultigridPrecision precision) {
  matrices_ = basis;
  const auto before = storage_;
  if (precision == MultigridPrecision::half) {
    const Lattice& fine = aggregation_.fine();
    rounded_ = allocate_on<half>(fine, "kaon::Transfer rounded", before.size());
    units_ = allocate_on<float>(fine, "kaon::Transfer units", before.size() / static_cast<std::size_t>(2 * vectors_));
    storage_ = {};
    if (!store_in_lanes_as<half>(basis, rounded_.data())) {
      const BasisMatrices<half> to = {rounded_.data(), vectors_, basis.site_rows, basis.sites, units_.data()};
      round(aggregation_, basis, to);
      matrices_ = to;
    }
  } else if (lanes_hold_aggregates(aggregation_)) {
    storage_ = allocate<float>("kaon::Transfer", before.size());
    store_in_lanes_as<float>(basis, storage_.data());
  }
  aggregation_.fine().execution().fence("kaon::Transfer");  // before V is freed
}

template <class L>
bool Transfer::store_in_lanes_as(const BasisMatrices<float>& basis, L* numbers) {
  if constexpr (!on_device) {
    if (!lanes_hold_aggregates(aggregation_)) return false;
    const LaneMatrices<L> to = {numbers, vectors_, basis.site_rows, basis.sites, native_lanes<float>, units_.data()};
    store_in_lanes(aggregation_, to, basis);
    matrices_ = to;
    return true;
  }
  return false;
}

void Transfer::restrict_to(std::span<const RestrictTarget> targets, const SpinorField<float>& in) const {
  std::visit([&](const auto& basis) { restrict_with(aggregation_, basis, targets, in); }, matrices_);
}

void Transfer::require_fields(const SpinorField<float>& fine, const SpinorField<float>& coarse) const {
  const auto require_field = [](const SpinorField<float>& field, const Lattice& lattice, const SpinorParameters& shape,
                                const char* which) {
    require(field.lattice() == lattice, [&] {
      return fmt::format("the field on the {} lattice is on {}: give one on {}, the lattice of the aggregates", which,
                         to_string(field.lattice().extents()), to_string(lattice.extents()));
    });
    require(field.spins() == shape.spins && field.colors() == shape.colors, [&] {
      return fmt::format("the field on the {} lattice has {} spins and {} colours: give one with {} and {}", which,
                         field.spins(), field.colors(), shape.spins, shape.colors);
    });
  };
  require_field(fine, aggregation_.fine(), fine_domain_, "fine");
  require_field(coarse, aggregation_.coarse(), coarse_domain(), "coarse");
  require(coarse.subset() == Subset::full || coarse.lattice().parities() == 1, [&] {
    return fmt::format("the field on the coarse lattice is on {}: give one on all sites", sites_of(coarse.subset()));
  });
  require(fine.right_hand_sides() == coarse.right_hand_sides(), [&] {
    return fmt::format("{} right-hand sides on the fine lattice and {} on the coarse one: give as many on both",
                       fine.right_hand_sides(), coarse.right_hand_sides());
  });
}

void Transfer::restrict(SpinorField<float>& out, const SpinorField<float>& in) const {
  require_fields(in, out);
  const RestrictTarget target[] = {{aggregation_.sites_of(in.subset()), &out}};
  restrict_to(target, in);
}

void Transfer::prolong(SpinorField<float>& out, const SpinorField<float>& in, bool add) const {
  require_fields(out, in);
  std::visit([&](const auto& basis) { prolong_with(aggregation_, basis, out, in, add); }, matrices_);
}

void Transfer::restrict_along(SpinorField<float>& inside, SpinorField<float>& across, const SpinorField<float>& in,
                              int mu) const {
  require(mu >= 0 && mu < directions, [&] { return fmt::format("there is no direction {}: give 0, 1, 2 or 3", mu); });
  require_fields(in, inside);
  require_fields(in, across);
  require(in.subset() == Subset::full || in.lattice().parities() == 1, [&] {
    return fmt::format("a field on {} cannot be restricted along a direction: give one on all sites",
                       sites_of(in.subset()));
  });
  const RestrictTarget targets[] = {{aggregation_.inside(mu), &inside}, {aggregation_.across(mu), &across}};
  restrict_to(targets, in);
}

}  // namespace kaon::detail
