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

int columns_at_once(const EvenOddOperator<float>& fine, int n) {
  const double bytes = 2.0 * 2.0 * sizeof(float) * fine.domain().components() *
                       static_cast<double>(fine.lattice().local_volume());  // of two fields
  return std::min(n, std::clamp(static_cast<int>(bytes_of_columns / bytes), 1, most_columns));
}

/// Calls `body(field_p)` for the parities p of a field.
template <class Body>
void for_each_parity(SpinorField<float>& field, const Body& body) {
  const bool one_parity = field.lattice().parities() == 1;
  for (const Parity p : {Parity::even, Parity::odd}) {
    if (one_parity && p == Parity::odd) break;
    SpinorField<float> of_parity = field.parity(p);
    body(of_parity, p);
  }
}

/// Calls `body(out_p, in_p, in_q)` for the parities p of `out`, q the parity of p's neighbours.
template <class Body>
void for_each_parity(SpinorField<float>& out, const SpinorField<float>& in, const Body& body) {
  const bool one_parity = out.lattice().parities() == 1;
  for_each_parity(out, [&](SpinorField<float>& out_p, Parity p) {
    body(out_p, in.parity(p), in.parity(one_parity ? p : opposite(p)));
  });
}

}  // namespace

GalerkinMatrices galerkin(const EvenOddOperator<float>& fine, const Transfer& transfer) {
  const Coarsenable<float>& hops = coarsenable(fine);
  const auto* const factored = dynamic_cast<const FactoredHops*>(&fine);
  const Lattice& lattice = fine.lattice();
  const Lattice& coarse = transfer.aggregation().coarse();
  const int vectors = transfer.vectors(), n = 2 * vectors;
  const SpinorParameters matrix = transfer.coarse_domain().with_right_hand_sides(n);
  GalerkinMatrices result(coarse, matrix);
  Temporaries<float> within(coarse, matrix, 1);  // W, summed over directions

  const int most = columns_at_once(fine, n);
  Temporaries<float> coarse_fields(coarse, transfer.coarse_domain().with_right_hand_sides(most), 2);
  Temporaries<float> fields(lattice, fine.domain().with_right_hand_sides(most), 2);
  for (int first = 0; first < n; first += most) {
    const int count = std::min(most, n - first);
    SpinorField<float> unit = coarse_fields[0].range(0, count), inside = coarse_fields[1].range(0, count);
    SpinorField<float> v = fields[0].range(0, count), moved = fields[1].range(0, count);
    for_each_parity(unit, [&](SpinorField<float>& unit_p, Parity) { set_units(unit_p, first); });
    transfer.prolong(v, unit);

    for_each_parity(moved, v, [&](SpinorField<float>& out, const SpinorField<float>& same, const SpinorField<float>&) {
      fine.apply_site_term(out, same, SiteTerm::diagonal, false);
    });
    SpinorField<float> x = result.x().range(first, count);
    transfer.restrict(x, moved);
    if (factored != nullptr) factored->apply_factor(v, v);

    SpinorField<float> w = within[0].range(first, count);
    for (int mu = 0; mu < directions; ++mu) {
      const auto direction = static_cast<std::size_t>(mu);
      if (lattice.extents()[direction] == 1) continue;  // such hops are part of the site term
      for_each_parity(
          moved, v, [&](SpinorField<float>& out, const SpinorField<float>&, const SpinorField<float>& ahead) {
            factored != nullptr ? factored->hop_along_after_factor(out, ahead, mu) : hops.hop_along(out, ahead, mu);
          });
      SpinorField<float> across = result.y(direction).range(first, count);
      transfer.restrict_along(inside, across, moved, mu);
      blas::add(w, inside);
    }
  }
  for_each_parity(result.x(), [&](SpinorField<float>& x_p, Parity p) { subtract_hops(x_p, within[0].parity(p)); });
  return result;
}

}  // namespace kaon::detail
