// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"
#include "operators/wilson/site_matrices.hpp"

namespace kaon::detail {

/// out = B in on the sites of one parity.
template <class T, class V, class Matrix>
struct SiteMatrixKernel {
  SiteAccess<T, Spinor<V>> out;
  SiteAccess<const T, Spinor<V>> in;
  typename Matrix::template OnSites<V> matrix;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) out.store(matrix(in.load(index, rhs), index), index, rhs);
  }
};

template <class T, class Matrix>
void apply_site_matrix(SpinorField<T>& out, const SpinorField<T>& in, const Matrix& matrix) {
  const Lattice& lattice = in.lattice();
  const Parity parity = parity_of(in.subset());
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    using Kernel = SiteMatrixKernel<T, V, Matrix>;
    const Kernel kernel{access<Spinor<V>>(out, parity), access<Spinor<V>>(in, parity),
                        matrix.template on_sites<V>(parity)};
    const int sites = SubLattice(lattice.local_extents(), lattice.lane_grid<T>()).half_volume;
    for_each_site(tuning_key<T>(Matrix::label, lattice, 0, in.right_hand_sides()), lattice, sites, kernel);
  });
}

}  // namespace kaon::detail
