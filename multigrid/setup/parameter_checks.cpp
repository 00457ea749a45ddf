// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/parameter_checks.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/solver.hpp>

#include <fmt/format.h>

namespace kaon::detail {

void require_parameters(const MultigridParameters& parameters) {
  const auto at_least = [](int value, int least, const char* what) {
    require(value >= least, [&] { return fmt::format("multigrid needs at least {} {}, got {}", least, what, value); });
  };
  at_least(parameters.smoothing_steps.value_or(1), 1, "smoothing steps");
  at_least(parameters.cycle_steps.value_or(1), 1, "steps of a cycle");
  at_least(parameters.krylov_space, 1, "directions of GCR");
  at_least(parameters.relaxation_steps, 1, "relaxation steps");
  at_least(parameters.max_bootstraps, 0, "bootstraps");
  at_least(parameters.max_iterations, 1, "iterations");
  require_tolerance(parameters.tolerance);
}

void require_vectors(const SpinorField<float>& given, const Lattice& fine, const SpinorParameters& domain,
                     int vectors) {
  require(given.lattice() == fine, [&] {
    return fmt::format(
        "the given near-null vectors are on another lattice ({}, {} on each process) than the operator ({}, {}): give "
        "vectors on the operator's lattice",
        to_string(given.lattice().extents()), to_string(given.lattice().local_extents()), to_string(fine.extents()),
        to_string(fine.local_extents()));
  });
  require(given.subset() == Subset::full && given.spins() == domain.spins && given.colors() == domain.colors, [&] {
    return fmt::format(
        "the given near-null vectors have {} spins and {} colours on {}: give fields of {} spins and {} colours on all "
        "sites",
        given.spins(), given.colors(), given.subset() == Subset::full ? "all sites" : "one parity", domain.spins,
        domain.colors);
  });
  require(given.right_hand_sides() >= vectors, [&] {
    return fmt::format(
        "{} near-null vectors are given, but the first level of multigrid takes {}: give as many, or fewer for the "
        "first of `levels`",
        given.right_hand_sides(), vectors);
  });
}

}  // namespace kaon::detail
