// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/gauge_files.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/io/propagator_file.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kaon::apps {

/// The precisions of a solve.
struct SolvePrecisions {
  OuterPrecision outer;
  InnerPrecision inner;
};

// The words of --precision, --halo, --schur and --output-format.
inline constexpr OptionWord<SolvePrecisions> solve_precisions[] = {
    {"double-half", {OuterPrecision::of_operator, InnerPrecision::half}},
    {"double-single", {OuterPrecision::of_operator, InnerPrecision::single}},
    {"double", {OuterPrecision::of_operator, InnerPrecision::outer}},
    {"single-half", {OuterPrecision::single, InnerPrecision::half}},
    {"single", {OuterPrecision::single, InnerPrecision::outer}}};
inline constexpr OptionWord<HaloPrecision> halos[] = {
    {"field", HaloPrecision::field}, {"single", HaloPrecision::single}, {"half", HaloPrecision::half}};
inline constexpr OptionWord<std::optional<SchurForm>> schur_forms[] = {
    {"symmetric", SchurForm::symmetric}, {"asymmetric", SchurForm::asymmetric}, {"none", std::nullopt}};
inline constexpr OptionWord<io::PropagatorFormat> propagator_formats[] = {
    {"scidac", io::PropagatorFormat::scidac},
    {"usqcd", io::PropagatorFormat::usqcd_pairs},
    {"usqcd-scalar-source", io::PropagatorFormat::usqcd_scalar_source},
    {"grid", io::PropagatorFormat::grid},
    {"milc", io::PropagatorFormat::milc},
    {"pyquda", io::PropagatorFormat::pyquda},
    {"qdpxx", io::PropagatorFormat::qdpxx}};

/// The options of `kaon propagator`, as given.
struct PropagatorOptions {
  std::string gauge;                    ///< file; or, for tests,
  bool unit = false;                    ///< the unit field, or
  std::optional<double> weak;           ///< the unit field with noise of this size, on a lattice of
  std::string fat, long_links, phases;  ///< or files of smeared links, and what is folded into these
  GaugeInputOptions input{};

  QuarkOptions quark{.numbers = {.csw = not_set}};

  std::string source = "point";  ///< point, gaussian, wall-z2, wall, corner-wall or even-wall
  std::string source_site = "0,0,0,0";
  double smearing_width = 2.0;
  int smearing_steps = 20;
  std::uint64_t seed = 1;

  std::string solver = "auto";            ///< a word of `krylov_methods`
  std::string schur = "symmetric";        ///< a word of `schur_forms`; empty in plans of staggered actions
  SolveOptions numbers{};                 ///< the numbers of `solver_options`; no more of them
  std::string precision = "double-half";  ///< of the answer, and of the iterations where that differs
  std::optional<int> links;               ///< reals that the links of the iterations are stored in
  std::string halo = "field";             ///< field, single or half: of the iterations
  std::string multigrid_file;  ///< file of the near-null vectors of multigrid, which is written if it does not exist
  std::string eigenvectors;    ///< file of eigenvectors that deflate staggered solves; empty: none
  int eigenvector_bits = 64;   ///< of their numbers in memory
  std::string lanes = "native";

  bool pairs = false;  ///< pions of two different masses, too
  std::string output;
  std::string output_format = "scidac";  ///< scidac, usqcd, usqcd-scalar-source, grid or milc
  bool milc_projectors = false;          ///< gamma5 S gamma5 in the file
  std::string correlator;
};

/// Meaning of the options, after they have been checked.
struct PropagatorPlan {
  PropagatorOptions given;
  std::vector<FermionParameters> quarks{};  ///< one for each mass: several of staggered actions alone
  std::vector<std::string> mass_words{};    ///< as they were given
  Coordinates site{};
  int links = 0;  ///< reals of a link
  HaloPrecision halo = HaloPrecision::field;

  const FermionFamily& family() const { return family_of(quarks.front().action); }
  SolvePrecisions precisions() const { return value_of(solve_precisions, given.precision); }
  /// The answer is in single precision.
  bool single() const { return precisions().outer == OuterPrecision::single; }
};

/// The name of a file with something before its extension: prop_m0.05.lime.
std::string with_suffix(const std::string& file, std::string_view suffix);

/// The plan for one of the masses. Its files are named after the mass if there are several: prop_m0.05.lime for
/// prop.lime.
PropagatorPlan at_mass(const PropagatorPlan& plan, std::size_t n);

/// Options of the gauge field and of the action, in two groups of the help.
void add_operator_options(const Command& command, PropagatorOptions& options);
/// These, and those of source, solver and output.
void add_propagator_options(const Command& command, PropagatorOptions& options);

/// Declares the options for those numbers of solvers that are wanted.
void add_solver_numbers(const Command& command, SolveOptions& numbers,
                        const std::function<bool(const SolverOption&)>& is_wanted);
/// Throws `Failure` for numbers out of range.
void check_solver_numbers(const SolveOptions& numbers);
/// Throws `Failure` for an option of solvers that the command line has and none of these methods reads: it has no
/// meaning under the condition, "with --solver auto".
void refuse_unread_options(const std::set<std::string>& named, const std::vector<KrylovMethod>& methods,
                           const std::string& condition);
/// Declares the options of solvers of `kaon propagator`.
void add_solver_options(const Command& command, PropagatorOptions& options);
/// Sets tolerance, links and halos of the iterations. Throws `Failure` for options that contradict each other or have
/// no effect.
void check_solver(PropagatorPlan& plan);

/// Throws `Failure`, naming the option at fault, for options of `add_operator_options` that contradict each other or
/// make no sense.
PropagatorPlan check_operator(const PropagatorOptions& options);
/// Checks all options in the same way.
PropagatorPlan check(const PropagatorOptions& options);

}  // namespace kaon::apps
