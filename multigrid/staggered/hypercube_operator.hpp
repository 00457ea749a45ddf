// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/staggered/hypercube_hops.hpp"

namespace kaon::detail {

/// The operator that multigrid coarsens for a naive staggered operator M: on hypercubes, with X the site term of
/// T^dag M T,
///
///   A = X^(-1/2) T^dag M T X^(-1/2),    A^dag = G5 A G5.
///
/// The eigenvalues of M lie on the line 2m + i lambda, with pairs of both signs that P^dag M P mixes into small
/// eigenvalues that M does not have; those of A are X^-1 M's, on a circle around 1 in the free field
/// (arXiv:1801.07823). Smoothers use X^-1 T^dag M T = X^(-1/2) A X^(1/2), which is cheaper to apply.
class HypercubeOperator {
 public:
  /// `links`: those of M, in full storage. Throws `Error` unless the mass is positive, for lattices that hypercubes do
  /// not cut, and if the hops within some hypercube have no inverse. Collective.
  HypercubeOperator(const GaugeField<float>& links, const BoundaryAngles& boundary, double mass,
                    MultigridPrecision stored);

  const HypercubeMap& map() const { return map_; }
  /// A
  const HypercubeHops& matrix() const { return *matrix_; }
  /// X^-1 T^dag M T
  const HypercubeHops& left_matrix() const { return *left_matrix_; }
  /// X^(1/2)
  const SiteMatrices& root() const { return *root_; }
  /// X^(-1/2)
  const SiteMatrices& inverse_root() const { return *inverse_root_; }
  /// Singular values of the hops within hypercubes.
  const HypercubeSpectrum& spectrum() const { return spectrum_; }

 private:
  void make(const GaugeField<float>& links, const BoundaryAngles& boundary, double mass, MultigridPrecision stored);

  HypercubeMap map_;
  HypercubeSpectrum spectrum_{};
  std::shared_ptr<const SiteMatrices> root_, inverse_root_;
  std::optional<HypercubeHops> matrix_, left_matrix_;
};

}  // namespace kaon::detail
