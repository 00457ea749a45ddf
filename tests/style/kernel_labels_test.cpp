// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/link_difference.hpp"
#include "tests/operators/wilson_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/loop_action.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/measure/spin_taste.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/krylov.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <mutex>
#include <regex>
#include <set>
#include <string>

namespace kaon::test {
namespace KAON_TEST_FILE {

std::mutex guard;
std::set<std::string> labels;

void note(const char* name, std::uint32_t, std::uint64_t*) {
  const std::lock_guard lock(guard);
  labels.insert(name);
}

/// The labels of all kernels that Kokkos starts in `action()`.
template <class Action>
std::set<std::string> labels_of(Action&& action) {
  namespace tools = Kokkos::Tools::Experimental;
  labels.clear();
  tools::set_begin_parallel_for_callback(note);
  tools::set_begin_parallel_reduce_callback(note);
  tools::set_begin_parallel_scan_callback(note);
  action();
  tools::set_begin_parallel_for_callback(nullptr);
  tools::set_begin_parallel_reduce_callback(nullptr);
  tools::set_begin_parallel_scan_callback(nullptr);
  return labels;
}

/// "kaon::" and lower case. Kokkos clears and copies memory by kernels of its own.
bool is_good(const std::string& label) {
  static const std::regex pattern("kaon::[a-z0-9_:]+");
  return label.starts_with("Kokkos::") || std::regex_match(label, pattern);
}

void expect_good(const std::set<std::string>& found, const std::set<std::string>& expected) {
  for (const std::string& label : found) EXPECT_TRUE(is_good(label)) << "'" << label << "'";
  for (const std::string& label : expected) EXPECT_TRUE(found.contains(label)) << "no kernel '" << label << "'";
}

/// Two kinds of storage: with and without lanes; partitioned, so that halos are packed.
std::vector<Lattice> lattices() {
  std::vector<Lattice> made;
  made.emplace_back(LatticeParameters{.extents = {8, 4, 4, 8}});
  made.emplace_back(LatticeParameters{.extents = {4, 4, 4, 4}, .partition = {false, false, true, true}});
  return made;
}

TEST(KernelLabels, OfVectorOperations) {
  const auto found = labels_of([] {
    for (const Lattice& lattice : lattices()) {
      SpinorField<double> x(lattice), y(lattice);
      SpinorField<half> rounded(lattice);
      set_gaussian(x, {.seed = 1});
      set_z2(y, {.seed = 2});
      blas::copy(rounded, x);
      blas::add(y, rounded);
      blas::axpy(y, x, 0.5);
      blas::inner_product(x, y);
      blas::norm2(rounded);
    }
  });
  expect_good(found, {"kaon::blas::axpy", "kaon::blas::norm2"});
}

TEST(KernelLabels, OfGaugeFields) {
  const auto found = labels_of([] {
    for (const Lattice& lattice : lattices()) {
      GaugeField<double> links = random_links<double>(lattice);
      update(links, {.beta = 6.0, .seed = 3});
      transform(links, GaugeTransformation(lattice, {.seed = 4}));
      reunitarize(links);
      plaquette(links);
      loop_traces(links, std::vector<LinkPath>{{1, 2, -1, -2}});
      clover_observables(links);
      hyp_links(links, {});
      ape_links(links, {});
      GradientFlow(links, {.weights = symanzik_weights}).advance();
      deviation_from_su3(links);
      GaugeField<double> momenta(lattice);
      set_gaussian_momenta(momenta, 1.0, {.seed = 6});
      kinetic_energy(momenta);
      advance_links(links, momenta, {.size = 0.1});
      kick_momenta(momenta, links, 0.1);
      add_loop_force(momenta, links, 6.0, iwasaki_weights);
      detail::largest_difference(momenta, links);
      project_to_su3(links);
      fold_staggered_phases(links);
      multiply_phases(links, {0.1, 0.2, 0.3, 0.4});
      asqtad_links(links, 0.9);
      const double epsilons[] = {0.0, -0.1};
      hisq_links(links, epsilons);
    }
  });
  expect_good(found, {"kaon::first_staples", "kaon::second_staples", "kaon::last_staples", "kaon::third_links",
                      "kaon::project_to_u3", "kaon::clover_observables", "kaon::hyp_first", "kaon::ape_links",
                      "kaon::exponential_step_of_rectangles", "kaon::add_loop_force", "kaon::largest_difference"});
}

template <template <class> class Dirac, class Parameters>
void solve(const Lattice& lattice, const Parameters& physics, int spins, KrylovMethod method) {
  const Dirac<double> dirac(random_links<double>(lattice), physics);
  SpinorField<double> x(lattice, {.spins = spins}), b(lattice, {.spins = spins});
  set_gaussian(b, {.seed = 5});
  dirac.apply(x, b);
  dirac.apply_dagger(x, b);
  PropagatorSolver(dirac, {.max_iterations = 5, .method = method}).solve(x, b);
}

TEST(KernelLabels, OfOperatorsAndSolvers) {
  const auto found = labels_of([] {
    for (const Lattice& lattice : lattices()) {
      const auto bicgstab = KrylovMethod::bicgstab;
      solve<Wilson>(lattice, WilsonParameters{.mass = 0.3}, 4, bicgstab);
      solve<WilsonClover>(lattice, WilsonCloverParameters{.mass = 0.3, .csw = 1.0}, 4, bicgstab);
      solve<WilsonClover>(lattice, WilsonCloverParameters{.mass = 0.3, .csw = 1.0}, 4, KrylovMethod::gcr_dd);
      solve<WilsonClover>(lattice, WilsonCloverParameters{.mass = 0.3, .csw = 1.0}, 4, KrylovMethod::cgnr);
      solve<TwistedMass>(lattice, TwistedMassParameters{.mass = 0.3, .mu = 0.1}, 4, bicgstab);
      solve<TwistedClover>(lattice, TwistedCloverParameters{.mass = 0.3, .mu = 0.1}, 4, bicgstab);
      solve<Staggered>(lattice, StaggeredParameters{.mass = 0.3}, 1, KrylovMethod::cg);
    }
  });
  expect_good(found, {"kaon::wilson_hop", "kaon::wilson_hop_clover", "kaon::halo_pack"});
}

TEST(KernelLabels, OfPropagators) {
  const auto found = labels_of([] {
    for (const Lattice& lattice : lattices()) {
      SpinorField<double> sources(lattice, {.right_hand_sides = 12});
      set_point_sources(sources, {.site = {0, 0, 0, 0}});
      gaussian_smear(sources, random_links<double>(lattice), {.width = 1.0, .steps = 2});
      SpinorField<double> shifted(lattice, sources.parameters());
      covariant_shift(shifted, sources, random_links<double>(lattice), {.direction = 3});
      apply_spin_taste(shifted, sources, random_links<double>(lattice), {.spin = 1});
      pion_correlator(sources);
      (void)momentum_products(sources, sources, {.mode = {1, 0, 0, 0}});
      set_z2_wall_source(sources, {.time = 1, .key = {.seed = 6}});
    }
  });
  expect_good(found, {});
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
