// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/aggregation.hpp"
#include "multigrid/cycle.hpp"
#include "multigrid/transfer.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/operators/even_odd_system.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon::detail {

/// The levels of multigrid. T is the precision of fields and coarse operators.
///
/// The near-null vectors v_j of the first level begin as noise that minimal residuals on S v = 0 have relaxed, or as
/// given vectors; those of a level below begin as R v_j of the level above, and relaxed noise. A bootstrap replaces
/// each by a cycle's approximation of M^-1 v_j and builds all levels below anew (Brannick et al.; Frommer et al.,
/// arXiv:1303.1377). Before that they are made orthonormal as whole fields: without it all of them would turn to the
/// lowest modes.
template <class T>
class Hierarchy {
 public:
  /// Borrows, or owns, the operator `fine`, whose K is gamma5-Hermitian, and `rounded`, the same in half precision, for
  /// the smoother; none: that works in T. Throws `Error` for parameters that make no sense and for operators that do
  /// not give their hops direction by direction.
  Hierarchy(Ref<EvenOddOperator<T>> fine, const std::optional<Ref<EvenOddOperator<half>>>& rounded,
            const MultigridParameters& parameters);
  /// Leaves no memory of its levels with the lattice of the operator.
  ~Hierarchy();

  int levels() const { return static_cast<int>(levels_.size()); }
  const EvenOddOperator<T>& matrix(int level) const { return *of(level).matrix; }
  const EvenOddSystem<T>& system(int level = 0) const { return *of(level).system; }
  /// Between `level` and the next.
  const Transfer<T>& transfer(int level) const { return *of(level).transfer; }
  /// S^-1 of `level` approximately: a cycle; of the last level, its solver.
  const LinearOperator<T>& cycle(int level = 0) const;

  const MultigridReport& report() const { return report_; }

  /// The vectors of the first level. They are not kept: v_j = P R v_j.
  SpinorField<T> near_null_vectors() const;

 private:
  struct Level {
    Ref<EvenOddOperator<T>> matrix;
    std::unique_ptr<EvenOddSystem<T>> system;
    // Of all levels but the last:
    std::optional<Ref<LinearOperator<T>>> smoother{};
    std::unique_ptr<Transfer<T>> transfer{};
    KeptFields<T> restricted{};  // R v_j, one field
    std::unique_ptr<Cycle<T>> cycle{};
    // Of all but the first: what the level above is corrected with.
    std::optional<Ref<LinearOperator<T>>> solver{};
  };

  const Level& of(int level) const { return *levels_[static_cast<std::size_t>(level)]; }
  Level& of(int level) { return *levels_[static_cast<std::size_t>(level)]; }
  bool is_last(int level) const { return level == static_cast<int>(coarsenings_.size()); }
  const MultigridCoarsening& coarsening(int level) const { return coarsenings_[static_cast<std::size_t>(level)]; }
  /// Of the sites of `level`.
  const Aggregation& aggregation(int level) const { return aggregations_[static_cast<std::size_t>(level)]; }

  void build(const Ref<EvenOddOperator<T>>& fine, const std::optional<Ref<EvenOddOperator<half>>>& rounded);
  void add_level(const Ref<EvenOddOperator<T>>& matrix);
  /// Vectors of `level`, which begin as those of `above`, the restricted ones of the level above, and the levels below.
  void set_up(int level, const SpinorField<T>* above);
  /// The first approximations of the vectors of `level`.
  void begin_vectors(int level, SpinorField<T>& vectors, const SpinorField<T>* above) const;
  /// Whether the given vectors, of which the hierarchy has been built, are no better than noise.
  bool given_vectors_are_bad();
  /// Whether the first level gains by another bootstrap than the `step` that it has had. `rate`: -ln of the convergence
  /// that was measured last.
  bool is_worth_another(int step, double& rate);
  /// Has lower levels bootstrap their vectors from now on, if convergence is bad. True if it does.
  bool improve_lower_levels();
  void build_next(int level, const SpinorField<T>& vectors);
  /// The cycle of `level` and, below the first, the solver that is made of it. The next level has its own.
  void make_cycle(int level);
  /// Takes a V-cycle instead of a K-cycle where it converges nearly as fast.
  void choose_cycle();
  void set_cycle_steps(int steps);
  void bootstrap(int level, SpinorField<T>& vectors);
  void make_bottom(int level);
  /// v = noise that minimal residuals have relaxed on S v = 0; right-hand sides from `first` on.
  void relax_noise(int level, SpinorField<T>& vectors, int first) const;
  /// Factor by which an iteration brings the residual down, measured once for each hierarchy that is built.
  double convergence();
  double measure_convergence() const;
  /// Seconds of the solver of `level`, of the first level of its cycle, and so of all levels below it.
  double seconds_of(int level) const;
  void complete_report();
  void tell(const std::string& progress) const;

  MultigridParameters parameters_;
  std::vector<MultigridCoarsening> coarsenings_;
  // For all levels that are built, one after the other: their lattices keep memory, tables and halos.
  std::vector<Aggregation> aggregations_;
  std::vector<std::unique_ptr<Level>> levels_;
  int cycle_steps_;
  int lower_bootstraps_ = 0;           // where their number is unset
  std::optional<double> convergence_;  // none: not measured since the last change
  MultigridReport report_;
};

extern template class Hierarchy<double>;
extern template class Hierarchy<float>;

}  // namespace kaon::detail
