// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrix_fields.hpp"

namespace kaon::detail {
namespace {

struct BackwardHops {
  MatrixElements columns;
  NeighborElements forward;
  int face;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const Complex<float> element = forward.load(site, face, column, row);
    columns.store((columns.chirality(row) * columns.chirality(column)) * conj(element), site, row, column);
  }
};

struct SubtractHops {
  MatrixElements columns, hops;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const float sign = columns.chirality(row) * columns.chirality(column);
    const Complex<float> both = hops.load(site, row, column) + sign * conj(hops.load(site, column, row));
    columns.store(columns.load(site, row, column) - both, site, row, column);
  }
};

struct SetUnits {
  MatrixElements columns;
  int first;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    columns.store({row == first + column ? 1.0F : 0.0F, 0.0F}, site, row, column);
  }
};

}  // namespace

void backward_hops(SpinorField<float>& columns, const SpinorField<float>& forward, const CoarseSites& sites, int mu,
                   const CoarseHaloAccess& halo) {
  const int n = columns.components();
  const Parity parity = parity_of(columns.subset());
  for_each_item("kaon::coarse_backward_hops", columns, n * n,
                BackwardHops{MatrixElements(columns),
                             {MatrixElements(forward), sites.neighbors(parity), sites.sites(), halo},
                             2 * mu + 1});
}

void subtract_hops(SpinorField<float>& columns, const SpinorField<float>& hops) {
  const int n = columns.components();
  for_each_item("kaon::coarse_subtract_hops", columns, n * n,
                SubtractHops{MatrixElements(columns), MatrixElements(hops)});
}

void set_units(SpinorField<float>& columns, int first) {
  const int count = columns.right_hand_sides();
  for_each_item("kaon::coarse_units", columns, count * columns.components(), SetUnits{MatrixElements(columns), first});
}

}  // namespace kaon::detail
