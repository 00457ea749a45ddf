// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/stored_fields.hpp"

// Propagators of Chroma (double precision, c_sw = 1.17, antiperiodic in time, smeared source at t = 4): they fix the
// sign and normalisation of every term of the clover operator.
namespace kaon {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 4, 4, 8};

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

TEST(StoredPropagator, SolvesTheCloverEquationAndIsFound) {
  KAON_TEST_DATA_FILE(folder, "weak_field");
  if (!reference::has_hdf5()) GTEST_SKIP() << "built without HDF5";
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const Lattice lattice({.extents = extents, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, folder / "weak_field.lime");
    const SpinorField<double> sources = test::smeared_sources(links, {0, 0, 0, 4});
    for (const Stored& stored : all_stored) {
      SCOPED_TRACE(stored.data_set);
      const WilsonClover<double> dirac(links, {.mass = stored.mass, .csw = 1.17});
      const SpinorField<double> expected = read(lattice, folder, stored);
      EXPECT_LT(test::residual_norm(dirac, expected, sources), 1e-11 * test::norm(sources));
      test::expect_near(pion_correlator(expected), stored.correlator, 1e-8);
      EXPECT_LT(test::relative_difference(test::solve(dirac, sources), expected), 1e-10);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
