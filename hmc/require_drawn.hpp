// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <fmt/format.h>

#include <string>

namespace kaon::detail {

/// Throws `Error` unless pseudofermions of a term are on the lattice of the links.
inline void require_drawn_on(const SpinorField<double>& pseudofermions, const GaugeField<double>& links,
                             const std::string& term) {
  require(pseudofermions.lattice() == links.lattice(), [&] {
    const auto extents = [](const Lattice& lattice) {
      const Coordinates& x = lattice.extents();
      return fmt::format("{}x{}x{}x{}", x[0], x[1], x[2], x[3]);
    };
    return fmt::format(
        "{}: the pseudofermions were drawn on a lattice {} and the links are on another one, {}: draw them "
        "on these links first",
        term, extents(pseudofermions.lattice()), extents(links.lattice()));
  });
}

}  // namespace kaon::detail
