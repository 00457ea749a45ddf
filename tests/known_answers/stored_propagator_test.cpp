// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/support/program.hpp"

#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/multigrid/multigrid.hpp>

// Propagators of Chroma (double precision, c_sw = 1.17, antiperiodic in time, smeared source at t = 4): they fix the
// sign and normalisation of every term of the clover operator.
namespace kaon {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 4, 4, 8};
constexpr Coordinates source_site{0, 0, 0, 4};

struct Stored {
  const char* data_set;
  double mass;
  std::vector<double> correlator;  ///< t = 0 .. 7
};

const Stored all_stored[] = {
    {"/sh_sig2p0_n5/PS_up_4",
     0.1,
     {0.02855069, 0.02968016, 0.03317878, 0.04080446, 0.21295746, 0.04078736, 0.03317245, 0.02966817}},
    {"/sh_sig2p0_n5/PS_dn_4",
     0.2,
     {0.01693936, 0.01846223, 0.02332663, 0.03377884, 0.21888325, 0.03375985, 0.02331773, 0.01845352}}};

SpinorField<double> read(const Lattice& lattice, const std::filesystem::path& folder, const Stored& stored) {
  return test::to_field(lattice,
                        reference::read_hdf5_propagator(folder / "test_propagator_t4.h5", stored.data_set, extents));
}

WilsonCloverParameters parameters_of(const Stored& stored) { return {.mass = stored.mass, .csw = 1.17}; }

/// Calls body(operator, sources, stored propagator) for each of them.
template <class Body>
void for_each_stored(const std::filesystem::path& folder, const Body& body) {
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const Lattice lattice({.extents = extents, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, folder / "weak_field.lime");
    for (const Stored& stored : all_stored) {
      SCOPED_TRACE(stored.data_set);
      body(WilsonClover<double>(links, parameters_of(stored)), test::smeared_sources(links, source_site),
           read(lattice, folder, stored), stored.correlator);
    }
  }
}

using Field = SpinorField<double>;

TEST(StoredPropagator, SolvesTheCloverEquationAndIsFoundOnEveryRoute) {
  KAON_TEST_DATA_FILE(folder, "weak_field");
  if (!reference::has_hdf5()) GTEST_SKIP() << "built without HDF5";
  for_each_stored(folder, [](const WilsonClover<double>& dirac, const Field& sources, const Field& expected,
                             const std::vector<double>& correlator) {
    EXPECT_LT(test::residual_norm(dirac, expected, sources), 1e-11 * test::norm(sources));
    test::expect_near(pion_correlator(expected), correlator, 1e-8);
    test::for_each_solution(dirac, sources, 1e-13, [&](const Field& propagator, bool) {
      EXPECT_LT(test::relative_difference(propagator, expected), 1e-10);
    });
    for (const LinkStorage storage : test::storages_on(dirac.lattice())) {
      SCOPED_TRACE("iterations in single precision on " + std::to_string(reals(storage)) + " reals");
      EXPECT_LT(test::relative_difference(test::solve_mixed<float>(dirac, sources, storage), expected), 1e-10);
    }
    if (dirac.lattice().lanes() == Lanes::single) return;
    const Multigrid multigrid(
        dirac, {.tolerance = 1e-12, .levels = {{.block = {2, 2, 2, 4}, .vectors = 12, .bootstraps = 1}}});
    Field found = dirac.make_field(sources.right_hand_sides());
    EXPECT_TRUE(multigrid.solve(found, sources).converged());
    EXPECT_LT(test::relative_difference(found, expected), 1e-10);
  });
}

TEST(SolvedPropagator, ComesBackFromAFileAndStillSolves) {
  const test::TemporaryFolder folder;
  const Lattice lattice({.extents = extents});
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  const SpinorField<double> sources = test::smeared_sources(links, source_site);
  const WilsonClover<double> dirac(links, parameters_of(all_stored[0]));
  const SpinorField<double> propagator = test::solve(dirac, sources, test::even_odd_bicgstab);
  io::write_propagator(folder / "propagator", propagator);
  const auto read = io::read_propagator<double>(lattice, folder / "propagator");
  for (int column = 0; column < 12; ++column) EXPECT_EQ(read.to_host(column), propagator.to_host(column));
  EXPECT_EQ(pion_correlator(read), pion_correlator(propagator));
  EXPECT_LT(test::residual_norm(dirac, read, sources), 2e-13 * test::norm(sources));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
