// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/improved_cases.hpp"
#include "tests/operators/test_fields.hpp"
#include "tests/reference/flow.hpp"
#include "tests/reference/free_field.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/operators/fermion_flow.hpp>

#include <cmath>

namespace kaon {
namespace KAON_TEST_FILE {

using test::tolerance;
using test::weak_links;

constexpr LoopWeights all_weights[] = {wilson_weights, symanzik_weights};

TEST(FermionFlow, EqualsReference) {
  for (const Lattice& lattice : test::small_lattices()) {
    const Coordinates& extents = lattice.extents();
    const GaugeField<double> links = test::random_links<double>(lattice, 1);
    const SpinorField<double> chi = test::random_spinors<double>(lattice, 2, 2);
    for (const LoopWeights& weights : all_weights) {
      FermionFlow flow(links, chi, {.step = 0.05, .weights = weights, .time = 0.1});
      reference::Links flowed = links.to_host();
      std::vector<reference::Spinor> expected = test::to_host(chi);
      const reference::LoopWeights slow{weights.plaquette, weights.rectangle};
      for (int step = 0; step < 2; ++step) {
        for (auto& psi : expected) psi = reference::fermion_flow_step(psi, flowed, 0.05, slow, extents);
        flowed = reference::flow_step(flowed, 0.05, slow, extents);
      }
      flow.advance(1);
      flow.advance();
      EXPECT_DOUBLE_EQ(flow.time(), 0.1 + 2 * 0.05);
      EXPECT_LT(test::relative_difference(test::to_host(flow.fermions()), expected), tolerance<double>);
      EXPECT_LT(reference::relative_difference(flow.links().to_host(), flowed), tolerance<double>);
    }
  }
}

// Spins flow one as the other.
TEST(FermionFlow, TakesFermionsWithoutSpin) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = test::random_links<double>(lattice, 1);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 1, 2);
  const auto first_spin = [](const reference::Spinor& psi) {
    reference::Spinor one;
    for (std::size_t k = 0; k < psi.size(); k += 12) one.insert(one.end(), {psi[k], psi[k + 1], psi[k + 2]});
    return one;
  };
  SpinorField<double> without(lattice, {.spins = 1});
  without.from_host(first_spin(chi.to_host()));
  FermionFlow flow(links, chi), flow_without(links, without);
  flow.advance(3);
  flow_without.advance(3);
  EXPECT_EQ(flow_without.fermions().to_host(), first_spin(flow.fermions().to_host()));
}

// Delta has no positive eigenvalue: d|chi|^2/dt = 2 <chi, Delta chi> <= 0.
TEST(FermionFlow, LosesNormAtTheRateOfTheLaplaceOperator) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = test::random_links<double>(lattice, 1);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 1, 2);
  const reference::Spinor psi = chi.to_host();
  const reference::Spinor image = reference::laplace(psi, links.to_host(), lattice.extents());
  double rate = 0.0;
  for (std::size_t k = 0; k < psi.size(); ++k) rate += 2.0 * (std::conj(psi[k]) * image[k]).real();
  constexpr double step = 1e-4;
  FermionFlow flow(links, chi, {.step = step});
  double norms[3];
  for (double& norm : norms) {
    norm = blas::norm2(flow.fermions())[0];
    flow.advance();
  }
  EXPECT_NEAR((-1.5 * norms[0] + 2.0 * norms[1] - 0.5 * norms[2]) / step / rate, 1.0, 1e-5);
  FermionFlow onward(links, chi, {.step = 0.1});
  double before = norms[0];
  for (int n = 0; n < 20; ++n) {
    onward.advance();
    const double after = blas::norm2(onward.fermions())[0];
    EXPECT_LT(after, before);
    before = after;
  }
}

// If the step is halved, the error at a fixed time falls by 2^3, and so do the differences of two steps.
TEST(FermionFlow, IsOfThirdOrder) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = weak_links(lattice);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 1, 2);
  for (const LoopWeights& weights : all_weights) {
    const auto at = [&](int steps) {
      FermionFlow flow(links, chi, {.step = 0.32 / steps, .weights = weights});
      flow.advance(steps);
      return flow.fermions().to_host();
    };
    const auto middle = at(32);
    const double coarse = reference::relative_difference(at(16), middle),
                 fine = reference::relative_difference(at(64), middle);
    EXPECT_NEAR(std::log2(coarse / fine), 3.0, 0.25);
    EXPECT_GT(fine, 1e-10);  // far from rounding
  }
}

// Without links a plane wave is an eigenvector: exp(-t p^2), p^2 = 4 sum sin^2(p_mu/2). The method has the first terms
// of the exponential series. Signs in the links on the last time slice make it antiperiodic.
TEST(FermionFlow, DampsPlaneWavesAsTheHeatEquation) {
  const Lattice lattice({.extents = {4, 4, 8, 4}});
  for (const bool antiperiodic : {false, true}) {
    GaugeField<double> links = test::unit_links<double>(lattice);
    multiply_hop_factors(links, {.antiperiodic = antiperiodic});
    reference::WilsonParameters parameters;
    parameters.boundary_phases[3] = antiperiodic ? -1.0 : 1.0;
    for (const Coordinates& mode : {Coordinates{0, 0, 0, 0}, Coordinates{1, 0, 3, 2}, Coordinates{2, 2, 4, 1}}) {
      const auto p = reference::momentum(mode, lattice.extents(), parameters);
      reference::SiteVector v{};
      for (std::size_t k = 0; k < v.size(); ++k) v[k] = {0.1 * static_cast<double>(k) - 0.4, 0.7};
      const reference::Spinor wave = reference::plane_wave(p, v, lattice.extents());
      double p2 = 0.0;
      for (const double p_mu : p) p2 += 4.0 * std::pow(std::sin(0.5 * p_mu), 2);
      SpinorField<double> chi(lattice);
      chi.from_host(wave);
      constexpr double step = 0.005;
      constexpr int steps = 40;
      FermionFlow flow(links, chi, {.step = step});
      flow.advance(steps);
      const auto times = [&](double factor) {
        reference::Spinor result = wave;
        for (auto& z : result) z *= factor;
        return result;
      };
      const double z = -step * p2;
      const double series = std::pow(1.0 + z + z * z / 2.0 + z * z * z / 6.0, steps);
      EXPECT_LT(reference::relative_difference(flow.fermions().to_host(), times(series)), tolerance<double>);
      EXPECT_NEAR(series / std::exp(-step * steps * p2), 1.0, 2e-4);
    }
  }
}

TEST(FermionFlow, IsGaugeCovariant) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const GaugeTransformation g(lattice, {.seed = 9});
  const GaugeField<double> links = weak_links(lattice);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 2, 2);
  GaugeField<double> moved_links = links.clone();
  transform(moved_links, g);
  SpinorField<double> moved = blas::clone(chi);
  transform(moved, g);
  FermionFlow flow(links, chi), moved_flow(moved_links, moved);
  flow.advance(3);
  moved_flow.advance(3);
  SpinorField<double> expected = blas::clone(flow.fermions());
  transform(expected, g);
  EXPECT_LT(test::relative_difference(test::to_host(moved_flow.fermions()), test::to_host(expected)),
            tolerance<double>);
}

// A phase of the links in a direction is a boundary condition: they flow as without it.
TEST(FermionFlow, TakesPhasesInTheLinks) {
  const Lattice lattice({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = weak_links(lattice);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 1, 2);
  GaugeField<double> charged = links.clone();
  multiply_phases(charged, {0.3, -0.7, 1.1, 2.0});
  FermionFlow flow(links, chi), charged_flow(charged, chi);
  flow.advance(3);
  charged_flow.advance(3);
  GaugeField<double> expected = flow.links().clone();
  multiply_phases(expected, {0.3, -0.7, 1.1, 2.0});
  EXPECT_LT(reference::relative_difference(charged_flow.links().to_host(), expected.to_host()), tolerance<double>);
  EXPECT_GT(reference::relative_difference(charged_flow.fermions().to_host(), flow.fermions().to_host()), 0.01);
}

TEST(FermionFlow, KeepsItsInputAndRefusesWhatItCannotTake) {
  const Lattice lattice({.extents = {4, 4, 4, 8}}), other({.extents = {4, 4, 4, 4}});
  const GaugeField<double> links = weak_links(lattice);
  const SpinorField<double> chi = test::random_spinors<double>(lattice, 1, 2);
  const reference::Spinor before = chi.to_host();
  FermionFlow flow(links, chi);
  flow.advance(0);
  EXPECT_EQ(flow.fermions().to_host(), before);
  flow.advance(2);
  EXPECT_EQ(chi.to_host(), before);
  KAON_EXPECT_ERROR(flow.advance(-1), "a flow cannot go -1 steps on");
  KAON_EXPECT_ERROR(FermionFlow(links, chi, {.anisotropy = 2.0}), "anisotropy 2: fermions flow on isotropic lattices");
  KAON_EXPECT_ERROR(FermionFlow(links, SpinorField<double>(other)), "must be on the lattice of the links");
  KAON_EXPECT_ERROR(FermionFlow(links, SpinorField<double>(lattice, {.subset = Subset::even})),
                    "3 colours and all sites, not 3 colours and 1 of 2 parities");
  KAON_EXPECT_ERROR(FermionFlow(links, SpinorField<double>(lattice, {.colors = 2})), "not 2 colours");
  KAON_EXPECT_ERROR(FermionFlow(links, chi, {.step = 0.0}), "a flow cannot have steps of 0");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
