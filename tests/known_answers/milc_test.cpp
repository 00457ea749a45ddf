// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/stored_fields.hpp"

#include <kaon/gauge/unitarity.hpp>
#include <kaon/measure/spin_basis.hpp>

namespace kaon {
namespace KAON_TEST_FILE {

// Links and propagator are stored in single precision; the propagator in MILC's spin basis, of 1 - kappa D + 2 kappa A.
TEST(MilcPropagator, SolvesTheCloverEquationAndIsFound) {
  KAON_TEST_DATA_FILE(folder, "milc");
  constexpr Coordinates extents{4, 4, 4, 8};
  constexpr double kappa = 0.124;
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const Lattice lattice({.extents = extents, .lanes = lanes});
    auto links = io::read_gauge<double>(lattice, folder / "lat.sample.l4448.ll");
    reunitarize(links);
    auto stored = test::to_field(
        lattice, reference::read_unrotated_milc_propagator(folder / "wprop_fm.sample.l4448.ll", extents));
    change_propagator_basis(stored, {.from = SpinBasis::milc});
    test::expect_relatively_near(
        pion_correlator(stored),
        {16.7441696, 1.09079037, 0.144199645, 0.0251334188, 0.00905840953, 0.0296227051, 0.158404535, 1.12328386},
        1e-8);

    from_kappa_normalization(stored, kappa);
    const WilsonClover<double> dirac(links, {.mass = mass_from_kappa(kappa), .csw = 1.476, .boundary = periodic});
    const SpinorField<double> sources = test::point_sources(lattice, {0, 0, 0, 0});
    EXPECT_LT(test::residual_norm(dirac, stored, sources), 1e-7 * test::norm(sources));
    EXPECT_LT(test::relative_difference(test::solve(dirac, sources, 1e-10), stored), 1e-7);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
