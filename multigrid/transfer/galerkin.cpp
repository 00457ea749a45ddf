// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/galerkin.hpp"

#include "multigrid/coarse/site_matrix_fields.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/kept_fields.hpp>

#include <algorithm>

namespace kaon::detail {
namespace {

/// Columns that are made at once: as many as fields of this many bytes hold, of 24 at most. More of them share a pass
/// over P.
constexpr double bytes_of_columns = 4e9;
constexpr int most_columns = 24;

template <class T>
int columns_at_once(const EvenOddOperator<T>& fine, int n) {
  const double bytes = 2.0 * 2.0 * sizeof(T) * fine.domain().components() *
                       static_cast<double>(fine.lattice().local_volume());  // of two fields
  return std::min(n, std::clamp(static_cast<int>(bytes_of_columns / bytes), 1, most_columns));
}

/// Calls `body(field_p)` for the parities p of a field.
template <class T, class Body>
void for_each_parity(SpinorField<T>& field, const Body& body) {
  const bool one_parity = field.lattice().parities() == 1;
  for (const Parity p : {Parity::even, Parity::odd}) {
    if (one_parity && p == Parity::odd) break;
    SpinorField<T> of_parity = field.parity(p);
    body(of_parity, p);
  }
}

/// Calls `body(out_p, in_p, in_q)` for the parities p of `out`, q the parity of p's neighbours.
template <class T, class Body>
void for_each_parity(SpinorField<T>& out, const SpinorField<T>& in, const Body& body) {
  const bool one_parity = out.lattice().parities() == 1;
  for_each_parity(out, [&](SpinorField<T>& out_p, Parity p) {
    body(out_p, in.parity(p), in.parity(one_parity ? p : opposite(p)));
  });
}

}  // namespace

template <class T>
GalerkinMatrices<T> galerkin(const EvenOddOperator<T>& fine, const Transfer<T>& transfer) {
  const Coarsenable<T>& hops = coarsenable(fine);
  const auto* const factored = dynamic_cast<const FactoredHops<T>*>(&fine);
  const Lattice& lattice = fine.lattice();
  const Lattice& coarse = transfer.aggregation().coarse();
  const int vectors = transfer.vectors(), n = 2 * vectors;
  SpinorParameters matrix = transfer.coarse_domain();
  matrix.right_hand_sides = n;
  GalerkinMatrices<T> result(coarse, matrix);
  Temporaries<T> within(coarse, matrix, 1);  // W, summed over directions

  const int most = columns_at_once(fine, n);
  SpinorParameters columns = transfer.coarse_domain();
  columns.right_hand_sides = most;
  Temporaries<T> coarse_fields(coarse, columns, 2);
  SpinorParameters shape = fine.domain();
  shape.right_hand_sides = most;
  Temporaries<T> fields(lattice, shape, 2);
  for (int first = 0; first < n; first += most) {
    const int count = std::min(most, n - first);
    SpinorField<T> unit = coarse_fields[0].range(0, count), inside = coarse_fields[1].range(0, count);
    SpinorField<T> v = fields[0].range(0, count), moved = fields[1].range(0, count);
    for_each_parity(unit, [&](SpinorField<T>& unit_p, Parity) { set_units(unit_p, first); });
    transfer.prolong(v, unit);

    for_each_parity(moved, v, [&](SpinorField<T>& out, const SpinorField<T>& same, const SpinorField<T>&) {
      fine.apply_site_term(out, same, SiteTerm::diagonal, false);
    });
    SpinorField<T> x = result.x().range(first, count);
    transfer.restrict(x, moved);
    if (factored != nullptr) factored->apply_factor(v, v);

    SpinorField<T> w = within[0].range(first, count);
    for (int mu = 0; mu < directions; ++mu) {
      const auto direction = static_cast<std::size_t>(mu);
      if (lattice.extents()[direction] == 1) continue;  // such hops are part of the site term
      for_each_parity(moved, v, [&](SpinorField<T>& out, const SpinorField<T>&, const SpinorField<T>& ahead) {
        factored != nullptr ? factored->hop_along_after_factor(out, ahead, mu) : hops.hop_along(out, ahead, mu);
      });
      SpinorField<T> across = result.y(direction).range(first, count);
      transfer.restrict_along(inside, across, moved, mu);
      blas::add(w, inside);
    }
  }
  for_each_parity(result.x(), [&](SpinorField<T>& x_p, Parity p) { subtract_hops(x_p, within[0].parity(p)); });
  return result;
}

template GalerkinMatrices<double> galerkin(const EvenOddOperator<double>&, const Transfer<double>&);
template GalerkinMatrices<float> galerkin(const EvenOddOperator<float>&, const Transfer<float>&);

}  // namespace kaon::detail
