// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/stored_asqtad.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/data.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

#include <gtest/gtest.h>

namespace kaon {
namespace KAON_TEST_FILE {

/// MILC's asqtad operator, and its solutions in single precision.
struct Asqtad {
  explicit Asqtad(const std::filesystem::path& milc, Lanes lanes)
      : stored(milc),
        lattice({.extents = stored.extents, .lanes = lanes, .reach = 3}),
        dirac(field(stored.fat), field(stored.third), {.mass = 0.1, .third_weight = stored.third_weight}),
        source(lattice, {.spins = 1}) {
    source.from_host(stored.source);
  }
  GaugeField<double> field(const reference::Links& values) const {
    GaugeField<double> links(lattice);
    links.from_host(values);
    return links;
  }

  reference::StoredAsqtad stored;
  Lattice lattice;
  ImprovedStaggered<double> dirac;
  SpinorField<double> source;
};

/// Errors of answers that were computed and stored in single precision, and of their norms.
constexpr double stored_digits = 2e-7, norm_digits = 1e-8;

TEST(ImprovedStaggered, ReproducesTheSolutionOfMilc) {
  KAON_TEST_DATA_FILE(milc, "milc");
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const Asqtad asqtad(milc, lanes);
    EXPECT_NEAR(blas::norm2(asqtad.source)[0], 6903550.7265, 1e-4);
    const StaggeredNormal<double> normal(asqtad.dirac);
    SpinorField<double> x = asqtad.dirac.make_field(1);
    const Cg<double> cg(normal, {.tolerance = 1e-10});
    EXPECT_TRUE(EvenOddSolver<double>(normal, cg).solve(x, asqtad.source).converged());
    EXPECT_NEAR(blas::norm2(x)[0] / 12219.2094, 1.0, norm_digits);
    EXPECT_LT(
        reference::relative_difference(
            x.to_host(), reference::read_milc_color_field(milc / "ksvector.ans.Minv.sample.l8", asqtad.stored.extents)),
        stored_digits);
  }
}

// (M^dag M)^-1 joins sites of one parity: two systems. MILC's tolerance is that of squares, 1e-18, and its count of
// iterations, 61, starts from 1.
TEST(ImprovedStaggered, ReproducesTheNormalSolutionOfMilc) {
  KAON_TEST_DATA_FILE(milc, "milc");
  const Asqtad asqtad(milc, Lanes::native);
  SpinorField<double> x = asqtad.dirac.make_field(1);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    const StaggeredNormal<double> normal(asqtad.dirac, parity);
    SpinorField<double> x_p = x.parity(parity);
    const SolveResult result = Cg<double>(normal, {.tolerance = 1e-9}).solve(x_p, asqtad.source.parity(parity));
    EXPECT_TRUE(result.converged());
    EXPECT_EQ(result.iterations(), 60);
  }
  EXPECT_NEAR(blas::norm2(x)[0] / 29.7829127, 1.0, norm_digits);
  EXPECT_LT(reference::relative_difference(
                x.to_host(),
                reference::read_milc_color_field(milc / "ksvector.ans.MdaggerMinv.sample.l8", asqtad.stored.extents)),
            stored_digits);
}

// Fat links at this u0 have elements near 10, so that their 16-bit form needs its scale; third links are in SU(3).
TEST(ImprovedStaggered, FindsMilcsSolutionInMixedPrecision) {
  KAON_TEST_DATA_FILE(milc, "milc");
  const Asqtad asqtad(milc, Lanes::native);
  const StaggeredNormal<double> normal(asqtad.dirac);
  const reference::ColorField expected =
      reference::read_milc_color_field(milc / "ksvector.ans.Minv.sample.l8", asqtad.stored.extents);
  const auto solve = [&]<class S>(LinkStorage storage) {
    const StaggeredNormal<S> inner(ImprovedStaggered<S>(asqtad.dirac, storage));
    SpinorField<double> x = asqtad.dirac.make_field(1);
    const Cg<double, S> cg(normal, inner, {.tolerance = 1e-10});
    EXPECT_TRUE(EvenOddSolver<double>(normal, cg).solve(x, asqtad.source).converged());
    EXPECT_LT(reference::relative_difference(x.to_host(), expected), stored_digits);
  };
  // Products of three links in SU(3) are also tested.
  for (const LinkStorage storage :
       test::built({LinkStorage::full, LinkStorage::two_rows_and_determinant, LinkStorage::two_rows,
                    LinkStorage::minimal_and_determinant, LinkStorage::minimal})) {
    SCOPED_TRACE(reals(storage));
    solve.operator()<float>(storage);
    solve.operator()<half>(storage);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
