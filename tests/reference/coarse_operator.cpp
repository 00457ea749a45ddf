// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "coarse_operator.hpp"

#include <stdexcept>
#include <utility>

namespace kaon::reference {
namespace {

Matrix as_matrix(const SiteMatrix& matrix) {
  Matrix result(site_components, site_components);
  std::copy(matrix.begin(), matrix.end(), result.elements.begin());
  return result;
}

}  // namespace

CoarseOperator::CoarseOperator(const Coordinates& extents, std::size_t components)
    : extents_(extents),
      components_(components),
      site_terms_(static_cast<std::size_t>(volume_of(extents)), Matrix(components, components)),
      hops_(2 * directions * site_terms_.size(), Matrix(components, components)) {}

std::size_t CoarseOperator::offset(const Coordinates& site) const {
  return components_ * static_cast<std::size_t>(lexicographic_index(site, extents_));
}

const Matrix& CoarseOperator::site_term(const Coordinates& site) const {
  return site_terms_[static_cast<std::size_t>(lexicographic_index(site, extents_))];
}

Matrix& CoarseOperator::site_term(const Coordinates& site) {
  return const_cast<Matrix&>(std::as_const(*this).site_term(site));
}

const Matrix& CoarseOperator::hop(const Coordinates& site, int mu, int step) const {
  const auto index = static_cast<std::size_t>(lexicographic_index(site, extents_));
  return hops_[2 * (directions * index + static_cast<std::size_t>(mu)) + (step > 0 ? 0 : 1)];
}

Matrix& CoarseOperator::hop(const Coordinates& site, int mu, int step) {
  return const_cast<Matrix&>(std::as_const(*this).hop(site, mu, step));
}

Spinor CoarseOperator::apply(const Spinor& c) const {
  Spinor result = apply_site_term(c);
  for (int mu = 0; mu < directions; ++mu)
    for (const int step : {+1, -1}) result = add(result, -1.0, apply_hop(c, mu, step));
  return result;
}

Spinor CoarseOperator::apply_site_term(const Spinor& c) const {
  Spinor result(size());
  for_each_site(extents_, [&](const Coordinates& a) { add_product(site_term(a), &c[offset(a)], &result[offset(a)]); });
  return result;
}

Spinor CoarseOperator::apply_hop(const Spinor& c, int mu, int step) const {
  Spinor result(size());
  for_each_site(extents_, [&](const Coordinates& a) {
    add_product(hop(a, mu, step), &c[offset(neighbor(a, mu, step, extents_))], &result[offset(a)]);
  });
  return result;
}

CoarseOperator site_matrices(const WilsonOperator& op) {
  CoarseOperator result(op.extents(), site_components);
  for_each_site(op.extents(), [&](const Coordinates& x) {
    result.site_term(x) = as_matrix(op.diagonal_term(x));
    for (int mu = 0; mu < directions; ++mu)
      for (const int step : {+1, -1}) result.hop(x, mu, step) = as_matrix(op.half_hop_matrix(x, mu, step));
  });
  return result;
}

CoarseOperator coarsen(const CoarseOperator& fine, const Prolongator& p) {
  const Aggregates& aggregates = p.aggregates();
  CoarseOperator coarse(aggregates.coarse_extents(), p.coarse_components());
  for_each_site(fine.extents(), [&](const Coordinates& x) {
    const Coordinates a = aggregates.aggregate_of(x);
    const Matrix v_dagger = dagger(p.at(x));
    coarse.site_term(a) = coarse.site_term(a) + v_dagger * (fine.site_term(x) * p.at(x));
    for (int mu = 0; mu < directions; ++mu) {
      const Coordinates y = neighbor(x, mu, 1, fine.extents());
      const Matrix product = v_dagger * (fine.hop(x, mu, +1) * p.at(y));
      if (aggregates.aggregate_of(y) == a)
        coarse.site_term(a) = coarse.site_term(a) - product - gamma5_conjugate(dagger(product));
      else
        coarse.hop(a, mu, +1) = coarse.hop(a, mu, +1) + product;
    }
  });
  for_each_site(coarse.extents(), [&](const Coordinates& a) {
    for (int mu = 0; mu < directions; ++mu)
      coarse.hop(a, mu, -1) = gamma5_conjugate(dagger(coarse.hop(neighbor(a, mu, -1, coarse.extents()), mu, +1)));
  });
  return coarse;
}

Matrix dense_matrix(const CoarseOperator& op) {
  return matrix_of([&](const Spinor& c) { return op.apply(c); }, op.size());
}

}  // namespace kaon::reference
