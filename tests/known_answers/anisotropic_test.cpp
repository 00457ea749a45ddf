// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"

// Correlators on the weak field with Chroma's anisotropic operators, xi_0 = 2.464 and nu = 0.95: smeared source at the
// origin, antiperiodic in time, solved to 1e-8. The Wilson mass is so negative that the spectrum surrounds 0: BiCGstab
// needs two thousand iterations where conjugate gradients need a hundred.
namespace kaon {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 4, 4, 8};
constexpr Anisotropy anisotropy{.xi0 = 2.464, .nu = 0.95};

template <template <class> class Operator, class Parameters>
void expect_correlator(const std::filesystem::path& path, const Parameters& parameters,
                       const std::vector<double>& expected) {
  for (const Lanes lanes : test::all_lanes) {
    SCOPED_TRACE(test::name(lanes));
    const auto links = io::read_gauge<double>(Lattice({.extents = extents, .lanes = lanes}), path);
    const SpinorField<double> sources = test::smeared_sources(links, {0, 0, 0, 0});
    EXPECT_NEAR(test::sum(blas::norm2(sources)) / 6.633998, 1.0, 1e-6);
    const Operator<double> dirac(links, parameters);
    test::expect_relatively_near(pion_correlator(test::solve(dirac, sources, 1e-10)), expected, 1e-6);
  }
}

TEST(AnisotropicWilson, ReproducesTheCorrelatorOfTheWeakField) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  expect_correlator<Wilson>(
      path, WilsonParameters{.mass = mass_from_kappa(0.135), .anisotropy = anisotropy},
      {0.749881670, 0.127559085, 0.048818168, 0.026170709, 0.020531342, 0.026186983, 0.048858947, 0.127618666});
}

TEST(AnisotropicClover, ReproducesTheCorrelatorOfTheWeakField) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  expect_correlator<WilsonClover>(
      path,
      WilsonCloverParameters{
          .mass = mass_from_kappa(0.115), .csw = 0.91, .csw_temporal = 1.07, .anisotropy = anisotropy},
      {0.588734367, 0.044005466, 0.015493428, 0.009136583, 0.007579043, 0.009137186, 0.015501454, 0.044009996});
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
