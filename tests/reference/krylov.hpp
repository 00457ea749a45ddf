// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "matrix.hpp"

namespace kaon::reference {

/// x and r = b - A x.
struct Relaxed {
  Spinor x;
  Spinor r;
};

/// `steps` steps of minimal residuals with over- or underrelaxation, from an x and its residual r = b - A x:
///   p = A r,  alpha = omega <p, r> / <p, p>,  x += alpha r,  r -= alpha p.
/// Ends early where p = 0. Source: Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., algorithm 5.3.
Relaxed minimal_residual(const LinearMap& apply, Relaxed start, int steps, double omega);

/// Result of GCR.
struct GcrResult {
  Spinor x;
  /// |b - A x| / |b| by the recurrence, before the first step and after each.
  std::vector<double> residuals;

  int iterations() const { return static_cast<int>(residuals.size()) - 1; }
};

/// A x = b from x = 0 by flexible generalised conjugate residuals with all directions retained; the direction of each
/// step is `precondition` of the residual. Ends at |r| <= tolerance |b| or after `max_steps` steps. Source: S. C.
/// Eisenstat, H. C. Elman and M. H. Schultz, SIAM J. Numer. Anal. 20 (1983) 345.
GcrResult gcr(const LinearMap& apply, const LinearMap& precondition, const Spinor& b, double tolerance, int max_steps);

/// psi / |psi|.
Spinor normalized(const Spinor& psi);

/// The vectors orthonormalised as whole fields by modified Gram-Schmidt, done twice.
std::vector<Spinor> orthonormalized(std::vector<Spinor> vectors);

}  // namespace kaon::reference
