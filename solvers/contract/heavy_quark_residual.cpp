// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <cmath>

namespace kaon {
namespace {

/// values(right-hand side, site) = |r(x)|^2 / |x(x)|^2.
template <class T>
struct RatioKernel {
  detail::SiteSpinor<T> residual, solution;
  detail::EntryValues values;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!residual.holds(x)) return;
    const int site = detail::local_number(residual.map, x);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      double above = 0.0, below = 0.0;
      for (int component = 0; component < residual.components; ++component) {
        above += norm2(residual.load(x, component, rhs));
        below += norm2(solution.load(x, component, rhs));
      }
      values(rhs, site) = below > 0.0 ? above / below : 1.0;
    }
  }
};

}  // namespace

template <class T>
std::vector<double> heavy_quark_residual(const SpinorField<T>& residual, const SpinorField<T>& solution) {
  const Lattice& lattice = residual.lattice();
  require(lattice == solution.lattice() && residual.parameters() == solution.parameters(),
          "a residual and its solution must have the same lattice, spins, colours, sites and right-hand sides");
  const detail::EntryValues values(Kokkos::view_alloc(lattice.execution(), "kaon::heavy_quark_residual"),
                                   static_cast<std::size_t>(residual.right_hand_sides()),
                                   static_cast<std::size_t>(lattice.local_volume()));
  detail::for_each_single_site<T>("kaon::heavy_quark_residual", lattice,
                                  RatioKernel<T>{detail::site_access(residual), detail::site_access(solution), values,
                                                 residual.right_hand_sides()});
  std::vector<double> sums = detail::ordered_sums(lattice, values);
  const double sites =
      static_cast<double>(lattice.volume()) * residual.parities() / static_cast<double>(lattice.parities());
  for (double& sum : sums) sum = std::sqrt(sum / sites);
  return sums;
}

template std::vector<double> heavy_quark_residual(const SpinorField<double>&, const SpinorField<double>&);
template std::vector<double> heavy_quark_residual(const SpinorField<float>&, const SpinorField<float>&);

}  // namespace kaon
