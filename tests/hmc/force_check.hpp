// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/initial_links.hpp"
#include "tests/reference/fermion_action.hpp"
#include "tests/reference/vectors.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/action_term.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace kaon::test {

inline GaugeField<double> rough_links(const Lattice& lattice, double width = 0.4) {
  return weak_links<double>(lattice, width, 5);
}

/// The force of a term is the derivative of its value along random momenta of all links, by differences of order 6: to
/// `tolerance` of the force.
inline void expect_force_is_derivative(ActionTerm& term, const GaugeField<double>& links, double tolerance) {
  const Lattice& lattice = links.lattice();
  GaugeField<double> matrices(lattice), momenta(lattice), moved(lattice);
  term.add_force(matrices, links);
  const reference::Links v = matrices.to_host();
  set_gaussian_momenta(momenta, 0.3, {.seed = 7});
  const reference::Links p = momenta.to_host();
  double along = 0.0, norm2 = 0.0;
  for (std::size_t link = 0; link < p.size(); link += 9) {
    for (std::size_t k = 0; k < 9; ++k) along += (p[link + k] * v[link + k % 3 * 3 + k / 3]).real();
  }
  for (std::size_t k = 0; k < p.size(); ++k) norm2 += std::norm(p[k]) + std::norm(v[k]);
  const double expected = reference::derivative_along(
      [&](const reference::Links& u) {
        moved.from_host(u);
        return term.value(moved);
      },
      links.to_host(), p, 0.02, lattice.extents());
  EXPECT_GT(std::abs(expected), 1e-4 * std::sqrt(norm2)) << term.name();
  EXPECT_NEAR(along, expected, tolerance * norm2) << term.name();
}

/// Terms of one S, drawn at `links` with the same noise, have its value, relative to that, and its force at `others`.
inline void expect_same(ActionTerm& term, ActionTerm& expected, const GaugeField<double>& links,
                        const GaugeField<double>& others, double of_value, double of_force) {
  GaugeField<double> found(links.lattice()), wanted(links.lattice());
  for (ActionTerm* each : {&term, &expected}) each->draw(links, {.seed = 3});
  EXPECT_NEAR(term.value(others) / expected.value(others), 1.0, of_value) << term.name();
  term.add_force(found, others);
  expected.add_force(wanted, others);
  EXPECT_LT(reference::relative_difference(found.to_host(), wanted.to_host()), of_force) << term.name();
  EXPECT_GT(term.iterations(), 0);
}

}  // namespace kaon::test
