// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/staggered_fields.hpp"
#include "tests/reference/color_field.hpp"
#include "tests/reference/lanczos.hpp"
#include "tests/support/data.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <gtest/gtest.h>

#include <functional>

namespace kaon {
namespace KAON_TEST_FILE {

// Staggered operators on thin links and on fat and third links, against other programs.

GaugeField<double> read_links(const Lattice& lattice, const std::filesystem::path& path) {
  auto links = io::read_gauge<double>(lattice, path);
  reunitarize(links);
  return links;
}

ImprovedStaggered<double> dirac_of(const ImprovedLinks& links, double mass, const BoundaryAngles& boundary) {
  return {links.fat, links.third, {.mass = mass, .third_weight = links.third_weight, .boundary = boundary}};
}

/// The largest and the smallest eigenvalue of a matrix on one parity, by Lanczos steps from noise.
reference::ExtremalEigenvalues extremal_eigenvalues(const LinearOperator<double>& shape, Parity parity, int steps,
                                                    const std::function<void()>& apply, SpinorField<double>& out,
                                                    SpinorField<double>& in) {
  const auto on_host = [&](const std::vector<std::complex<double>>& values) {
    in.from_host(values);
    apply();
    return out.to_host();
  };
  std::mt19937_64 generator(1);
  const Coordinates& extents = shape.lattice().extents();
  const auto start = reference::restrict_to_parity(reference::random_color_field(extents, generator),
                                                   static_cast<int>(parity), extents);
  return reference::extremal_eigenvalues(on_host, start, steps);
}

// cl2qcd's extremal eigenvalues of m^2 - (D/2)^2, periodic in all directions: a quarter of ours.
TEST(Staggered, ReproducesExtremalEigenvalues) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  struct Case {
    double mass;
    double largest;
    double smallest;
  };
  for (const Lanes lanes : test::all_lanes) {
    const Lattice lattice({.extents = {4, 4, 4, 4}, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, path);
    for (const Case& expected : {Case{1.01335, 5.98872570728786, 1.052181334}, Case{0.567, 5.283336485, 0.346792112}}) {
      const Staggered<double> dirac(links, {.mass = expected.mass, .boundary = periodic});
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const StaggeredNormal<double> normal(dirac, parity);
        SpinorField<double> in = normal.make_field(1), out = normal.make_field(1);
        const auto found = extremal_eigenvalues(
            normal, parity, 150, [&] { normal.apply(out, in); }, out, in);
        EXPECT_NEAR(found.largest / 4.0, expected.largest, 1e-9);
        EXPECT_NEAR(found.smallest / 4.0, expected.smallest, 1e-9);
      }
    }
  }
}

/// Sums of an independent program in another language, which reproduces MILC's trajectories: antiperiodic in time.
struct Sums {
  double hop_norm2;
  double product;  // Re <X_1, D X_0>
};

// D = M - 2m
void expect_sums(const EvenOddOperator<double>& dirac, double mass, const Sums& sums) {
  const SpinorField<double> x0 = test::deterministic_field(0, dirac.lattice()),
                            x1 = test::deterministic_field(1, dirac.lattice());
  SpinorField<double> hop = dirac.make_field(1);
  dirac.apply(hop, x0);
  blas::axpy(hop, x0, -2.0 * mass);
  EXPECT_NEAR(blas::norm2(hop)[0] / sums.hop_norm2, 1.0, 1e-12);
  EXPECT_NEAR(blas::inner_product(x1, hop)[0].real() / sums.product, 1.0, 1e-11);
}

TEST(SmearedOperator, ReproducesSumsOnFieldsOfMilc) {
  KAON_TEST_DATA_FILE(folder, "");
  struct Case {
    const char* path;
    Coordinates extents;
    double x_norm2;
    Sums naive, asqtad, hisq, charm;
  };
  const Case cases[] = {{"milc/lat.sample.l4444",
                         {4, 4, 4, 4},
                         767.364359258598,
                         {5473.018924243250, 108.999666868446},
                         {6473.534708978925, 91.127822103967},
                         {6803.015924733925, 105.355211432905},
                         {6639.304300028450, 104.889944830332}},
                        {"staggered/lat.sample.l6666.hisq",
                         {6, 6, 6, 6},
                         3888.546132075026,
                         {31460.393398908989, -833.588011298557},
                         {40115.849029569137, -991.862733039312},
                         {41364.282302934167, -1038.169283123825},
                         {40459.117677636648, -1027.428975831703}}};
  constexpr double mass = 0.25;
  for (const Case& expected : cases) {
    for (const Lanes lanes : test::all_lanes) {
      const Lattice lattice({.extents = expected.extents, .lanes = lanes, .reach = 3});
      const GaugeField<double> links = read_links(lattice, folder / expected.path);
      EXPECT_NEAR(blas::norm2(test::deterministic_field(0, lattice))[0] / expected.x_norm2, 1.0, 1e-12);
      const auto improved = [&](const ImprovedLinks& of) { return dirac_of(of, mass, antiperiodic_in_time); };
      expect_sums(Staggered<double>(links, {.mass = mass}), mass, expected.naive);
      expect_sums(improved(asqtad_links(links, 0.87)), mass, expected.asqtad);
      const double epsilons[] = {0.0, -0.1};
      const std::vector<ImprovedLinks> hisq = hisq_links(links, epsilons);
      expect_sums(improved(hisq[0]), mass, expected.hisq);
      expect_sums(improved(hisq[1]), mass, expected.charm);
    }
  }
}

TEST(SmearedOperator, ReproducesTheLowSpectrumOfMilc) {
  KAON_TEST_DATA_FILE(path, "milc/lat.sample.l8888");
  const Lattice lattice({.extents = {8, 8, 8, 8}, .reach = 3});
  const GaugeField<double> links = read_links(lattice, path);
  constexpr double mass = 0.05;
  const auto expect_low = [&](const ImprovedLinks& improved, const std::vector<double>& expected) {
    const ImprovedStaggered<double> dirac = dirac_of(improved, mass, antiperiodic_in_time);
    const Eigenvectors<double> low = find_eigenvectors<double>(
        StaggeredNormal<double>(dirac), {.count = static_cast<int>(expected.size()), .tolerance = 1e-7});
    EXPECT_TRUE(low.converged);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(low.values[i] - 4.0 * mass * mass, expected[i], 1e-8) << i;
    }
  };
  expect_low(asqtad_links(links, 1.0),
             {0.0362059636, 0.0416273842, 0.0518220434, 0.0556078212, 0.0572959816, 0.0637552424});
  expect_low(hisq_links(links),
             {0.133305300, 0.136610500, 0.153418337, 0.157610511, 0.178240139, 0.188011698, 0.198305565, 0.203886394});
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
