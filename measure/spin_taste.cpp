// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/spin_taste.hpp>
#include <kaon/operators/covariant_sum.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// psi(x) = (-1)^(sum over mu of mask_mu x_mu) psi(x): 2 reals a component, read and written where the sign is -1.
template <class T>
struct SignKernel {
  detail::SiteSpinor<T> psi;
  int mask;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int sum = 0;
    for (int mu = 0; mu < 4; ++mu) sum += (mask >> mu & 1) * x[mu];  // origins of processes are even
    if (sum % 2 == 0) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int c = 0; c < psi.components; ++c) psi.store(-psi.load(x, c, rhs), x, c, rhs);
    }
  }
};

constexpr int all_directions = 15;

std::vector<int> directions_of(int gamma) {
  std::vector<int> directions;
  for (int mu = 0; mu < 4; ++mu) {
    if ((gamma >> mu & 1) != 0) directions.push_back(mu);
  }
  return directions;
}

/// psi = s_G psi
template <class T>
void multiply_signs(SpinorField<T>& psi, int gamma) {
  const bool odd = directions_of(gamma).size() % 2 != 0;
  const int mask = odd ? all_directions - gamma : gamma;
  if (mask == 0) return;
  detail::for_each_single_site<T>("kaon::spin_taste_signs", psi.lattice(),
                                  SignKernel<T>{detail::site_access(psi), mask, psi.right_hand_sides()});
}

/// sgn(p), for the directions in the order in which they act.
double sign_of(const std::vector<int>& order) {
  bool even = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) even = even != (order[j] > order[i]);
  }
  // If there are two directions, the later one acts first, but x before z.
  const bool reversed = order.size() == 2 && !(order[0] % 2 == 0 && order[1] % 2 == 0);
  return even != reversed ? 1.0 : -1.0;
}

}  // namespace

template <class T>
void apply_spin_taste(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                      const SpinTaste& spin_taste) {
  const auto& [spin, taste] = spin_taste;
  require(spin >= 0 && spin <= all_directions && taste >= 0 && taste <= all_directions,
          [&] { return fmt::format("spin {} and taste {} must be numbers from 0 to 15", spin, taste); });
  require(&out != &in, "spin-taste operators need a second field for their result");
  require(in.subset() == Subset::full, "spin-taste operators need fields on both parities");
  require(out.lattice() == in.lattice() && links.lattice() == in.lattice() && out.parameters() == in.parameters(),
          "spin-taste operators need fields of one shape, and fields and links on one lattice");
  std::vector<int> order = directions_of(spin ^ taste);
  double weight = 1.0;
  for (std::size_t n = 1; n <= order.size(); ++n) weight /= 2.0 * static_cast<double>(n);
  SpinorField<T> start(in.lattice(), in.parameters()), here(in.lattice(), in.parameters()),
      next(in.lattice(), in.parameters());
  blas::copy(start, in);
  multiply_signs(start, spin);
  blas::set_zero(out);
  do {
    blas::copy(here, start);
    for (const int mu : order) {
      CovariantSum both;
      both.forward[static_cast<std::size_t>(mu)] = both.backward[static_cast<std::size_t>(mu)] = true;
      covariant_sum(next, here, links, both);
      multiply_signs(next, 1 << mu);
      std::swap(here, next);
    }
    blas::axpy(out, here, weight * sign_of(order));
  } while (std::ranges::next_permutation(order).found);
  multiply_signs(out, all_directions);
}

template void apply_spin_taste(SpinorField<double>&, const SpinorField<double>&, const GaugeField<double>&,
                               const SpinTaste&);
template void apply_spin_taste(SpinorField<float>&, const SpinorField<float>&, const GaugeField<float>&,
                               const SpinTaste&);

}  // namespace kaon
