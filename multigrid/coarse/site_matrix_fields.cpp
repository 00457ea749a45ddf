// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/site_matrix_fields.hpp"

#include "multigrid/coarse/site_matrix_elements.hpp"

namespace kaon::detail {
namespace {

template <class T>
struct BackwardHops {
  MatrixElements<T> columns;
  NeighborElements<T> forward;
  int face;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const Complex<T> element = forward.load(site, face, column, row);
    columns.store((columns.chirality(row) * columns.chirality(column)) * conj(element), site, row, column);
  }
};

template <class T>
struct SubtractHops {
  MatrixElements<T> columns, hops;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    const T sign = columns.chirality(row) * columns.chirality(column);
    const Complex<T> both = hops.load(site, row, column) + sign * conj(hops.load(site, column, row));
    columns.store(columns.load(site, row, column) - both, site, row, column);
  }
};

template <class T>
struct SetUnits {
  MatrixElements<T> columns;
  int first;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / columns.n, row = item - column * columns.n;
    columns.store({row == first + column ? T(1) : T(0), T(0)}, site, row, column);
  }
};

}  // namespace

template <class T>
void backward_hops(SpinorField<T>& columns, const SpinorField<T>& forward, const CoarseSites& sites, int mu,
                   const CoarseHaloAccess<T>& halo) {
  const int n = columns.components();
  const Parity parity = parity_of(columns.subset());
  for_each_item("kaon::coarse_backward_hops", columns, n * n,
                BackwardHops<T>{MatrixElements<T>(columns),
                                {MatrixElements<T>(forward), sites.neighbors(parity), sites.sites(), halo},
                                2 * mu + 1});
}

template <class T>
void subtract_hops(SpinorField<T>& columns, const SpinorField<T>& hops) {
  const int n = columns.components();
  for_each_item("kaon::coarse_subtract_hops", columns, n * n,
                SubtractHops<T>{MatrixElements<T>(columns), MatrixElements<T>(hops)});
}

template <class T>
void set_units(SpinorField<T>& columns, int first) {
  const int count = columns.right_hand_sides();
  for_each_item("kaon::coarse_units", columns, count * columns.components(),
                SetUnits<T>{MatrixElements<T>(columns), first});
}

#define KAON_INSTANTIATE(T)                                                                    \
  template void backward_hops(SpinorField<T>&, const SpinorField<T>&, const CoarseSites&, int, \
                              const CoarseHaloAccess<T>&);                                     \
  template void subtract_hops(SpinorField<T>&, const SpinorField<T>&);                         \
  template void set_units(SpinorField<T>&, int);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
