// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/wilson_cases.hpp"
#include "tests/reference/fermion_action.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

// Forces are derivatives of actions: those of the slow reference, by finite differences along momenta.
namespace kaon::test {
namespace {

constexpr Coordinates extents{4, 2, 2, 4};

std::vector<Lattice> lattices() {
  std::vector<Lattice> found;
  for (const Lanes lanes : {Lanes::native, Lanes::single})
    found.push_back(Lattice({.extents = extents, .lanes = lanes}));
  return found;
}

/// The cases of all operator tests, and periodic ones.
std::vector<FermionCase> force_cases() {
  std::vector<FermionCase> cases = fermion_cases();
  cases.push_back({"periodic Wilson", false, {.mass = 0.2, .boundary = periodic}});
  cases.push_back({"periodic clover", true, {.mass = 0.1, .csw = 1.3, .boundary = periodic}});
  return cases;
}

const std::vector<reference::RationalTerm> doublet{{1.0, 0.0}};
const std::vector<reference::RationalTerm> rational{{0.7, 0.05}, {-0.4, 0.8}};

reference::Spinor source(std::optional<int> parity) {
  std::mt19937_64 generator(3);
  const reference::Spinor phi = reference::random_spinor(extents, generator);
  return parity ? reference::restrict_to_parity(phi, *parity, extents) : phi;
}

Subset subset_of_case(std::optional<int> parity) {
  return !parity ? Subset::full : *parity == 0 ? Subset::even : Subset::odd;
}

/// Solutions by the slow reference.
SpinorField<double> solutions(const Lattice& lattice, const reference::WilsonOperator& slow, std::optional<int> parity,
                              const std::vector<reference::RationalTerm>& terms) {
  SpinorField<double> x(lattice,
                        {.subset = subset_of_case(parity), .right_hand_sides = static_cast<int>(terms.size())});
  for (std::size_t k = 0; k < terms.size(); ++k) {
    x.from_host(solve_normal(slow, parity, terms[k].shift, source(parity)), static_cast<int>(k));
  }
  return x;
}

std::vector<double> residues_of(const std::vector<reference::RationalTerm>& terms) {
  std::vector<double> residues;
  for (const auto& term : terms) residues.push_back(term.residue);
  return residues;
}

void add_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const SpinorField<double>& x,
               const std::vector<double>& residues) {
  if (const auto* clover = dynamic_cast<const WilsonClover<double>*>(&dirac)) {
    add_fermion_force(matrices, *clover, x, residues);
  } else {
    add_fermion_force(matrices, dynamic_cast<const Wilson<double>&>(dirac), x, residues);
  }
}

double norm(const reference::Links& values) {
  double sum = 0.0;
  for (const auto& z : values) sum += std::norm(z);
  return std::sqrt(sum);
}

/// Re Tr(P V) summed over all links.
double along(const reference::Links& momenta, const reference::Links& matrices) {
  double sum = 0.0;
  for (std::size_t link = 0; link < momenta.size(); link += 9) {
    for (std::size_t k = 0; k < 9; ++k) sum += (momenta[link + k] * matrices[link + k % 3 * 3 + k / 3]).real();
  }
  return sum;
}

/// Gaussian momenta of all links, and of single links.
std::vector<reference::Links> test_momenta(const Lattice& lattice, std::size_t count) {
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
void expect_derivative(const Action& action, const GaugeField<double>& links, const GaugeField<double>& matrices,
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

TEST(FermionForce, IsTheDerivativeOfTheAction) {
  const Lattice lattice({.extents = extents});
  for (const FermionCase& fermion : force_cases()) {
    const reference::WilsonParameters parameters = reference_parameters(fermion);
    for (const ActionCase& of : {ActionCase{{}, rational, 1}, ActionCase{0, doublet, 3}, ActionCase{1, rational, 1}}) {
      SCOPED_TRACE(describe(lattice, fermion) + (of.parity ? ", parity " + std::to_string(*of.parity) : ", all sites"));
      const GaugeField<double> links = random_links<double>(lattice);
      const reference::WilsonOperator slow(links.to_host(), extents, parameters);
      GaugeField<double> matrices(lattice);
      add_force(matrices, *make_operator<double>(links, fermion), solutions(lattice, slow, of.parity, of.terms),
                residues_of(of.terms));
      const reference::Spinor phi = source(of.parity);
      expect_derivative(
          [&](const reference::Links& u) {
            return pseudofermion_action(reference::WilsonOperator(u, extents, parameters), of.parity, of.terms, phi);
          },
          links, matrices, of.momenta);
    }
  }
}

TEST(FermionForce, IsTheSameInAllLanes) {
  for (const FermionCase& fermion : force_cases()) {
    for (const Subset subset : {Subset::full, Subset::even, Subset::odd}) {
      const auto force = [&](Lanes lanes) {
        const Lattice lattice({.extents = {8, 4, 4, 8}, .lanes = lanes});
        const GaugeField<double> links = random_links<double>(lattice);
        SpinorField<double> x(lattice, {.subset = subset, .right_hand_sides = 2});
        set_gaussian(x, {.seed = 11});
        GaugeField<double> matrices(lattice);
        add_force(matrices, *make_operator<double>(links, fermion), x, {0.3, -1.2});
        return matrices.to_host();
      };
      reference::Links native = force(Lanes::native);
      const reference::Links single = force(Lanes::single);
      for (std::size_t k = 0; k < single.size(); ++k) native[k] -= single[k];
      EXPECT_LT(norm(native), 1e-14 * norm(single)) << fermion.name;
    }
  }
}

TEST(DeterminantForce, IsTheDerivativeOfTheLogarithm) {
  for (const FermionCase& fermion : force_cases()) {
    if (!fermion.clover) continue;
    const reference::WilsonParameters parameters = reference_parameters(fermion);
    constexpr double flavors = 1.5;
    for (const int parity : {0, 1}) {
      const Action action = [&](const reference::Links& u) {
        return -flavors * log_determinant(reference::WilsonOperator(u, extents, parameters), parity);
      };
      for (const Lattice& lattice : lattices()) {
        SCOPED_TRACE(describe(lattice, fermion) + ", parity " + std::to_string(parity));
        const GaugeField<double> links = random_links<double>(lattice);
        GaugeField<double> matrices(lattice);
        add_determinant_force(matrices, WilsonClover<double>(links, fermion.parameters),
                              parity == 0 ? Parity::even : Parity::odd, flavors);
        expect_derivative(action, links, matrices, 5);
      }
    }
  }
}

// V is added to what is there.
TEST(FermionForce, IsAddedToMatrices) {
  const Lattice lattice({.extents = extents});
  const FermionCase fermion = fermion_cases()[3];
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> dirac(links, fermion.parameters);
  const SpinorField<double> x = gaussian<double>(lattice, 2);
  const std::vector<double> residues{0.3, -1.2};
  GaugeField<double> once(lattice), twice(lattice);
  add_fermion_force(once, dirac, x, residues);
  for (int k = 0; k < 2; ++k) add_fermion_force(twice, dirac, x, residues);
  reference::Links difference = twice.to_host();
  const reference::Links v = once.to_host();
  for (std::size_t k = 0; k < v.size(); ++k) difference[k] -= 2.0 * v[k];
  EXPECT_LT(norm(difference), 1e-14 * norm(v));
}

TEST(FermionForce, IsRefusedWhereItMakesNoSense) {
  const Lattice lattice({.extents = extents}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = random_links<double>(lattice);
  const WilsonClover<double> dirac(links, {.mass = 0.1});
  const SpinorField<double> x = gaussian<double>(lattice, 2);
  GaugeField<double> matrices(lattice), elsewhere(other);
  const std::vector<double> one{1.0}, two{1.0, std::nan("")}, good{1.0, 1.0};
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, x, one), "the force of 2 solutions with 1 residues");
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, x, two), "the residue nan of a force is not finite");
  KAON_EXPECT_ERROR(add_fermion_force(elsewhere, dirac, x, good), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_fermion_force(matrices, dirac, gaussian<double>(other, 2), good), "lattice");
  const WilsonClover<double> given(links, dirac.site_term(), {});
  KAON_EXPECT_ERROR(add_fermion_force(matrices, given, x, good), "needs its c_sw");
  FieldStrengthDerivative derivative(lattice);
  KAON_EXPECT_ERROR(
      add_log_determinant(derivative, invert_clover(dirac.site_term(), Subset::even), Parity::odd, {}, 1.0),
      "does not hold the parity");
  KAON_EXPECT_ERROR(add_field_strength_force(elsewhere, links, derivative), "must lie on one lattice");
  KAON_EXPECT_ERROR(add_field_strength_force(matrices, matrices, derivative), "must not be the links themselves");
  KAON_EXPECT_ERROR(add_clover_products(derivative, force_fields(dirac, x, x), {.spatial = std::nan("")}),
                    "the weight nan of a force is not finite");
}

}  // namespace
}  // namespace kaon::test
