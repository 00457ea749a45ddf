// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "domain_wall.hpp"

namespace kaon::reference {
namespace {

bool is_upper(std::size_t component) { return component % site_components < site_components / 2; }

/// S on the slices of one chirality.
Matrix shift_matrix(std::size_t slices, double mass, bool upper) {
  Matrix s(slices, slices);
  for (std::size_t to = 0; to < slices; ++to) {
    const bool at_wall = upper ? to == 0 : to + 1 == slices;
    const std::size_t from = upper ? (to + slices - 1) % slices : (to + 1) % slices;
    s(to, from) = at_wall ? -mass : 1.0;
  }
  return s;
}

/// A matrix on slices for each chirality, times psi.
Slices multiply_chiralities(const Matrix& upper, const Matrix& lower, const Slices& psi) {
  Slices out(psi.size(), Spinor(psi[0].size()));
  for (std::size_t to = 0; to < psi.size(); ++to) {
    for (std::size_t from = 0; from < psi.size(); ++from) {
      for (std::size_t n = 0; n < psi[0].size(); ++n) {
        out[to][n] += (is_upper(n) ? upper : lower)(to, from) * psi[from][n];
      }
    }
  }
  return out;
}

Slices combine(const Slices& a, Complex factor, const Slices& b) {
  Slices out;
  for (std::size_t s = 0; s < a.size(); ++s) out.push_back(add(a[s], factor, b[s]));
  return out;
}

WilsonParameters without_clover(WilsonParameters kernel) {
  kernel.csw_spatial = kernel.csw_temporal = 0.0;
  return kernel;
}

}  // namespace

DomainWallOperator::DomainWallOperator(const Links& links, const Coordinates& extents,
                                       const DomainWallParameters& parameters)
    : kernel_(links, extents, without_clover(parameters.kernel)), parameters_(parameters) {}

Matrix DomainWallOperator::matrix_s(bool upper) const {
  const double mass = upper ? parameters_.mass : parameters_.lower_mass.value_or(parameters_.mass);
  return shift_matrix(slices(), mass, upper);
}

Matrix DomainWallOperator::matrix_b(bool upper) const {
  Matrix b = matrix_s(upper);
  for (std::size_t s = 0; s < slices(); ++s) {
    for (std::size_t from = 0; from < slices(); ++from) b(s, from) *= parameters_.c[s];
    b(s, s) += parameters_.b[s];
  }
  return b;
}

Slices DomainWallOperator::apply(const Slices& psi) const {
  const Slices mixed = apply_b(psi);
  Slices out;
  for (const Spinor& slice : mixed) out.push_back(kernel_.apply(slice));
  const Slices shifted = multiply_chiralities(matrix_s(true), matrix_s(false), psi);
  return combine(combine(out, 1.0, psi), -1.0, shifted);
}

Slices DomainWallOperator::apply_dagger(const Slices& psi) const {
  Slices hopped;
  for (const Spinor& slice : psi) hopped.push_back(kernel_.apply_dagger(slice));
  const Slices shifted = multiply_chiralities(dagger(matrix_s(true)), dagger(matrix_s(false)), psi);
  return combine(combine(apply_b_dagger(hopped), 1.0, psi), -1.0, shifted);
}

Slices DomainWallOperator::apply_b(const Slices& psi) const {
  return multiply_chiralities(matrix_b(true), matrix_b(false), psi);
}
Slices DomainWallOperator::apply_b_dagger(const Slices& psi) const {
  return multiply_chiralities(dagger(matrix_b(true)), dagger(matrix_b(false)), psi);
}
Slices DomainWallOperator::solve_b(const Slices& psi) const {
  return multiply_chiralities(inverse(matrix_b(true)), inverse(matrix_b(false)), psi);
}
Slices DomainWallOperator::solve_b_dagger(const Slices& psi) const {
  return multiply_chiralities(dagger(inverse(matrix_b(true))), dagger(inverse(matrix_b(false))), psi);
}

Spinor joined(const Slices& slices) {
  Spinor values;
  for (const Spinor& slice : slices) values.insert(values.end(), slice.begin(), slice.end());
  return values;
}

Slices cut(const Spinor& values, std::size_t slices) {
  const std::size_t size = values.size() / slices;
  Slices all;
  for (std::size_t s = 0; s < slices; ++s) {
    all.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(s * size),
                     values.begin() + static_cast<std::ptrdiff_t>((s + 1) * size));
  }
  return all;
}

}  // namespace kaon::reference
