// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "krylov.hpp"

namespace kaon::reference {

Relaxed minimal_residual(const LinearMap& apply, Relaxed start, int steps, double omega) {
  auto [x, r] = std::move(start);
  for (int step = 0; step < steps; ++step) {
    const Spinor p = apply(r);
    if (norm2(p) == 0.0) break;
    const Complex alpha = omega * dot(p, r) / norm2(p);
    x = add(x, alpha, r);
    r = add(r, -alpha, p);
  }
  return {x, r};
}

GcrResult gcr(const LinearMap& apply, const LinearMap& precondition, const Spinor& b, double tolerance, int max_steps) {
  const double norm_b = std::sqrt(norm2(b));
  GcrResult result{Spinor(b.size()), {1.0}};
  Spinor r = b;
  std::vector<Spinor> directions;
  std::vector<Spinor> images;  // A times the directions, orthonormal
  while (result.iterations() < max_steps && result.residuals.back() > tolerance) {
    Spinor z = precondition(r);
    Spinor p = apply(z);
    for (std::size_t j = 0; j < images.size(); ++j) {
      const Complex beta = dot(images[j], p);
      p = add(p, -beta, images[j]);
      z = add(z, -beta, directions[j]);
    }
    const double length = std::sqrt(norm2(p));
    if (length == 0.0) break;  // no new direction
    images.push_back(add(Spinor(p.size()), 1.0 / length, p));
    directions.push_back(add(Spinor(z.size()), 1.0 / length, z));
    const Complex alpha = dot(images.back(), r);
    result.x = add(result.x, alpha, directions.back());
    r = add(r, -alpha, images.back());
    result.residuals.push_back(std::sqrt(norm2(r)) / norm_b);
  }
  return result;
}

Spinor normalized(const Spinor& psi) { return add(Spinor(psi.size()), 1.0 / std::sqrt(norm2(psi)), psi); }

std::vector<Spinor> orthonormalized(std::vector<Spinor> vectors) {
  for (int pass = 0; pass < 2; ++pass)
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) vectors[j] = add(vectors[j], -dot(vectors[i], vectors[j]), vectors[i]);
      vectors[j] = normalized(vectors[j]);
    }
  return vectors;
}

}  // namespace kaon::reference
