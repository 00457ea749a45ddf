// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/option_values.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/solvers/schwarz.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace kaon::apps {

/// The options of `kaon propagator`, as given.
struct PropagatorOptions {
  std::string gauge;           ///< file; or, for tests,
  bool unit = false;           ///< the unit field, or
  std::optional<double> weak;  ///< the unit field with noise of this size, on a lattice of
  std::string size;
  LayoutOptions layout{};

  std::string action;  ///< wilson, clover, twisted-mass or staggered; empty: clover where csw is given, else wilson
  std::optional<double> mass, kappa, mu;
  std::optional<double> csw, csw_spatial, csw_temporal;
  Anisotropy anisotropy{};
  std::string boundary = "periodic,periodic,periodic,antiperiodic";

  std::string source = "point";  ///< point, gaussian or wall-z2
  std::string source_site = "0,0,0,0";
  double smearing_width = 2.0;
  int smearing_steps = 20;
  std::uint64_t seed = 1;

  std::string solver = "bicgstab";  ///< bicgstab, cgnr, cgne, gcr-dd or multigrid; staggered: cg
  std::string schur = "symmetric";  ///< symmetric, asymmetric or none
  std::optional<double> tolerance;
  int max_iterations = 10000;
  std::string precision = "double-half";  ///< of the answer, and of the iterations where that differs
  std::optional<int> links;               ///< reals that the links of the iterations are stored in
  std::string halo = "field";             ///< field, single or half: of the iterations
  double delta = SolverParameters{}.reliable_delta;
  int schwarz_steps = SchwarzParameters{}.steps;
  std::string multigrid_file;  ///< with the near-null vectors of multigrid; made where there is none
  std::string lanes = "native";

  std::string output;
  std::string correlator;

  std::set<std::string> named;  ///< options that the command line has, as "--mass"
};

/// What the options mean, once they have been checked.
struct PropagatorPlan {
  PropagatorOptions given;
  std::string action{};  ///< wilson, clover, twisted-mass or staggered
  bool clover = false;   ///< with a clover term
  double kappa = 0;
  TwistedCloverParameters physics{};  ///< of all actions together: each reads its own
  Coordinates extents{};              ///< of a field that is not read
  Coordinates site{};
  double tolerance = 0;
  int links = 0;  ///< reals of a link
  HaloPrecision halo = HaloPrecision::field;

  bool twisted() const { return action == "twisted-mass"; }
  bool staggered() const { return action == "staggered"; }
  /// The shape of sources and propagators: one right-hand side for each spin and colour of the source.
  SpinorParameters shape() const {
    const int spins = staggered() ? 1 : 4;
    return {.spins = spins, .right_hand_sides = 3 * spins};
  }
  /// The answer is in single precision.
  bool single() const { return given.precision == "single" || given.precision == "single-half"; }
};

void add_propagator_options(const Command& command, PropagatorOptions& options);

/// Throws `Failure`, naming the option at fault, for options that contradict each other or make no sense.
PropagatorPlan check(const PropagatorOptions& options);

}  // namespace kaon::apps
