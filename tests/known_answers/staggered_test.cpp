// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/color_field.hpp"
#include "tests/reference/lanczos.hpp"
#include "tests/support/data.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/operators/staggered.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace kaon {
namespace KAON_TEST_FILE {

constexpr Lanes all_lanes[] = {Lanes::native, Lanes::single};

// cl2qcd's extremal eigenvalues of m^2 - (D/2)^2, periodic in all directions: a quarter of ours.
TEST(Staggered, ReproducesExtremalEigenvalues) {
  KAON_TEST_DATA_FILE(path, "ildg/conf.00200");
  struct Case {
    double mass;
    double largest;
    double smallest;
  };
  for (const Lanes lanes : all_lanes) {
    const Lattice lattice({.extents = {4, 4, 4, 4}, .lanes = lanes});
    const auto links = io::read_gauge<double>(lattice, path);
    for (const Case& expected : {Case{1.01335, 5.98872570728786, 1.052181334}, Case{0.567, 5.283336485, 0.346792112}}) {
      const Staggered<double> dirac(links, {.mass = expected.mass, .boundary = periodic});
      for (const Parity parity : {Parity::even, Parity::odd}) {
        const StaggeredNormal<double> normal(dirac, parity);
        SpinorField<double> in = normal.make_field(1), out = normal.make_field(1);
        const auto apply = [&](const std::vector<std::complex<double>>& values) {
          in.from_host(values);
          normal.apply(out, in);
          return out.to_host();
        };
        std::mt19937_64 generator(1);
        const auto start = reference::restrict_to_parity(reference::random_color_field(lattice.extents(), generator),
                                                         static_cast<int>(parity), lattice.extents());
        const reference::ExtremalEigenvalues found = reference::extremal_eigenvalues(apply, start, 150);
        EXPECT_NEAR(found.largest / 4.0, expected.largest, 1e-9);
        EXPECT_NEAR(found.smallest / 4.0, expected.smallest, 1e-9);
      }
    }
  }
}

// X_k,c(x) = cos(1 + .37 n + .7 c + k) + i sin(.23 n + c + 2 k), n the lexicographic index.
SpinorField<double> deterministic_field(int k, const Lattice& lattice) {
  std::vector<std::complex<double>> values;
  for (std::int64_t n = 0; n < lattice.volume(); ++n) {
    for (int c = 0; c < 3; ++c) {
      const auto site = static_cast<double>(n);
      values.emplace_back(std::cos(1.0 + 0.37 * site + 0.7 * c + k), std::sin(0.23 * site + c + 2.0 * k));
    }
  }
  SpinorField<double> chi(lattice, {.spins = 1});
  chi.from_host(values);
  return chi;
}

// Numbers of an independent program in another language, which reproduces MILC's trajectories: antiperiodic in time.
// D = M - 2m, so that |D X|^2 of an anti-Hermitian D is |M X|^2 - 4 m^2 |X|^2.
TEST(Staggered, ReproducesSumsOnFieldsOfMilc) {
  KAON_TEST_DATA_FILE(folder, "");
  struct Case {
    const char* path;
    Coordinates extents;
    double x_norm2;
    double hop_norm2;
    double product;  // Re <X_1, D X_0>
  };
  constexpr double mass = 0.25;
  for (const Case& expected :
       {Case{"milc/lat.sample.l4444", {4, 4, 4, 4}, 767.364359258598, 5473.018924243250, 108.999666868446},
        Case{"staggered/lat.sample.l6666.hisq",
             {6, 6, 6, 6},
             3888.546132075026,
             31460.393398908989,
             -833.588011298557}}) {
    for (const Lanes lanes : all_lanes) {
      const Lattice lattice({.extents = expected.extents, .lanes = lanes});
      auto links = io::read_gauge<double>(lattice, folder / expected.path);
      reunitarize(links);
      const Staggered<double> dirac(links, {.mass = mass});
      const SpinorField<double> x0 = deterministic_field(0, lattice), x1 = deterministic_field(1, lattice);
      SpinorField<double> hop = dirac.make_field(1);
      dirac.apply(hop, x0);
      blas::axpy(hop, x0, blas::Reals{-2.0 * mass});
      EXPECT_NEAR(blas::norm2(x0)[0] / expected.x_norm2, 1.0, 1e-12);
      EXPECT_NEAR(blas::norm2(hop)[0] / expected.hop_norm2, 1.0, 1e-12);
      EXPECT_NEAR(blas::inner_product(x1, hop)[0].real() / expected.product, 1.0, 1e-11);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
