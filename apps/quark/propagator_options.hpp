// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/files/gauge_files.hpp"
#include "apps/quark/quark_options.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <cstdint>
#include <optional>
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

  QuarkOptions quark{};

  std::string source = "point";  ///< point, gaussian, wall-z2, wall, corner-wall or even-wall
  std::string source_site = "0,0,0,0";
  double smearing_width = 2.0;
  int smearing_steps = 20;
  std::uint64_t seed = 1;

  std::string solver = "auto";            ///< auto, bicgstab, cgnr, cgne, gcr-dd, multigrid; staggered: cg, too
  std::string schur = "symmetric";        ///< symmetric, asymmetric or none; empty in plans of staggered actions
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
  std::string output_format = "scidac";  ///< scidac; of staggered actions also usqcd and milc
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
  /// The answer is in single precision.
  bool single() const { return given.precision == "single" || given.precision == "single-half"; }
};

/// The name of a file with something before its extension: prop_m0.05.lime.
std::string with_suffix(const std::string& file, const std::string& suffix);

/// The plan for one of the masses. Its files are named after the mass if there are several: prop_m0.05.lime for
/// prop.lime.
PropagatorPlan at_mass(const PropagatorPlan& plan, std::size_t n);

/// Options of the gauge field and of the action, in two groups of the help.
void add_operator_options(const Command& command, PropagatorOptions& options);
/// These, and those of source, solver and output.
void add_propagator_options(const Command& command, PropagatorOptions& options);

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
