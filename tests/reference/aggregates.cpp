// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "aggregates.hpp"

#include <stdexcept>

namespace kaon::reference {
namespace {

// Position of component 0 of a site.
std::size_t offset_of(const Coordinates& site, const Coordinates& extents, std::size_t components) {
  return components * static_cast<std::size_t>(lexicographic_index(site, extents));
}

// Positions, in a fine field, of the components of one chirality at all sites of one aggregate.
std::vector<std::size_t> rows_of(const Aggregates& aggregates, std::size_t components, const Coordinates& aggregate,
                                 std::size_t chirality) {
  std::vector<std::size_t> rows;
  for_each_site(aggregates.extents(), [&](const Coordinates& x) {
    if (aggregates.aggregate_of(x) != aggregate) return;
    const std::size_t first = offset_of(x, aggregates.extents(), components) + chirality * components / 2;
    for (std::size_t sigma = 0; sigma < components / 2; ++sigma) rows.push_back(first + sigma);
  });
  return rows;
}

Complex dot_on(const std::vector<std::size_t>& rows, const Spinor& a, const Spinor& b) {
  Complex sum = 0.0;
  for (const std::size_t row : rows) sum += std::conj(a[row]) * b[row];
  return sum;
}

double norm_on(const std::vector<std::size_t>& rows, const Spinor& a) { return std::sqrt(dot_on(rows, a, a).real()); }

// One pass of modified Gram-Schmidt on some rows of the vectors. Returns the smallest pivot.
double gram_schmidt_on(const std::vector<std::size_t>& rows, std::vector<Spinor>& vectors) {
  double smallest_pivot = 1.0;
  for (std::size_t j = 0; j < vectors.size(); ++j) {
    const double before = norm_on(rows, vectors[j]);
    for (std::size_t i = 0; i < j; ++i) {
      const Complex overlap = dot_on(rows, vectors[i], vectors[j]);
      for (const std::size_t row : rows) vectors[j][row] -= overlap * vectors[i][row];
    }
    const double after = norm_on(rows, vectors[j]);
    if (!(after > 1e-14 * before))
      throw std::invalid_argument("Prolongator: vector " + std::to_string(j) +
                                  " depends on those before it in an aggregate");
    for (const std::size_t row : rows) vectors[j][row] /= after;
    smallest_pivot = std::min(smallest_pivot, after / before);
  }
  return smallest_pivot;
}

}  // namespace

Aggregates::Aggregates(const Coordinates& extents, const Coordinates& block) : extents_(extents), block_(block) {
  for (int mu = 0; mu < directions; ++mu) {
    if (block[mu] < 1 || extents[mu] % block[mu] != 0)
      throw std::invalid_argument("Aggregates: the block " + std::to_string(block[mu]) +
                                  " does not divide the extent " + std::to_string(extents[mu]));
    coarse_extents_[mu] = extents[mu] / block[mu];
  }
}

Coordinates Aggregates::aggregate_of(const Coordinates& site) const {
  Coordinates aggregate{};
  for (int mu = 0; mu < directions; ++mu) aggregate[mu] = site[mu] / block_[mu];
  return aggregate;
}

Prolongator::Prolongator(const Aggregates& aggregates, std::size_t components, const std::vector<Spinor>& vectors)
    : aggregates_(aggregates), components_(components), basis_(vectors) {
  for_each_site(aggregates_.coarse_extents(), [&](const Coordinates& aggregate) {
    for (const std::size_t chirality : {0u, 1u}) {
      const std::vector<std::size_t> rows = rows_of(aggregates_, components_, aggregate, chirality);
      smallest_pivot_ = std::min(smallest_pivot_, gram_schmidt_on(rows, basis_));
      gram_schmidt_on(rows, basis_);
    }
  });
}

Matrix Prolongator::at(const Coordinates& site) const {
  Matrix v(components_, coarse_components());
  const std::size_t first = offset_of(site, aggregates_.extents(), components_);
  for (std::size_t sigma = 0; sigma < components_; ++sigma) {
    const std::size_t chirality = sigma < components_ / 2 ? 0 : 1;
    for (std::size_t j = 0; j < basis_.size(); ++j) v(sigma, basis_.size() * chirality + j) = basis_[j][first + sigma];
  }
  return v;
}

Spinor Prolongator::prolong(const Spinor& c) const {
  const Coordinates& extents = aggregates_.extents();
  Spinor psi(components_ * static_cast<std::size_t>(volume_of(extents)));
  for_each_site(extents, [&](const Coordinates& x) {
    const std::size_t source =
        offset_of(aggregates_.aggregate_of(x), aggregates_.coarse_extents(), coarse_components());
    add_product(at(x), &c[source], &psi[offset_of(x, extents, components_)]);
  });
  return psi;
}

Spinor Prolongator::restrict(const Spinor& psi) const {
  const Coordinates& extents = aggregates_.extents();
  Spinor c(coarse_components() * static_cast<std::size_t>(volume_of(aggregates_.coarse_extents())));
  for_each_site(extents, [&](const Coordinates& x) {
    const std::size_t target =
        offset_of(aggregates_.aggregate_of(x), aggregates_.coarse_extents(), coarse_components());
    add_product(dagger(at(x)), &psi[offset_of(x, extents, components_)], &c[target]);
  });
  return c;
}

Spinor multiply_gamma5(Spinor psi, std::size_t components) {
  for (std::size_t k = 0; k < psi.size(); ++k)
    if (k % components >= components / 2) psi[k] = -psi[k];
  return psi;
}

}  // namespace kaon::reference
