// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quarks/forecast.hpp"
#include "quarks/solve_records.hpp"

#include <kaon/quarks/solve_options.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/solver.hpp>

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace kaon::detail {

/// The cost of multigrid in iterations of a Krylov solver for one right-hand side.
struct MultigridPrice {
  int iterations_of_setup;
  int iterations_of_solve;
};
/// The price in iterations of conjugate gradients of staggered quarks: measured on GPUs, HISQ (docs/decisions.md 41).
inline constexpr MultigridPrice price_in_cg{.iterations_of_setup = 30000, .iterations_of_solve = 500};
/// The price before a setup has been timed, for n right-hand sides (docs/decisions.md 25).
MultigridPrice usual_price(KrylovMethod method, const Lattice& lattice, int n);

/// A record has been wrong when a solve takes that many times its iterations.
inline constexpr double wrong_record = 1.3;

/// A Krylov solve, from which the choice is made.
struct Outlook {
  int right_hand_sides;
  int done;                  ///< iterations
  double needed;             ///< iterations of the whole solve
  bool is_recorded = false;  ///< `needed` is that of an earlier solve, and not a forecast
  int allowed;               ///< iterations
  double part_left;          ///< of the orders of magnitude
  int lost;                  ///< iterations of earlier solves beyond the cost of multigrid's
  double cost = 1.0;         ///< of an iteration, in those of the price
  bool is_changed = false;   ///< the precision is not the first one
};
/// Iterations end here, and multigrid continues.
struct Leave {
  const char* reason = nullptr;    ///< the notice why; null: the iterations continue
  double worst_convergence = 1.0;  ///< with a larger factor (`MultigridParameters`) multigrid takes longer than they do
  /// The iterations that a solve by multigrid replaces; infinite: any number.
  double iterations = std::numeric_limits<double>::infinity();

  /// Returns whether a solve by multigrid took longer, because its fallback had to continue.
  bool was_wrong(const SolveResult& result) const;
};
/// The costs that are known for a number of right-hand sides.
struct KnownCosts {
  SolveRecord record{};
  bool is_recorded = false;
  double last_cost = 0.0;  ///< of the last Krylov solve, in iterations of the price
};
/// A multigrid that has been given up may be tried again when solves have lost what so many setups cost.
inline constexpr double setups_between_tries = 32.0;
/// Results of a series of solves that later ones of it use.
struct SeriesOfSolves {
  int lost = 0;          ///< iterations beyond those that multigrid's solves cost; negative after it was given up
  bool possible = true;  ///< multigrid, as far as is known
  std::map<int, KnownCosts> known{};  ///< by the number of right-hand sides
};
/// The notice that a multigrid which was wrong is given up.
inline constexpr const char* not_converged = "multigrid has not converged here: later solves are without it";
/// Decides whether multigrid continues: it is faster, or the iterations do not converge within their bound. After a
/// change of precision the residual is constant during most of the iterations, and forecasts are too long: multigrid
/// continues only if the iterations that are left can cost as much as two setups.
Leave leave(const MultigridPrice& price, const Outlook& outlook);
/// Returns the factor with which multigrid takes twice as long for the part `part_left` of the orders of magnitude as
/// `iterations` of the Krylov solver: prices and forecasts are wrong by factors, and others may follow.
double slowest_convergence(const MultigridPrice& price, double iterations, double part_left = 1.0);
/// Decides whether multigrid continues where all iterations have failed: not if their bound is too small for it.
Leave leave_after_failure(int allowed);
/// Has the right-hand sides of a solve continue that such a reason has stopped.
void resume(SolveResult& result);

/// Solves by a Krylov solver, or by multigrid if that is predicted to be faster.
///
/// The residuals of the Krylov solve predict how many iterations remain (`Forecast`). When these cost more than a setup
/// of multigrid and the rest of the solve by it, multigrid is built and continues. The iterations of earlier solves
/// beyond the price of multigrid are added to the remaining ones, because later solves are expected to be as many as
/// the earlier ones. A series of short solves therefore takes at most about twice the time of the better method, and if
/// solves are short, nothing is built (docs/decisions.md 25).
///
/// With records (`Methods::recall`), the iterations, the times of an iteration, of the setup and of a solve by
/// multigrid are those of earlier solves, and the choice is made after `early_iterations`, which show whether the
/// record fits. Times are the least of all runs, because other programs only make them longer. A recorded price of
/// multigrid above the usual one counts only after two setups: a disturbed run excludes multigrid once at most. All
/// processes decide alike: they have the same residuals and the same records, and read no clock to decide.
///
/// The setup measures the convergence of multigrid. With a factor that makes multigrid slower than the iterations which
/// it should replace, they continue, and multigrid is not tried again for this operator. So a wrong choice costs a
/// setup, which is less than the forecast of what remained. A multigrid whose solve fails is given up, too. Later
/// solvers of the series, whose operators are others, try it again after `setups_between_tries`.
///
/// Iterations that a record or the forecast predicts not to converge within `max_iterations` are left for multigrid at
/// any price. If the Krylov solver fails, those in higher precision continue; with a record, later solves start with
/// them if it failed early. Multigrid is built if all fail, or if one stagnates when fewer iterations are left than it
/// was predicted to need, unless `max_iterations` is below 100.
template <class T>
class AutomaticSolver final : public Solver<T> {
 public:
  /// The solvers, all of one operator.
  struct Methods {
    struct Krylov {
      std::function<Ref<Solver<T>>()> make;
      double cost = 1.0;  ///< of an iteration, in those of the price
    };
    /// Krylov solvers, each in a higher precision than the one before.
    std::vector<Krylov> krylov;
    /// Throws `Error` where it cannot be built, or its convergence is worse than `worst_convergence`.
    std::function<Ref<Solver<T>>(double worst_convergence)> multigrid;
    std::function<void()> drop_multigrid{};  ///< what else holds it; null: nothing
    std::function<MultigridPrice(int n)> price;
    /// Records of solves for n right-hand sides, which all processes get alike; null: there are none.
    std::function<SolveRecord(int n)> recall{};
    std::function<void(int n, const SolveRecord&)> remember{};
    std::function<double()> clock{};  ///< seconds, read only for records
    /// Shared by the solvers of a series.
    std::shared_ptr<SeriesOfSolves> series = std::make_shared<SeriesOfSolves>();
  };
  /// `max_iterations`: of the Krylov solvers together, for each right-hand side.
  AutomaticSolver(Methods methods, int max_iterations, const FallbackParameters& fallback);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return krylov(0).solved_operator(); }
  double tolerance() const override { return krylov(0).tolerance(); }

 private:
  /// A Krylov solve with a receiver that ends it when multigrid pays.
  struct Watched {
    SolveResult result;
    Forecast forecast;
    double seconds = 0.0;
    Leave leave{};
  };
  /// The iterations so far, without precisions that later solves skip.
  struct Timed {
    int iterations = 0;
    double seconds = 0.0;
    double cost = 0.0;  ///< of all precisions, in iterations of the price
    int early_fall = 0;
    std::size_t skipped = 0;  ///< precisions
  };

  /// Krylov solver number i, made at its first use.
  const Solver<T>& krylov(std::size_t i) const;
  KnownCosts& known(int n) const;
  /// Returns how many precisions solves skip, because these have failed early in a recorded one.
  std::size_t skipped(int n) const;
  MultigridPrice price(int n) const;
  /// Solves by Krylov solver number i, where all of them together have `allowed` iterations left.
  Watched watch(std::size_t i, const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                const SolveRequest& request, int allowed) const;
  /// Counts and records a solve by Krylov solver number i, and decides whether multigrid continues. `total`: of all
  /// solvers so far, which together have `allowed` iterations.
  Leave after(std::size_t i, const Watched& watched, const SolveResult& total, int allowed, Timed& timed) const;
  SolveResult by_multigrid(const SolveResult& total, SpinorField<T>& x, const SpinorField<T>& b,
                           const SolveRequest& request, double part_left) const;
  void record(int n, const Timed& timed, double needed) const;
  void record_forecast(int n, const Timed& timed, double needed) const;
  void remember(int n, const SolveRecord& record) const;
  double seconds() const { return methods_.recall ? methods_.clock() : 0.0; }
  /// Multigrid, if it can be built and converges as `leave` demands.
  bool build(const Leave& leave, int n) const;
  /// Adds the iterations of a solve for n right-hand sides, in those of the price, beyond a solve by multigrid.
  void add_loss(int n, double iterations) const;
  /// Ends all use of multigrid for this operator, and for later ones until solves have lost that many of its setups.
  void give_up(int n, const std::string& why, double setups = setups_between_tries) const;

  Methods methods_;
  int max_iterations_;
  FallbackParameters fallback_;
  mutable std::vector<std::optional<Ref<Solver<T>>>> krylov_;
  mutable std::optional<Ref<Solver<T>>> multigrid_;
  mutable Leave leave_{};  // to multigrid, once it is built
};

}  // namespace kaon::detail
