// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon {

/// How one level of a multigrid hierarchy is made from the level above it.
struct MultigridCoarsening {
  /// Sites of an aggregate in each direction, in sites of the level above. Divides its local extents.
  Coordinates block{};
  int vectors = 24;  ///< N: near-null vectors, the colours of the coarse level
  /// Number of times that the hierarchy below improves the vectors of the level above. Unset: on the first level as
  /// long as it pays; on others never, or twice if convergence is bad otherwise. Domain wall quarks have them on the
  /// first level alone.
  std::optional<int> bootstraps{};
};

/// The precision of the fine level's smoother, of coarse links, or of the near-null vectors in P and R.
enum class MultigridPrecision { half, single };

/// The choices of `Multigrid`. All are optional: kaon chooses those that are unset, and `MultigridReport` states them.
struct MultigridParameters {
  double tolerance = 1e-10;  ///< of `solve`: on |b - M x| / |b| of the whole system
  /// Cycles of `solve` for each right-hand side. A refinement in progress may take as many again.
  int max_iterations = 500;
  std::uint64_t seed = 1;                     ///< of the noise that near-null vectors start from
  std::vector<MultigridCoarsening> levels{};  ///< coarse levels, the finest first; empty: chosen
  /// Vectors that the setup starts from instead of noise: `Multigrid::near_null_vectors` of another mass on the same
  /// links, or of links that have changed a little. On the operator's lattice, at least as many as the first level has.
  /// Bootstraps whose number is unset are done only if the vectors need them. Released after the setup.
  std::shared_ptr<const SpinorField<float>> near_null_vectors{};
  /// Steps of minimal residuals after each coarse correction in the setup, and the degree of a polynomial in solves.
  /// Unset: 4, and degree 6 in V-cycles of staggered quarks.
  std::optional<int> smoothing_steps{};
  double omega = 0.85;  ///< relaxation of minimal residuals
  /// Steps of GCR on levels between the first and the last: 1 is a V-cycle, 2 a W- or K-cycle. Unset: 2 in the setup,
  /// and afterwards 1 if that costs few iterations.
  std::optional<int> cycle_steps{};
  /// Unknowns on even sites up to which the last level is solved by its inverse (domain wall quarks on GPUs: twice).
  int largest_inverse = 4096;
  int krylov_space = 10;  ///< directions of the outer GCR before it restarts
  /// Degree of the polynomial that relaxes noise, for the first vectors; of domain wall quarks iterations of conjugate
  /// gradients. Unset: 18, and 60.
  std::optional<int> relaxation_steps{};
  /// Limit if the number of bootstraps is unset; as many again once lower levels bootstrap, too.
  int max_bootstraps = 8;
  /// The largest factor by which an iteration may reduce the residual, above 0 and at most 1. The setup throws
  /// `SolveError` if its levels have a larger one; after two bootstraps already, if further ones cannot be expected to
  /// reach it.
  double worst_convergence = 1.0;
  MultigridPrecision smoothing = MultigridPrecision::half;
  MultigridPrecision coarse_links = MultigridPrecision::half;
  MultigridPrecision vectors = MultigridPrecision::half;  ///< near-null vectors in prolongator and restrictor
  std::optional<LinkStorage> links{};                     ///< as in `SolveOptions`
  /// Called on all processes after each step of the setup, with a sentence about it.
  std::function<void(const std::string& progress)> on_setup{};
};

}  // namespace kaon
