// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/wilson_cases.hpp"
#include "tests/reference/fermion_action.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/solvers/krylov.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

// Forces are derivatives of actions: those of the slow reference, by finite differences along momenta.

namespace kaon::test::force {

inline constexpr Coordinates extents{4, 2, 2, 4};

inline std::vector<Lattice> lattices() {
  std::vector<Lattice> found;
  for (const Lanes lanes : {Lanes::native, Lanes::single})
    found.push_back(Lattice({.extents = extents, .lanes = lanes}));
  return found;
}

inline const std::vector<reference::RationalTerm> doublet{{1.0, 0.0}};
inline const std::vector<reference::RationalTerm> rational{{0.7, 0.05}, {-0.4, 0.8}};

inline reference::Spinor source(std::optional<int> parity) {
  std::mt19937_64 generator(3);
  const reference::Spinor phi = reference::random_spinor(extents, generator);
  return parity ? reference::restrict_to_parity(phi, *parity, extents) : phi;
}

inline Subset subset_of_case(std::optional<int> parity) {
  return !parity ? Subset::full : *parity == 0 ? Subset::even : Subset::odd;
}

/// Solutions by the slow reference.
inline SpinorField<double> solutions(const Lattice& lattice, const reference::WilsonOperator& slow,
                                     std::optional<int> parity, const std::vector<reference::RationalTerm>& terms) {
  SpinorField<double> x(lattice,
                        {.subset = subset_of_case(parity), .right_hand_sides = static_cast<int>(terms.size())});
  for (std::size_t k = 0; k < terms.size(); ++k) {
    x.from_host(solve_normal(slow, parity, terms[k].shift, source(parity)), static_cast<int>(k));
  }
  return x;
}

/// (M^dag M)^-1 phi of the operator on all sites, or of its asymmetric Schur complement on one parity.
template <class Dirac>
SpinorField<double> solution(const Dirac& dirac, const SpinorField<double>& phi) {
  SpinorField<double> x(phi.lattice(), phi.parameters());
  const auto solve = [&](const LinearOperator<double>& matrix) {
    require_converged(Cg<double>(NormalOperator<double>(matrix), {.tolerance = 1e-13}).solve(x, phi));
  };
  if (phi.subset() == Subset::full) {
    solve(dirac);
  } else {
    solve(Schur<double>(dirac, {SchurForm::asymmetric, parity_of(phi.subset())}));
  }
  return x;
}

inline std::vector<double> residues_of(const std::vector<reference::RationalTerm>& terms) {
  std::vector<double> residues;
  for (const auto& term : terms) residues.push_back(term.residue);
  return residues;
}

inline double norm(const reference::Links& values) { return std::sqrt(reference::norm2(values)); }

/// Re Tr(P V) summed over all links.
inline double along(const reference::Links& momenta, const reference::Links& matrices) {
  double sum = 0.0;
  for (std::size_t link = 0; link < momenta.size(); link += 9) {
    for (std::size_t k = 0; k < 9; ++k) sum += (momenta[link + k] * matrices[link + k % 3 * 3 + k / 3]).real();
  }
  return sum;
}

/// Gaussian momenta of all links, and of single links.
inline std::vector<reference::Links> test_momenta(const Lattice& lattice, std::size_t count) {
  GaugeField<double> gaussian(lattice);
  set_gaussian_momenta(gaussian, 0.3, {.seed = 5});
  std::vector<reference::Links> found{gaussian.to_host()};
  for (int k = 0; found.size() < count; ++k) {
    reference::Links one(found[0].size());
    const Coordinates x{k % 4, (k + 1) % 2, k / 2 % 2, (2 * k + 3) % 4};
    const auto offset = reference::link_offset(x, (k + 1) % 4, extents);
    std::copy_n(found[0].begin() + static_cast<std::ptrdiff_t>(offset), 9,
                one.begin() + static_cast<std::ptrdiff_t>(offset));
    found.push_back(one);
  }
  return found;
}

using Action = std::function<double(const reference::Links&)>;

/// The matrices are the derivative of the action along the first so many momenta.
inline void expect_derivative(const Action& action, const GaugeField<double>& links, const GaugeField<double>& matrices,
                              std::size_t count) {
  const reference::Links u = links.to_host(), v = matrices.to_host();
  constexpr double step = 0.02;
  for (const reference::Links& momenta : test_momenta(links.lattice(), count)) {
    const double expected = reference::derivative_along(action, u, momenta, step, extents);
    EXPECT_GT(std::abs(expected), 1e-4 * norm(momenta));
    EXPECT_NEAR(along(momenta, v), expected, 1e-9 * norm(momenta) * norm(v));
  }
}

struct ActionCase {
  std::optional<int> parity;
  std::vector<reference::RationalTerm> terms;
  std::size_t momenta;
};

/// The matrices of a case's operator are the derivative of its action: solutions on all sites and on one parity.
template <class Case>
void expect_pseudofermion_force(const Lattice& lattice, const Case& quarks) {
  const reference::WilsonParameters parameters = reference_parameters(quarks);
  for (const ActionCase& of : {ActionCase{{}, rational, 1}, ActionCase{0, doublet, 3}, ActionCase{1, rational, 1}}) {
    SCOPED_TRACE(describe(lattice, quarks) + (of.parity ? ", parity " + std::to_string(*of.parity) : ", all sites"));
    const GaugeField<double> links = random_links<double>(lattice);
    const reference::WilsonOperator slow(links.to_host(), extents, parameters);
    GaugeField<double> matrices(lattice);
    const auto dirac = make_operator<double>(links, quarks);
    const SpinorField<double> x = solutions(lattice, slow, of.parity, of.terms);
    add_fermion_force(matrices, *dirac, x, residues_of(of.terms));
    const reference::Spinor phi = source(of.parity);
    expect_derivative(
        [&](const reference::Links& u) {
          return pseudofermion_action(reference::WilsonOperator(u, extents, parameters), of.parity, of.terms, phi);
        },
        links, matrices, of.momenta);
    if (!of.parity) continue;
    GaugeField<double> together(lattice);
    add_fermion_force(together, *dirac, x, residues_of(of.terms), 2.0);
    add_determinant_force(matrices, *dirac, *of.parity == 0 ? Parity::odd : Parity::even, 2.0);
    EXPECT_LT(reference::relative_difference(together.to_host(), matrices.to_host()), 1e-13);
  }
}

/// The force of the logarithm of the determinant on each parity.
template <class Case>
void expect_determinant_force(const Case& quarks) {
  const reference::WilsonParameters parameters = reference_parameters(quarks);
  constexpr double flavors = 1.5;
  for (const int parity : {0, 1}) {
    const Action action = [&](const reference::Links& u) {
      return -flavors * log_determinant(reference::WilsonOperator(u, extents, parameters), parity);
    };
    for (const Lattice& lattice : lattices()) {
      SCOPED_TRACE(describe(lattice, quarks) + ", parity " + std::to_string(parity));
      const GaugeField<double> links = random_links<double>(lattice);
      GaugeField<double> matrices(lattice);
      add_determinant_force(matrices, *make_operator<double>(links, quarks), parity == 0 ? Parity::even : Parity::odd,
                            flavors);
      expect_derivative(action, links, matrices, 5);
    }
  }
}

}  // namespace kaon::test::force
