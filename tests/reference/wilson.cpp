// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "wilson.hpp"

namespace kaon::reference {
namespace {

// (1 + sign g_mu) v, for any spin matrix g.
SiteVector one_plus(double sign, const SpinMatrix& g, const SiteVector& v) {
  SiteVector result = multiply(g, v);
  for (std::size_t k = 0; k < v.size(); ++k) result[k] = v[k] + sign * result[k];
  return result;
}

// Adds factor (spin matrix) x (colour matrix).
void add_product(SiteMatrix& matrix, double factor, const SpinMatrix& spin, const ColorMatrix& color) {
  for (std::size_t row = 0; row < site_components; ++row)
    for (std::size_t column = 0; column < site_components; ++column)
      matrix[site_components * row + column] +=
          factor * spin[row / colors][column / colors] * color[3 * (row % colors) + column % colors];
}

// d exp(a/d) - d by its power series.
SiteMatrix exponential_term(const SiteMatrix& a, double d) {
  SiteMatrix sum = a, term = a;
  for (int n = 2; n < 80; ++n) {
    SiteMatrix next{};
    for (std::size_t row = 0; row < site_components; ++row)
      for (std::size_t k = 0; k < site_components; ++k)
        for (std::size_t column = 0; column < site_components; ++column)
          next[site_components * row + column] +=
              term[site_components * row + k] * a[site_components * k + column] / (n * d);
    term = next;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += term[k];
  }
  return sum;
}

template <class SiteFunction>
Spinor site_by_site(const Spinor& psi, const Coordinates& extents, SiteFunction&& f) {
  Spinor result = zero_spinor(extents);
  const SiteVector zero{};  // as on all sites of the other parity
  for_each_site(extents, [&](const Coordinates& x) {
    const SiteVector v = at(psi, x, extents);
    if (v != zero) add_at(result, x, extents, f(x, v));
  });
  return result;
}

}  // namespace

WilsonOperator::WilsonOperator(const Links& links, const Coordinates& extents, const WilsonParameters& parameters)
    : weighted_links_(links),
      extents_(extents),
      parameters_(parameters),
      gammas_{gamma(0), gamma(1), gamma(2), gamma(3)},
      clover_(static_cast<std::size_t>(volume_of(extents))) {
  for_each_site(extents_, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const Complex phase = x[mu] == extents_[mu] - 1 ? parameters_.boundary_phases[mu] : 1.0;
      for (std::size_t k = 0; k < 9; ++k)
        weighted_links_[link_offset(x, mu, extents_) + k] *= parameters_.hop_weight(mu) * phase;
    }
    SiteMatrix& a = clover_[static_cast<std::size_t>(lexicographic_index(x, extents_))];
    for (int mu = 0; mu < directions; ++mu)
      for (int nu = mu + 1; nu < directions; ++nu)
        add_product(a, -0.5 * parameters_.clover_weight(mu, nu), sigma(mu, nu),
                    field_strength(links, x, mu, nu, extents_));
    if (parameters_.exponential) a = exponential_term(a, parameters_.diagonal());
  });
  diagonal_ = clover_;
  for_each_site(extents_, [&](const Coordinates& x) {
    const double shift = parameters_.twist_shifts[static_cast<std::size_t>(parity_of(x))];
    const Complex twist(0.0, parameters_.twisted_mass + shift);
    add_product(diagonal_[static_cast<std::size_t>(lexicographic_index(x, extents_))], 1.0,
                parameters_.diagonal() * identity_spin_matrix() + twist * gamma5(), identity_color_matrix());
  });
}

Spinor WilsonOperator::hop_to_parity(const Spinor& psi, int parity) const {
  Spinor result = zero_spinor(extents_);
  for_each_site(extents_, [&](const Coordinates& x) {
    if (parity_of(x) != parity) return;
    for (int mu = 0; mu < directions; ++mu) {
      const Coordinates ahead = neighbor(x, mu, 1, extents_);
      const Coordinates behind = neighbor(x, mu, -1, extents_);
      const SiteVector from_ahead = multiply(link(weighted_links_, x, mu, extents_), at(psi, ahead, extents_));
      const SiteVector from_behind =
          multiply(dagger(link(weighted_links_, behind, mu, extents_)), at(psi, behind, extents_));
      add_at(result, x, extents_, one_plus(-1.0, gammas_[mu], from_ahead));
      add_at(result, x, extents_, one_plus(+1.0, gammas_[mu], from_behind));
    }
  });
  return result;
}

Spinor WilsonOperator::hop_dagger_to_parity(const Spinor& psi, int parity) const {
  Spinor result = zero_spinor(extents_);
  for_each_site(extents_, [&](const Coordinates& x) {
    if (parity_of(x) == parity) return;
    for (int mu = 0; mu < directions; ++mu) {
      const Coordinates ahead = neighbor(x, mu, 1, extents_);
      const Coordinates behind = neighbor(x, mu, -1, extents_);
      const SpinMatrix g_dagger = dagger(gammas_[mu]);
      const SiteVector to_ahead = one_plus(-1.0, g_dagger, at(psi, x, extents_));
      const SiteVector to_behind = one_plus(+1.0, g_dagger, at(psi, x, extents_));
      add_at(result, ahead, extents_, multiply(dagger(link(weighted_links_, x, mu, extents_)), to_ahead));
      add_at(result, behind, extents_, multiply(link(weighted_links_, behind, mu, extents_), to_behind));
    }
  });
  return result;
}

Spinor WilsonOperator::hop(const Spinor& psi) const { return add(hop_to_parity(psi, 0), 1.0, hop_to_parity(psi, 1)); }

Spinor WilsonOperator::hop_dagger(const Spinor& psi) const {
  return add(hop_dagger_to_parity(psi, 0), 1.0, hop_dagger_to_parity(psi, 1));
}

Spinor WilsonOperator::apply(const Spinor& psi) const { return add(apply_diagonal(psi), -0.5, hop(psi)); }

Spinor WilsonOperator::apply_dagger(const Spinor& psi) const {
  return add(apply_diagonal_dagger(psi), -0.5, hop_dagger(psi));
}

const SiteMatrix& WilsonOperator::clover_term(const Coordinates& site) const {
  return clover_[static_cast<std::size_t>(lexicographic_index(site, extents_))];
}

const SiteMatrix& WilsonOperator::diagonal_term(const Coordinates& site) const {
  return diagonal_[static_cast<std::size_t>(lexicographic_index(site, extents_))];
}

SiteMatrix WilsonOperator::half_hop_matrix(const Coordinates& site, int mu, int step) const {
  const Coordinates behind = neighbor(site, mu, -1, extents_);
  const ColorMatrix u =
      step > 0 ? link(weighted_links_, site, mu, extents_) : dagger(link(weighted_links_, behind, mu, extents_));
  SiteMatrix matrix{};
  add_product(matrix, 0.5, identity_spin_matrix() + Complex(-step) * gammas_[mu], u);
  return matrix;
}

Spinor WilsonOperator::apply_diagonal(const Spinor& psi) const {
  return site_by_site(psi, extents_,
                      [&](const Coordinates& x, const SiteVector& v) { return multiply(diagonal_term(x), v); });
}

Spinor WilsonOperator::apply_diagonal_dagger(const Spinor& psi) const {
  return site_by_site(psi, extents_,
                      [&](const Coordinates& x, const SiteVector& v) { return multiply(dagger(diagonal_term(x)), v); });
}

const Elimination& WilsonOperator::eliminated(const Coordinates& site, bool conjugate) const {
  std::vector<std::optional<Elimination>>& all = eliminated_[conjugate ? 1 : 0];
  all.resize(diagonal_.size());
  std::optional<Elimination>& here = all[static_cast<std::size_t>(lexicographic_index(site, extents_))];
  if (!here) here = eliminate(conjugate ? dagger(diagonal_term(site)) : diagonal_term(site));
  return *here;
}

Spinor WilsonOperator::solve_diagonal(const Spinor& psi) const {
  return site_by_site(psi, extents_,
                      [&](const Coordinates& x, const SiteVector& v) { return solve(eliminated(x, false), v); });
}

Spinor WilsonOperator::solve_diagonal_dagger(const Spinor& psi) const {
  return site_by_site(psi, extents_,
                      [&](const Coordinates& x, const SiteVector& v) { return solve(eliminated(x, true), v); });
}

}  // namespace kaon::reference
