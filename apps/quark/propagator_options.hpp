// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/gauge_input.hpp"
#include "apps/quark/domain_wall_options.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kaon::apps {

/// The options of `kaon propagator`, as given.
struct PropagatorOptions {
  std::string gauge;                    ///< file; or, for tests,
  bool unit = false;                    ///< the unit field, or
  std::optional<double> weak;           ///< the unit field with noise of this size, on a lattice of
  std::string fat, long_links, phases;  ///< or files of smeared links, and what is folded into these
  GaugeInputOptions input{};

  /// one of `action_words`; empty: by csw and --fat
  std::string action;
  std::string mass;  ///< of staggered actions, several
  std::optional<double> kappa, mu, epsilon;
  std::optional<double> csw, csw_spatial, csw_temporal;
  Anisotropy anisotropy{};
  std::optional<double> u0;   ///< asqtad
  std::string naik_epsilons;  ///< HISQ: one, or one for each mass
  DomainWallOptions domain_wall{};
  std::string boundary = "periodic,periodic,periodic,antiperiodic";

  std::string source = "point";  ///< point, gaussian, wall-z2, wall, corner-wall or even-wall
  std::string source_site = "0,0,0,0";
  double smearing_width = 2.0;
  int smearing_steps = 20;
  std::uint64_t seed = 1;

  std::string solver = "auto";            ///< auto, bicgstab, cgnr, cgne, gcr-dd, multigrid; staggered: cg, too
  std::string schur = "symmetric";        ///< symmetric, asymmetric or none
  SolveOptions numbers{};   ///< the numbers of `solver_options`; no more of them
  std::string precision = "double-half";  ///< of the answer, and of the iterations where that differs
  std::optional<int> links;               ///< reals that the links of the iterations are stored in
  std::string halo = "field";             ///< field, single or half: of the iterations
  std::string multigrid_file;             ///< with the near-null vectors of multigrid; made where there is none
  std::string eigenvectors;               ///< file of eigenvectors that deflate staggered solves; empty: none
  int eigenvector_bits = 64;              ///< of their numbers in memory
  std::string lanes = "native";

  bool pairs = false;  ///< pions of two different masses, too
  std::string output;
  std::string output_format = "scidac";  ///< scidac; of staggered actions also usqcd and milc
  std::string correlator;

  std::set<std::string> named;  ///< options that the command line has, as "--mass"
};

/// Meaning of the options, after they have been checked.
struct PropagatorPlan {
  PropagatorOptions given;
  std::string action{};                   ///< one of `action_words`
  std::optional<FermionAction> family{};  ///< none: improved, of fat and long links in files
  bool clover = false;                    ///< with a clover term
  std::vector<double> masses{};           ///< of staggered actions, else `physics.mass` alone
  std::vector<std::string> mass_words{};  ///< as they were given
  std::vector<double> naik_epsilons{};    ///< of the masses
  double kappa = 0;
  TwistedCloverParameters physics{};  ///< of all actions together: each reads its own
  DomainWallParameters walls{};       ///< M5, L_s, b and c alone
  Coordinates site{};
  double tolerance = 0;
  int links = 0;  ///< reals of a link
  HaloPrecision halo = HaloPrecision::field;

  bool twisted() const { return family && family_of(*family).reads("mu"); }
  /// The non-degenerate twisted doublet.
  bool doublet() const { return family && family_of(*family).is_doublet(); }
  bool domain_wall() const { return family == FermionAction::domain_wall; }
  /// Vectors have slices, and solvers are those on M^dag M.
  bool has_slices() const { return doublet() || domain_wall(); }
  /// One of the staggered actions.
  bool staggered() const { return !family || family_of(*family).is_staggered(); }
  /// With fat and third links.
  bool improved() const { return !family || family_of(*family).links != FamilyLinks::thin; }
  /// The shape of sources and propagators: one right-hand side for each spin and colour of the source.
  SpinorParameters shape() const {
    const int spins = staggered() ? 1 : 4;
    return {.spins = spins, .right_hand_sides = 3 * spins};
  }
  /// The answer is in single precision.
  bool single() const { return given.precision == "single" || given.precision == "single-half"; }
};

/// The words of --action: the families of operators, and improved.
std::vector<std::string> action_words();

/// The name of a file with something before its extension: prop_m0.05.lime.
std::string with_suffix(const std::string& file, const std::string& suffix);

/// The plan for one of the masses, whose files are named after it where there are several: prop_m0.05.lime for
/// prop.lime.
PropagatorPlan at_mass(const PropagatorPlan& plan, std::size_t n);

/// Options of the gauge field and of the action, in two groups of the help.
void add_operator_options(const Command& command, PropagatorOptions& options);
/// These, and those of source, solver and output.
void add_propagator_options(const Command& command, PropagatorOptions& options);

/// Throws `Failure`, naming the option at fault, for options of `add_operator_options` that contradict each other or
/// make no sense.
PropagatorPlan check_operator(const PropagatorOptions& options);
/// The same for all options.
PropagatorPlan check(const PropagatorOptions& options);

}  // namespace kaon::apps
