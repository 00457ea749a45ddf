// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "lanczos.hpp"

namespace kaon::reference {
namespace {

// A tridiagonal matrix: diagonal, and what is beside it.
struct Tridiagonal {
  std::vector<double> alpha;
  std::vector<double> beta;
};

std::vector<Complex> scaled(const std::vector<Complex>& v, double factor) {
  return add(std::vector<Complex>(v.size()), factor, v);
}

Tridiagonal tridiagonalize(const std::function<std::vector<Complex>(const std::vector<Complex>&)>& apply,
                           const std::vector<Complex>& start, int steps) {
  Tridiagonal t;
  std::vector<std::vector<Complex>> basis{scaled(start, 1.0 / std::sqrt(norm2(start)))};
  for (int step = 0; step < steps; ++step) {
    std::vector<Complex> w = apply(basis.back());
    t.alpha.push_back(dot(basis.back(), w).real());
    for (int pass = 0; pass < 2; ++pass)
      for (const std::vector<Complex>& q : basis) w = add(w, -dot(q, w), q);
    const double beta = std::sqrt(norm2(w));
    if (beta < 1e-12 * std::abs(t.alpha.front())) break;  // the Krylov space is invariant
    t.beta.push_back(beta);
    basis.push_back(scaled(w, 1.0 / beta));
  }
  return t;
}

// Number of eigenvalues below lambda: of negative pivots in the elimination of T - lambda.
std::size_t eigenvalues_below(const Tridiagonal& t, double lambda) {
  std::size_t below = 0;
  double pivot = 1.0;
  for (std::size_t k = 0; k < t.alpha.size(); ++k) {
    pivot = t.alpha[k] - lambda - (k == 0 ? 0.0 : t.beta[k - 1] * t.beta[k - 1] / pivot);
    if (pivot == 0.0) pivot = 1e-300;
    if (pivot < 0.0) ++below;
  }
  return below;
}

// The eigenvalue for which `index` are smaller.
double eigenvalue(const Tridiagonal& t, std::size_t index) {
  double bound = 0.0;
  for (std::size_t k = 0; k < t.alpha.size(); ++k)
    bound = std::max(bound, std::abs(t.alpha[k]) + 2.0 * (k < t.beta.size() ? t.beta[k] : 0.0) +
                                2.0 * (k == 0 ? 0.0 : t.beta[k - 1]));
  double lower = -bound;
  double upper = bound;
  for (int halving = 0; halving < 100; ++halving) {
    const double middle = 0.5 * (lower + upper);
    (eigenvalues_below(t, middle) > index ? upper : lower) = middle;
  }
  return 0.5 * (lower + upper);
}

}  // namespace

ExtremalEigenvalues extremal_eigenvalues(const std::function<std::vector<Complex>(const std::vector<Complex>&)>& apply,
                                         const std::vector<Complex>& start, int steps) {
  const Tridiagonal t = tridiagonalize(apply, start, steps);
  return {eigenvalue(t, 0), eigenvalue(t, t.alpha.size() - 1)};
}

}  // namespace kaon::reference
