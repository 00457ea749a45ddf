// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/requirements.hpp"

#include <kaon/core/error.hpp>
#include <kaon/hmc/action_term.hpp>

#include <fmt/format.h>

namespace kaon {

void detail::require_usable(const SolveOptions& solver) {
  for (const double tolerance : {solver.tolerance, solver.force_tolerance}) {
    require(tolerance > 0.0 && tolerance < 1.0, [&] {
      return fmt::format("the tolerance {} of an action's solves does not lie between 0 and 1", tolerance);
    });
  }
  require(solver.max_iterations > 0,
          [&] { return fmt::format("the solves of an action need iterations, not {}", solver.max_iterations); });
}

const SpinorField<double>& FermionTerm::pseudofermions() const {
  require(phi_.has_value(),
          [&] { return fmt::format("{}: there are no pseudofermions yet: draw them first", name()); });
  return *phi_;
}

const SpinorField<double>& FermionTerm::begin_after_draw(const GaugeField<double>& links) {
  const SpinorField<double>& phi = pseudofermions();
  require(phi.lattice() == links.lattice(), [&] {
    return fmt::format(
        "{}: the pseudofermions were drawn on a lattice {} and the links are on another one, {}: draw them "
        "on these links first",
        name(), to_string(phi.lattice().extents()), to_string(links.lattice().extents()));
  });
  begin(links);
  return phi;
}

}  // namespace kaon
