// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/hmc/integrator.hpp>

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <vector>

namespace kaon {

struct HybridMonteCarloParameters {
  double length = 1.0;  ///< t of a trajectory
  std::uint64_t seed = 0;
  bool accept_all = false;  ///< for the first trajectories from a start that is far from equilibrium
  /// Solutions of a trajectory whose combination with the smallest residual starts the next solve for a force
  /// (`ActionTerm::set_forecast`): fewer iterations, and trajectories that are as reversible as `force_tolerance` is
  /// small.
  int forecast = 0;
};

/// Causes that end a trajectory early.
enum class TrajectoryFailure {
  solve,  ///< a `SolveError`: a solver did not converge, or eigenvalues are outside the range of a rational function
  steps,  ///< steps are too large: H is no longer finite, or links are further than 1e-5 from unitary
  term    ///< another error of a term of the action
};

/// Why a trajectory did not come to its end.
class TrajectoryError final : public Error {
 public:
  explicit TrajectoryError(const std::string& message, TrajectoryFailure failure,
                           std::source_location where = std::source_location::current())
      : Error(message, where), failure_(failure) {}
  TrajectoryFailure failure() const { return failure_; }

 private:
  TrajectoryFailure failure_;
};

/// Result of a trajectory.
struct TrajectoryReport {
  double delta_energy = 0.0;  ///< change of H = sum (|P|^2/2 - 4) + S; <exp(-delta_energy)> = 1 in equilibrium
  bool accepted = false;
  double plaquette = 0.0;  ///< of the links that the trajectory leaves, `Plaquette::average`
  long iterations = 0;     ///< of solvers
  double seconds = 0.0;
};

/// How far links and momenta are from where they started, after a trajectory there and back.
struct Reversal {
  double delta_energy = 0.0;  ///< H at the end less H at the start
  double links = 0.0;         ///< largest difference of a real number of the links
  long iterations = 0;        ///< of the forces of the trajectory
  long without_forecast = 0;  ///< the same by solves from zero, with forecasts alone
};

/// Hybrid Monte Carlo: links with the distribution exp(-S), S the sum of the terms. A trajectory draws Gaussian momenta
/// and pseudofermions, integrates the equations of motion (`integrate`), and takes the new links with the probability
/// min(1, exp(-(H' - H))).
///
///   auto quarks = two_flavor_terms({.action = FermionAction::wilson_clover, .mass = -0.5, .csw = 1.8});
///   HybridMonteCarlo hmc({{.terms = quarks, .steps = 8}, {.terms = {gauge}, .steps = 4}}, {.seed = 1});
///   for (std::uint32_t n = 0; n < 100; ++n) report(hmc.trajectory(links, n));
///
/// The random numbers depend on the seed, the number of the trajectory and the terms alone: a run that is stopped and
/// resumed goes the way of one that is not, as far as the tolerances of solves reach. (The levels of a multigrid
/// continue from trajectory to trajectory, and seconds decide on its setups.) Source: S. Duane, A. D. Kennedy, B. J.
/// Pendleton and D. Roweth, Phys. Lett. B 195 (1987) 216.
class HybridMonteCarlo {
 public:
  /// Shares the terms. Throws `Error` for what `integrate` refuses, for a term that occurs twice, and for a length that
  /// is not above zero.
  explicit HybridMonteCarlo(std::vector<TimeScale> scales, const HybridMonteCarloParameters& parameters = {});

  const std::vector<TimeScale>& scales() const { return scales_; }
  const HybridMonteCarloParameters& parameters() const { return parameters_; }

  /// Trajectory `number` from `links`, which are brought back to SU(3) to rounding. Collective. Throws
  /// `TrajectoryError` where it does not come to its end, and `Error` for compressed links, for links further than
  /// 1e-5 from SU(3), for links on which a term cannot begin, and where processes were given other numbers or seeds;
  /// links remain as they are then.
  TrajectoryReport trajectory(GaugeField<double>& links, std::uint32_t number);
  /// A trajectory there and back, which leaves the links as they are: what the solvers' tolerances do to
  /// detailed balance.
  Reversal reverse(const GaugeField<double>& links, std::uint32_t number);

 private:
  /// Links and momenta of a trajectory running.
  struct State {
    GaugeField<double> links, momenta;
    long iterations = 0;  ///< of the forces along the first length
  };
  State begin(const GaugeField<double>& links, std::uint32_t number);
  /// Draws what trajectory `number` needs with forecasts from a number of solutions, and goes along it by `lengths` in
  /// turn; returns the change of H.
  double run(State& state, std::uint32_t number, int forecast, std::initializer_list<double> lengths);
  long iterations() const;

  std::vector<TimeScale> scales_;
  HybridMonteCarloParameters parameters_;
  std::vector<std::shared_ptr<ActionTerm>> terms_;  // of all scales
};

}  // namespace kaon
