// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "fermion_action.hpp"

#include "schur.hpp"

#include <stdexcept>

namespace kaon::reference {
namespace {

Spinor normal(const WilsonOperator& op, std::optional<int> parity, double shift, const Spinor& psi) {
  const Spinor image = parity ? schur_asymmetric_dagger(op, schur_asymmetric(op, psi, *parity), *parity)
                              : op.apply_dagger(op.apply(psi));
  return add(image, shift, psi);
}

}  // namespace

Spinor solve_normal(const WilsonOperator& op, std::optional<int> parity, double shift, const Spinor& phi) {
  Spinor x(phi.size()), r = phi, p = phi;
  double r2 = norm2(r);
  const double goal = 1e-28 * r2;
  for (int k = 0; r2 > goal; ++k) {
    if (k == 2000) throw std::runtime_error("conjugate gradients did not converge");
    const Spinor q = normal(op, parity, shift, p);
    const double alpha = r2 / dot(p, q).real();
    x = add(x, alpha, p);
    r = add(r, -alpha, q);
    const double next = norm2(r);
    p = add(r, next / r2, p);
    r2 = next;
  }
  return x;
}

double pseudofermion_action(const WilsonOperator& op, std::optional<int> parity, const std::vector<RationalTerm>& terms,
                            const Spinor& phi) {
  double sum = 0.0;
  for (const RationalTerm& term : terms) {
    sum += term.residue * dot(phi, solve_normal(op, parity, term.shift, phi)).real();
  }
  return sum;
}

double log_determinant(const WilsonOperator& op, int parity) {
  double sum = 0.0;
  for_each_site(op.extents(), [&](const Coordinates& x) {
    if (parity_of(x) != parity) return;
    SiteMatrix a = op.diagonal_term(x);
    // Gauss elimination: the determinant is the product of the pivots.
    for (std::size_t k = 0; k < site_components; ++k) {
      sum += std::log(std::abs(a[13 * k]));
      for (std::size_t row = k + 1; row < site_components; ++row) {
        const Complex factor = a[12 * row + k] / a[13 * k];
        for (std::size_t column = k; column < site_components; ++column)
          a[12 * row + column] -= factor * a[12 * k + column];
      }
    }
  });
  return sum;
}

Links moved(const Links& links, const Links& momenta, double step, const Coordinates& extents) {
  Links result(links.size());
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const ColorMatrix p = link(momenta, x, mu, extents);
      ColorMatrix term = link(links, x, mu, extents), sum = term;
      for (int k = 1; k <= 20; ++k) {
        term = Complex(step / k) * (p * term);
        sum = sum + term;
      }
      std::copy(sum.begin(), sum.end(), result.begin() + static_cast<std::ptrdiff_t>(link_offset(x, mu, extents)));
    }
  });
  return result;
}

double derivative_along(const std::function<double(const Links&)>& f, const Links& links, const Links& momenta,
                        double step, const Coordinates& extents) {
  constexpr double weights[] = {45.0, -9.0, 1.0};
  double sum = 0.0;
  for (int k = 1; k <= 3; ++k) {
    sum +=
        weights[k - 1] * (f(moved(links, momenta, k * step, extents)) - f(moved(links, momenta, -k * step, extents)));
  }
  return sum / (60.0 * step);
}

}  // namespace kaon::reference
