// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/setup/cycle.hpp"
#include "multigrid/setup/relaxation.hpp"
#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/transfer.hpp"

#include <kaon/core/kept_fields.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// Makes the smoother of the first level: Richardson's method with these weights, or minimal residuals without weights.
using MakeSmoother = std::function<Ref<LinearOperator<float>>(const Weights&)>;

struct Level {
  Ref<EvenOddOperator<float>> matrix;
  std::unique_ptr<EvenOddSystem<float>> system;  ///< S

  // All levels but the last:
  std::optional<Ref<LinearOperator<float>>> smoother{};
  Weights weights{};                     ///< of the smoother
  std::unique_ptr<Transfer> transfer{};  ///< to the next level
  KeptFields<float> restricted{};        ///< R v_j, one field
  std::unique_ptr<Cycle> cycle{};

  // All levels but the first:
  std::optional<Ref<LinearOperator<float>>> solver{};  ///< approximates S^-1 in cycles of the level above
};

/// The levels of a hierarchy as a setup changes them: matrices, transfers, smoothers, cycles and the solver of the last
/// level. The destructor releases the memory of the levels that the operator's lattice caches.
class LevelStack {
 public:
  /// `v_cycle_smoothing`: degree of smoothers in V-cycles, if `parameters` leave it unset.
  LevelStack(const MultigridParameters& parameters, MakeSmoother make_smoother, int v_cycle_smoothing);
  LevelStack(LevelStack&&) noexcept = default;
  LevelStack& operator=(LevelStack&&) = delete;
  ~LevelStack();

  void drop() { levels_.clear(); }
  /// Cuts the lattices of new levels.
  void cut(const Lattice& fine, std::vector<MultigridCoarsening> coarsenings);
  /// Appends a level with this matrix; with a smoother of minimal residuals unless it is the last.
  void add(const Ref<EvenOddOperator<float>>& matrix);
  /// Drops the levels below `level`, with the transfer to them.
  void drop_below(int level);

  int size() const { return static_cast<int>(levels_.size()); }
  bool is_last(int level) const { return level == static_cast<int>(coarsenings_.size()); }
  Level& operator[](int level) { return *levels_[static_cast<std::size_t>(level)]; }
  const Level& operator[](int level) const { return *levels_[static_cast<std::size_t>(level)]; }
  const MultigridCoarsening& coarsening(int level) const { return coarsenings_[static_cast<std::size_t>(level)]; }
  const std::vector<MultigridCoarsening>& coarsenings() const { return coarsenings_; }
  /// The aggregates of the sites of `level`.
  const Aggregation& aggregation(int level) const { return aggregations_[static_cast<std::size_t>(level)]; }
  const std::vector<Aggregation>& aggregations() const { return aggregations_; }

  /// S^-1 of `level` approximately: a cycle, or the solver of the last level.
  const LinearOperator<float>& cycle(int level = 0) const;

  int cycle_steps() const { return cycle_steps_; }
  /// Steps of GCR on the levels between the first and the last.
  void set_cycle_steps(int steps);
  /// Makes the cycle of `level` and, below the first level, the solver that applies it. The next level has its own.
  void make_cycle(int level);
  void make_cycles();

  /// Without weights: minimal residuals. The cycle of the level uses the old smoother until `make_cycle`.
  void set_smoother(int level, const Weights& weights);
  Ref<LinearOperator<float>> smoother_with(int level, const Weights& weights) const;
  int smoothing_degree() const;
  /// Takes the cycle and the weights of other levels.
  void set_cycle_of(const LevelStack& other);

  /// Solves the last level by its inverse.
  void set_bottom(ExactInverse inverse);
  bool has_exact_bottom() const { return exact_bottom_; }
  /// Solves the last level by Richardson's method with these weights, or by GCR without weights.
  void iterate_bottom(const Weights& weights);

  /// The vectors of the first level, computed as v_j = P R v_j.
  SpinorField<float> near_null_vectors() const;

  /// Ends the setup: drops the function that makes smoothers.
  void finish() { make_smoother_ = nullptr; }

 private:
  MultigridParameters parameters_;  // without vectors
  MakeSmoother make_smoother_;
  int v_cycle_smoothing_, cycle_steps_;
  bool exact_bottom_ = false;
  std::vector<MultigridCoarsening> coarsenings_;
  // Shared by all levels that are built in sequence: their lattices cache memory, tables and halos.
  std::vector<Aggregation> aggregations_;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace kaon::detail
