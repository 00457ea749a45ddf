// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "matrix.hpp"
#include "wilson.hpp"

namespace kaon::reference {

/// Parameters of a domain wall operator; b and c of each slice.
struct DomainWallParameters {
  double mass = 0.0;
  std::vector<Complex> b, c;
  /// The Wilson kernel; its mass is -M5.
  WilsonParameters kernel;
  /// m of psi_{Ls}, if it is another.
  std::optional<double> lower_mass{};
};

/// Slices of a vector in five dimensions.
using Slices = std::vector<Spinor>;

/// The domain wall operator of Shamir and Moebius, term by term:
///
///   D = D_W B + 1 - S,  B = b + c S,
///   (S psi)_s = P_- psi_{s+1} + P_+ psi_{s-1},  psi_{Ls} = -m psi_0,  psi_{-1} = -m psi_{Ls-1},  P_+- = (1 +- g5)/2,
///
/// b and c diagonal in s. Source: arXiv:1206.5214, eq. (2.9) to (2.12), without its factor of normalisation. Inverses
/// of matrices on slices are those of dense Ls x Ls matrices, one for each chirality.
class DomainWallOperator {
 public:
  DomainWallOperator(const Links& links, const Coordinates& extents, const DomainWallParameters& parameters);

  std::size_t slices() const { return parameters_.b.size(); }

  Slices apply(const Slices& psi) const;
  Slices apply_dagger(const Slices& psi) const;
  Slices apply_b(const Slices& psi) const;
  Slices apply_b_dagger(const Slices& psi) const;
  Slices solve_b(const Slices& psi) const;
  Slices solve_b_dagger(const Slices& psi) const;
  /// D B^-1 and its adjoint.
  Slices apply_primed(const Slices& psi) const { return apply(solve_b(psi)); }
  Slices apply_primed_dagger(const Slices& psi) const { return solve_b_dagger(apply_dagger(psi)); }

 private:
  /// S on the slices of one chirality.
  Matrix matrix_s(bool upper) const;
  /// The matrix of b + c S.
  Matrix matrix_b(bool upper) const;

  WilsonOperator kernel_;
  DomainWallParameters parameters_;
};

/// Concatenates the slices, and back.
Spinor joined(const Slices& slices);
Slices cut(const Spinor& values, std::size_t slices);

}  // namespace kaon::reference
