// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/setup/convergence_probe.hpp"
#include "multigrid/setup/cycle.hpp"
#include "multigrid/setup/report.hpp"
#include "multigrid/setup/setup_policy.hpp"
#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/transfer.hpp"
#include "solvers/krylov/richardson.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/multigrid/parameters.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kaon::detail {

/// Makes the smoother of the first level: Richardson's method with these weights, minimal residuals without any.
template <class T>
using MakeSmoother = std::function<Ref<LinearOperator<T>>(const Weights&)>;

/// The levels of multigrid. T is the precision of fields and coarse operators.
///
/// The near-null vectors v_j of the first level begin as noise that Richardson's method on S v = 0 has relaxed, or as
/// given vectors; those of a level below begin as R v_j of the level above, and relaxed noise. A bootstrap replaces
/// each by a cycle's approximation of M^-1 v_j and builds all levels below anew (Brannick et al.; Frommer et al.,
/// arXiv:1303.1377). Before that they are made orthonormal as whole fields: without it all of them would turn to the
/// lowest modes.
template <class T>
class Hierarchy {
 public:
  /// Borrows, or owns, the operator `fine`, whose K is gamma5-Hermitian. Without `make_smoother` the first level has
  /// the smoother in T that others have. `wide_levels`, unless empty, take the place of the chosen ones where these
  /// converge badly. Throws `Error` for parameters that make no sense and for operators that do not give their hops
  /// direction by direction.
  Hierarchy(Ref<EvenOddOperator<T>> fine, MakeSmoother<T> make_smoother, const MultigridParameters& parameters,
            const std::vector<MultigridCoarsening>& wide_levels = {});
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

  void build(const Ref<EvenOddOperator<T>>& fine, const std::vector<MultigridCoarsening>& wide_levels);
  /// The lattices of `coarsenings_`.
  void aggregate(const Lattice& fine);
  /// With the spare memory of the fine lattice, on this process alone: halos stay.
  void drop_levels();
  void add_level(const Ref<EvenOddOperator<T>>& matrix);
  /// The levels below `level`. Its vectors begin as those of `begin`, the restricted ones of the level above, and
  /// noise. Of the first level: as given vectors, or noise, where there is no `begin`.
  void set_up(int level, const SpinorField<T>* begin);
  void begin_first(SpinorField<T>& vectors);
  /// As often as it pays.
  void bootstrap_first(SpinorField<T>& vectors);
  /// Reports on the first level after `step` bootstraps. Whether it bootstraps again.
  bool goes_on_after(int step);
  /// v = noise that Richardson's method has relaxed on S v = 0; right-hand sides from `first` on.
  void begin_with_noise(int level, SpinorField<T>& vectors, int first) const;
  /// The weights that leave least of S v for noise v.
  Weights relaxation_weights(const EvenOddSystem<T>& system) const;
  /// Drops the levels below `level` and builds them anew of its vectors.
  void build_below(int level, const SpinorField<T>& vectors);
  /// Improves the vectors of `level` by its cycle, and builds the levels below of them.
  void bootstrap(int level, SpinorField<T>& vectors);
  /// The cycle of `level` and, below the first, the solver that is made of it. The next level has its own.
  void make_cycle(int level);
  /// Takes a V-cycle instead of a K-cycle where it converges nearly as fast.
  void choose_cycle();
  void set_cycle_steps(int steps);
  void make_bottom(int level);
  /// A last level that is not inverted.
  void iterate_bottom(int level, const Weights& weights);
  /// With these weights, or minimal residuals without any.
  void make_smoother(int level, const Weights& weights);
  Ref<LinearOperator<T>> smoother_with(int level, const Weights& weights) const;
  /// Takes fixed weights for the smoothers, and for a last level that iterates, where cycles converge nearly as fast:
  /// they have no sums over processes then.
  void fix_weights();
  int smoothing_degree() const;
  /// Of `level` and those below, with the weights that suit a cycle with source r.
  void fix_weights(int level, const SpinorField<T>& r);
  /// Factor by which an iteration brings the residual down, measured once for each hierarchy that is built.
  double convergence();
  ConvergenceFactors measure(Probe probe);
  void complete_report();
  /// Runs a part of the setup, which is no part of another one, and adds up its seconds under its name.
  template <class Body>
  void timed(const char* part, const Body& body) {
    const Execution& execution = aggregations_.front().fine().execution();
    execution.fence("kaon::multigrid part");
    Kokkos::Timer timer;
    body();
    execution.fence("kaon::multigrid part");
    add_seconds(report_, part, timer.seconds());
  }
  void tell(const std::string& progress) const;

  MultigridParameters parameters_;
  MakeSmoother<T> make_smoother_;
  std::vector<MultigridCoarsening> coarsenings_;
  // For all levels that are built, one after the other: their lattices keep memory, tables and halos.
  std::vector<Aggregation> aggregations_;
  std::vector<std::unique_ptr<Level>> levels_;
  int cycle_steps_;
  SetupPolicy policy_;
  std::optional<double> convergence_;  // none: not measured since the last change
  MultigridReport report_;
};

extern template class Hierarchy<double>;
extern template class Hierarchy<float>;

}  // namespace kaon::detail
