// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/force_of.hpp"
#include "tests/known_answers/staggered_fields.hpp"
#include "tests/reference/stored_fields.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/data.hpp"

#include <kaon/gauge/staggered_force.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using test::force_of;

/// Little-endian complex128 as they lie in a file.
reference::Links read_double(const std::filesystem::path& path, std::size_t numbers) {
  static_assert(std::endian::native == std::endian::little);
  reference::Links values(numbers);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(16 * numbers));
  if (!file) throw std::runtime_error("the file is too short");
  return values;
}

struct ForceSums {
  const char* file;
  Coordinates extents;
  double asqtad_norm2, hisq_norm2;
  Complex asqtad_first, asqtad_other, hisq_first, hisq_other;  ///< F_00 of link x at 0, F_01 of link t at (0, 3, 2, 1)
};

const ForceSums force_sums[] = {{"milc/lat.sample.l4444",
                                 {4, 4, 4, 4},
                                 15813.083560084080,
                                 6781.738568082739,
                                 {0.0, -0.09759888203910172},
                                 {1.116273305829952, 1.1315460416517662},
                                 {0.0, -0.5377704945269524},
                                 {0.9007848456773854, 0.55665175032725}},
                                {"staggered/lat.sample.l6666.hisq",
                                 {6, 6, 6, 6},
                                 81521.953952528595,
                                 35871.339003579618,
                                 {0.0, -2.6444154773174513},
                                 {-0.7562006868281017, 0.5058789561131587},
                                 {0.0, -1.3360354556308716},
                                 {-0.12110642994775855, -1.2705675063548632}}};

void expect_force(const reference::Links& force, double norm2, const Complex& first, const Complex& other,
                  const Coordinates& extents) {
  EXPECT_NEAR(reference::norm2(force) / norm2, 1.0, 1e-12);
  EXPECT_LT(std::abs(force[0] - first), 1e-10);
  const Complex found = force[reference::link_offset({0, 3, 2, 1}, 3, extents) + 1];
  EXPECT_LT(std::abs(found - other), 1e-10);
}

// An independent program's: asqtad of one vector, HISQ of two with different Naik epsilons.
TEST(StaggeredForce, ReproducesSumsOfAnotherProgram) {
  for (const ForceSums& expected : force_sums) {
    KAON_TEST_DATA_FILE(path, expected.file);
    const reference::Links stored = reference::read_milc(path, expected.extents);
    for (const Lanes lanes : test::all_lanes) {
      SCOPED_TRACE(std::string(expected.file) + (lanes == Lanes::native ? ", native lanes" : ", one lane"));
      const Lattice lattice({.extents = expected.extents, .lanes = lanes});
      const GaugeField<double> u = test::reunitarized(lattice, stored);
      const SpinorField<double> x0 = test::deterministic_field(0, lattice), x1 = test::deterministic_field(1, lattice);
      const double one[] = {1.0}, light[] = {0.7}, heavy[] = {0.3};
      const reference::Links asqtad =
          force_of(staggered_force(u, asqtad_coefficients(0.87), {.vectors = x0, .residues = one}));
      expect_force(asqtad, expected.asqtad_norm2, expected.asqtad_first, expected.asqtad_other, expected.extents);
      const StaggeredForceTerm terms[] = {{.vectors = x0, .residues = light},
                                          {.vectors = x1, .residues = heavy, .naik_epsilon = -0.1}};
      const reference::Links hisq = force_of(hisq_force(u, terms));
      expect_force(hisq, expected.hisq_norm2, expected.hisq_first, expected.hisq_other, expected.extents);
      if (expected.extents != Coordinates{4, 4, 4, 4}) continue;
      KAON_TEST_DATA_FILE(elements, "staggered/hisq_force.l4444.f64le");
      const reference::Links all = read_double(elements, hisq.size());
      for (std::size_t k = 0; k < hisq.size(); ++k) ASSERT_LT(std::abs(hisq[k] - all[k]), 1e-10) << k;
    }
  }
}

// In single precision: a source on both parities, one term of residue 1.
TEST(StaggeredForce, IsMilcsOfAsqtad) {
  KAON_TEST_DATA_FILE(folder, "milc");
  KAON_TEST_DATA_FILE(path, "staggered/colormatrix.mom.sample.l8");
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  const auto volume = static_cast<std::size_t>(lattice.volume());
  SpinorField<double> x(lattice, {.spins = 1});
  x.from_host(reference::read_scidac_single(folder / "ksvector.src.sample.l8", 3 * volume));
  const double one[] = {1.0};
  const GaugeField<double> u =
      test::reunitarized(lattice, reference::read_scidac_single(folder / "lat.sample.l8", 36 * volume));
  const reference::Links force =
      force_of(staggered_force(u, asqtad_coefficients(0.502), {.vectors = x, .residues = one}));
  EXPECT_NEAR(reference::norm2(force) / 6.6381245005978e12, 1.0, 1e-7);
  EXPECT_LT(reference::relative_difference(force, reference::read_scidac_single(path, 36 * volume)),
            0.5 * std::numeric_limits<float>::epsilon());
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
