// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/sliced_transfer.hpp"

#include "core/device/allocate.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kaon::detail {
namespace {

/// A thread adds so many packs in single precision before it adds their sum in double: in products of fields, and in
/// Gram matrices, which orthogonality depends on.
constexpr int steps_of_products = 64, steps_of_gram = 8;

template <class Out>
void multiply(const Execution& execution, int aggregates, const AggregateColumns& p, const AggregateColumns& x,
              int columns, const Out& out, int steps) {
  const int groups = column_groups(columns), tiles = (p.columns + 3) / 4;
  with_count<most_columns_of_team>((columns + groups - 1) / groups, [&]<int K>() {
    launch_teams("kaon::aggregate_products", execution, aggregates * tiles * groups, aggregate_team_size,
                 AggregateProducts<K, Out>{p, x, out, tiles, groups, columns, steps});
  });
}

/// Parts of the rows of an aggregate that teams take.
struct RowParts {
  int parts, rows;

  explicit RowParts(int all_rows) : rows(on_device ? 4 * aggregate_team_size : 32 * AggregateColumns::pack) {
    parts = (all_rows + rows - 1) / rows;
  }
};

int padded_rows(const Aggregation& aggregation, const SpinorParameters& domain) {
  const int rows = aggregation.sites_of(domain.subset).count[0] * domain.components_of_all_slices();
  return (rows + AggregateColumns::pack - 1) / AggregateColumns::pack * AggregateColumns::pack;
}

}  // namespace

double SlicedTransfer::bytes(const Aggregation& aggregation, const SpinorParameters& domain, int vectors) {
  return 2.0 * sizeof(float) * padded_rows(aggregation, domain) * vectors * aggregation.sites().aggregates;
}

SlicedTransfer::SlicedTransfer(const Aggregation& aggregation, const SpinorParameters& domain, int vectors)
    : aggregation_(aggregation),
      fine_domain_(domain),
      vectors_(vectors),
      aggregates_(aggregation.sites().aggregates),
      rows_(padded_rows(aggregation, domain)) {
  fine_domain_.right_hand_sides = 1;
  require(domain.subset != Subset::full || domain.slices == 1,
          "aggregates of several slices are for fields on one parity");
  const SiteRange range = aggregation.sites_of(domain.subset);
  require(range.count[0] == range.count[1], [&] {
    return fmt::format("aggregates of {} sites have different numbers of even and odd ones: give an even extent",
                       to_string(aggregation.block()));
  });
  const int components = range.count[0] * domain.components_of_all_slices();
  require(vectors >= 2 && vectors % 2 == 0 && vectors <= components, [&] {
    return fmt::format(
        "{} near-null vectors for aggregates of {} sites with {} components: give an even number of "
        "2 to {}",
        vectors, to_string(aggregation.block()), components, components);
  });
  require(static_cast<double>(aggregates_) * components <= std::numeric_limits<int>::max(), [&] {
    return fmt::format("{} aggregates with {} components are too many for one process: use more of them", aggregates_,
                       components);
  });
  const std::size_t size =
      2 * static_cast<std::size_t>(aggregates_) * static_cast<std::size_t>(vectors) * static_cast<std::size_t>(rows_);
  matrix_ = allocate_zeros<float>(aggregation.fine().execution(), "kaon::SlicedTransfer", size);
  p_ = {matrix_.data(), vectors_, rows_};
}

AggregateColumns SlicedTransfer::workspace(int columns) const {
  const std::size_t size =
      2 * static_cast<std::size_t>(aggregates_) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows_);
  if (workspace_.size() < size) {
    workspace_ = {};
    workspace_ = allocate<float>("kaon::SlicedTransfer columns", size);
  }
  return {workspace_.data(), columns, rows_};
}

template <bool to_rows>
void SlicedTransfer::copy(const AggregateColumns& rows, int first, const SpinorField<float>& field, const int* colors,
                          int color) const {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<int>>;
  CopyAggregates<to_rows> kernel{
      FieldOfAggregates::of(aggregation_, field), rows, 0, first, aggregates_, colors, color};
  for (; kernel.column < field.right_hand_sides(); ++kernel.column, ++kernel.to_column) {
    Kokkos::parallel_for(to_rows ? "kaon::gather_aggregates" : "kaon::scatter_aggregates",
                         Policy(aggregation_.fine().execution(), 0, kernel.items()), kernel);
  }
}

void SlicedTransfer::require_columns(int first, const SpinorField<float>& vectors) const {
  require(vectors.lattice() == aggregation_.fine() && first >= 0 && first + vectors.right_hand_sides() <= vectors_,
          "vectors do not fit the columns of a prolongator");
}

void SlicedTransfer::set_columns(int first, const SpinorField<float>& vectors) {
  require_columns(first, vectors);
  copy<true>(p_, first, vectors);
}

void SlicedTransfer::get_columns(SpinorField<float>& vectors, int first, const int* colors, int color) const {
  require_columns(first, vectors);
  copy<false>(p_, first, vectors, colors, color);
}

double SlicedTransfer::orthonormalize() {
  const Execution& execution = aggregation_.fine().execution();
  const Communicator& communicator = aggregation_.fine().communicator();
  const auto numbers = static_cast<std::size_t>(vectors_) * static_cast<std::size_t>(vectors_);
  const auto memory =
      allocate<double>("kaon::SlicedTransfer products", 2 * numbers * static_cast<std::size_t>(aggregates_));
  const auto pivots = allocate<double>("kaon::SlicedTransfer pivots", static_cast<std::size_t>(aggregates_));
  const GramNumbers gram{memory.data(), vectors_};
  const RowParts parts(rows_);
  double smallest = 1.0;
  for (int pass = 0; pass < 2; ++pass) {
    multiply(execution, aggregates_, p_, p_, vectors_, gram, steps_of_gram);
    Kokkos::parallel_for("kaon::aggregate_factors", Kokkos::RangePolicy<Execution>(execution, 0, aggregates_),
                         InverseFactors{gram, pivots.data()});
    const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots);
    for (std::size_t a = 0; a < on_host.size(); ++a) smallest = std::min(smallest, on_host(a));
    smallest = -communicator.maximum(-smallest);
    if (!(smallest > 0.0)) break;
    launch_teams("kaon::aggregate_triangles", execution, aggregates_ * parts.parts, aggregate_team_size,
                 TriangularSums{p_, gram, parts.parts, parts.rows});
  }
  execution.fence("kaon::SlicedTransfer");  // before the products are freed
  return smallest;
}

void SlicedTransfer::require_fields(const SpinorField<float>& fine, const SpinorField<float>& coarse) const {
  SpinorParameters of_fine = fine.parameters(), of_coarse = coarse.parameters();
  of_fine.right_hand_sides = of_coarse.right_hand_sides = 1;
  require(fine.lattice() == aggregation_.fine() && of_fine == fine_domain_,
          "a field on the fine lattice does not have the shape of the near-null vectors");
  require(coarse.lattice() == aggregation_.coarse() && of_coarse == coarse_domain(), [&] {
    return fmt::format("a field on the coarse lattice has other than {} components on all sites", vectors_);
  });
  require(fine.right_hand_sides() == coarse.right_hand_sides(), [&] {
    return fmt::format("{} right-hand sides on the fine lattice and {} on the coarse one: give as many on both",
                       fine.right_hand_sides(), coarse.right_hand_sides());
  });
}

void SlicedTransfer::restrict(SpinorField<float>& coarse, const SpinorField<float>& fine) const {
  require_fields(fine, coarse);
  const int all = fine.right_hand_sides();
  for (int first = 0; first < all; first += most_columns) {
    const int count = std::min(most_columns, all - first);
    SpinorField<float> out = coarse.range(first, count);
    const AggregateColumns rows = workspace(count);
    if (rows_ != aggregation_.sites_of(fine_domain_.subset).count[0] * fine_domain_.components_of_all_slices()) {
      Kokkos::deep_copy(aggregation_.fine().execution(), workspace_, 0.0F);  // the rows that pad others
    }
    copy<true>(rows, 0, fine.range(first, count));
    multiply(aggregation_.fine().execution(), aggregates_, p_, rows, count, CoarseNumbers::of(out), steps_of_products);
  }
}

void SlicedTransfer::prolong(SpinorField<float>& fine, const SpinorField<float>& coarse) const {
  require_fields(fine, coarse);
  const int all = fine.right_hand_sides();
  const RowParts parts(rows_);
  for (int first = 0; first < all; first += most_columns) {
    const int count = std::min(most_columns, all - first), groups = column_groups(count, most_columns_of_sums);
    const AggregateColumns rows = workspace(count);
    const CoarseNumbers in = CoarseNumbers::of(coarse.range(first, count));
    with_count<most_columns_of_sums>((count + groups - 1) / groups, [&]<int K>() {
      launch_teams("kaon::aggregate_sums", aggregation_.fine().execution(), aggregates_ * parts.parts * groups,
                   aggregate_team_size,
                   AggregateSums<K>{p_, rows, in, parts.parts, parts.rows, groups, count,
                                    2 * vectors_ * K * static_cast<int>(sizeof(float))});
    });
    copy<false>(rows, 0, fine.range(first, count));
  }
}

}  // namespace kaon::detail
