// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "coarse_schur.hpp"
#include "krylov.hpp"

namespace kaon::reference {

/// How the next coarser level is made of one.
struct CoarseningParameters {
  /// Extents of an aggregate.
  Coordinates block;
  /// N, the number of near-null vectors. Not less than on the level before.
  std::size_t vectors;
  /// Bootstrap steps each time that this level's vectors are made.
  int bootstraps = 3;
};

struct MultigridParameters {
  /// One entry a coarse level, the finest first.
  std::vector<CoarseningParameters> levels;
  /// Steps of MR before and after the coarse correction.
  int smoothing_before = 0;
  int smoothing_after = 4;
  /// Underrelaxation of the smoother.
  double omega = 0.85;
  /// Steps of GCR on each level between the first and the last one.
  int cycle_steps = 2;
  /// Steps of MR on noise for the first vectors.
  int setup_steps = 8;
  /// Whether each bootstrap step starts by orthonormalising the vectors as whole fields. Without that they collapse on
  /// the lowest modes.
  bool orthonormalize = true;
  /// Parity of the even-odd systems of all levels.
  int parity = 0;
  unsigned seed = 1;
};

/// Adaptive multigrid for the even-odd systems of a nearest-neighbour operator: D_{l+1} = P_l^dag D_l P_l on every
/// level, MR on S_l as smoother, S of the coarsest level inverted exactly.
///
///   cycle_l(r), z ~ S_l^-1 r on the sites of the system:
///     (z, r) = MR(S_l, 0, r, smoothing_before)
///     b = R (A_p r_p)                  the residual of D_l x = b with the other parity eliminated is (A_p r_p, 0)
///     s = prepare(b), e = K_{l+1}(s)   GCR on S_{l+1} with cycle_{l+1}, or the exact inverse on the last level
///     c = reconstruct(e, b),  d = (P c)_p,  z += d,  r -= S_l d
///     (z, r) = MR(S_l, z, r, smoothing_after)
///
/// The near-null vectors are `setup_steps` MR steps on S v = 0 from noise, reconstructed with source 0; a bootstrap
/// step replaces each v by a cycle's approximation of D_l^-1 v and rebuilds all coarser levels. Coarse levels take R
/// v_j as their first vectors and relaxed noise as the others.
class Multigrid {
 public:
  /// `vectors` are the first vectors of level 0; relaxed noise makes up their number. Without bootstraps, and with as
  /// many vectors on all levels, they alone determine the hierarchy.
  Multigrid(const CoarseOperator& fine, const MultigridParameters& parameters, const std::vector<Spinor>& vectors = {});

  /// Number of levels, the fine one included.
  std::size_t levels() const { return levels_.size(); }
  const CoarseSchur& system(std::size_t level) const { return levels_[level].system; }
  /// P between `level` and `level` + 1.
  const Prolongator& prolongator(std::size_t level) const { return *levels_[level].prolongator; }
  /// The vectors that P was made of.
  const std::vector<Spinor>& vectors(std::size_t level) const { return levels_[level].vectors; }
  /// Smallest pivots of the block QR on level 0, one each time that it was done: before the bootstraps and after each.
  const std::vector<double>& pivots() const { return pivots_; }

  /// (P c)_p of the coarse correction to a residual r of S_level, with `solve` for the coarse system S c_p = s.
  Spinor coarse_correction(std::size_t level, const Spinor& r, const LinearMap& solve) const;

  /// S_level^-1 r approximately: the cycle, or the exact inverse on the last level.
  Spinor cycle(const Spinor& r, std::size_t level = 0) const;

 private:
  struct Level {
    CoarseSchur system;
    std::vector<Spinor> vectors{};
    std::optional<Prolongator> prolongator{};
    // Inverse of S, on the last level.
    Matrix inverse{};
  };

  bool is_last(std::size_t level) const { return level == parameters_.levels.size(); }
  LinearMap system_map(std::size_t level) const;
  Spinor solve_level(std::size_t level, const Spinor& s) const;
  Spinor relaxed_noise(std::size_t level);
  void set_up(std::size_t level, std::vector<Spinor> vectors);
  void build_next(std::size_t level, const std::vector<Spinor>& vectors);

  MultigridParameters parameters_;
  std::mt19937_64 generator_;
  std::vector<Level> levels_;
  std::vector<double> pivots_;
};

/// M x = b by GCR on the fine even-odd system with one cycle for each direction.
GcrResult solve_multigrid(const Multigrid& multigrid, const Spinor& b, double tolerance, int max_steps);

/// Solves without multigrid.
GcrResult solve_unpreconditioned(const CoarseSchur& system, const Spinor& b, double tolerance, int max_steps);

}  // namespace kaon::reference
