// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/multigrid/report.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaon {

/// A propagator in four dimensions, from one source.
template <class T>
struct Propagator {
  /// "propagator"; of doublets "0", "1_to_0", "0_to_1" and "1", from one flavour to another, in this order; of domain
  /// wall quarks with an even number of slices also "midpoint" (`take_midpoint`), and `current_fields`.
  std::string name;
  SpinorField<T> field;
};

/// The name of the fields of domain wall quarks in five dimensions of which conserved currents are made
/// (`set_current_fields`). They have the memory of L_s propagators.
inline constexpr std::string_view current_fields = "current_fields";

/// The propagators of one quark from one source, and the solve that they are from.
template <class T>
struct QuarkPropagators {
  double mass = 0.0;
  std::vector<Propagator<T>> propagators;
  /// `axial_current` of domain wall quarks, summed over right-hand sides; empty for others, for coefficients by slice,
  /// and in builds without hops along one direction.
  std::vector<double> axial_current{};
  /// Right-hand sides of doublets are those from flavour 0, then those from flavour 1. Residuals are those of the whole
  /// system, of domain wall quarks in five dimensions.
  SolveResult solve{};

  /// Returns the field of a name. For an unknown name throws `Error`, which lists the known ones.
  const SpinorField<T>& at(std::string_view name) const;
  /// Returns a pointer to the field of a name; null for an unknown name.
  const SpinorField<T>* find(std::string_view name) const;
};

/// The accuracy of one solve, where it differs from that of the solver.
struct SolveAccuracy {
  double tolerance = 0.0;  ///< bound on the relative residual; 0: that of the solver
  int iterations = 0;      ///< bound on the iterations; 0: that of the solver
  bool operator==(const SolveAccuracy&) const = default;
};

/// Solves for the propagators from the sources `eta`, a field of one slice on all sites with any number of right-hand
/// sides; for those with the names in `wanted`, which may have "axial_current", or if it is empty for all except
/// `current_fields`. Domain wall quarks have q = (D_ov(m)^-1 - 1)/(1 - m) eta: `set_wall_source`, a solve in five
/// dimensions, `take_walls`. Not converging is a result, not an exception. Collective. Throws `Error` for names that
/// the operator does not have, for fields that do not fit, and as the solver does. `QuarkPropagators::mass` is not set.
///
/// Slices share the links of a hop as right-hand sides do. Right-hand sides of domain wall quarks are therefore solved
/// in groups of at most 32 slices together, which saves memory and costs no time. If the solver shares work among them
/// (`Solver::shares_work`), the memory alone bounds a group. The sources in the two flavours of a doublet are solved in
/// sequence. After a group that `on_iteration` stops, the next ones stop at once.
template <class T>
QuarkPropagators<T> propagate(const Solver<T>& solver, const SpinorField<T>& eta,
                              std::span<const std::string> wanted = {}, const SolveAccuracy& accuracy = {});

/// Quarks whose solves share a Krylov space: one operator with one or more masses.
struct QuarkGroup {
  Quark<double> quark;
  std::vector<double> masses;         ///< of `quark`, if there is one mass; else of staggered quarks
  std::vector<std::size_t> places{};  ///< of the masses among all quarks; empty: in sequence
};

/// Makes the quarks of these parameters, in as few groups as possible: staggered quarks with the same links share one.
/// HISQ's links of all Naik epsilons are made together. Links that are fattened are first projected to SU(3), because
/// files round them, often to single precision. Throws `Error` as the operators do.
std::vector<QuarkGroup> quark_groups(const GaugeField<double>& links, std::span<const FermionParameters> quarks);

/// A multigrid that a solve uses.
struct MultigridUse {
  MultigridReport report;
  bool is_new = true;  ///< it was built since the last call
  std::size_t masses = 1;
  std::size_t masses_by_multigrid = 0;                    ///< of several masses, after their solve: the lightest ones
  std::function<SpinorField<float>()> near_null_vectors;  ///< for `MultigridParameters::near_null_vectors`
};

struct PropagateOptions {
  /// May have near-null vectors and eigenvectors that exist already. With `OuterPrecision::single`, staggered quarks
  /// are solved for in double by iterations in single precision, which cost no more.
  SolveOptions solver{};
  bool keep_history = false;  ///< fills `SolveResult::history`; masses of one group have one history
  bool keep_solvers = true;   ///< false: frees the solver of a group after each solve, for one source
  /// Called before a solve if multigrid has been built, and after it if it exists. Collective.
  std::function<void(const MultigridUse&)> on_multigrid{};
};

/// The operators and solvers of some quarks, which serve any number of sources and sequential sources with one
/// multigrid setup for each group. The solver of a group is made in its first solve; near-null vectors of one group
/// start the multigrid of the next one whose operator has fields of the same shape. Not converging is a result, not an
/// exception.
///
///   const std::array quarks{FermionParameters{.action = FermionAction::hisq, .mass = 0.01},
///                           FermionParameters{.action = FermionAction::hisq, .mass = 0.05}};
///   QuarkSolvers solvers(quark_groups(links, quarks));
///   for (const auto& quark : solvers.propagate(links, {.site = {0, 0, 0, 4}})) require_converged(quark.solve);
class QuarkSolvers {
 public:
  /// Throws `Error` for no quark and for places that are not those of the quarks.
  explicit QuarkSolvers(std::vector<QuarkGroup> groups, const PropagateOptions& options = {});

  const std::vector<QuarkGroup>& groups() const;

  /// Makes the solver of a group, if that is not made yet. Collective. Throws `ParameterError` for near-null vectors
  /// and eigenvectors that do not suit the quarks, and `Error` as the solvers do.
  void set_up(std::size_t group);

  /// Ends the choice of `KrylovMethod::automatic` for a group: its later solves are by multigrid if that has been
  /// built, and otherwise never. Collective. Throws as `set_up`.
  void settle_method(std::size_t group);

  /// Solves for the quarks of a group, in the order of its masses, from any sources `eta`: `wanted` and `accuracy` are
  /// as above. Collective. Throws as `set_up` and the solvers do.
  std::vector<QuarkPropagators<double>> propagate(std::size_t group, const SpinorField<double>& eta,
                                                  std::span<const std::string> wanted = {},
                                                  const SolveAccuracy& accuracy = {});
  /// Solves for one quark, which is named by its place: from sequential sources, say.
  QuarkPropagators<double> propagate_one(std::size_t quark, const SpinorField<double>& eta,
                                         std::span<const std::string> wanted = {}, const SolveAccuracy& accuracy = {});
  /// Solves for all quarks, in the order of their places, from one source, whose smearing is by `links`. Collective.
  /// Throws also as `set_sources`.
  std::vector<QuarkPropagators<double>> propagate(const GaugeField<double>& links, const SourceParameters& source);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace kaon
