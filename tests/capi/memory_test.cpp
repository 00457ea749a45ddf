// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"
#include "tests/support/resident_bytes.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

TEST(CMemory, StaysAsItIsThroughAThousandSolves) {
  const Started started;
  const auto solve = [] {
    LatticeHandle lattice;
    make_lattice(lattice, {4, 4, 4, 4});
    GaugeHandle gauge;
    make_random_links(gauge, lattice);
    OperatorHandle dirac;
    make_operator(dirac, gauge, KAON_WILSON_CLOVER, 0.5);
    SpinorHandle b, x;
    make_spinor(b, lattice, 1);
    make_spinor(x, lattice, 1);
    set_source(b, KAON_POINT_SOURCE);
    SolverHandle solver;
    expect_ok(kaon_solver_create(dirac, nullptr, &solver));
    expect_ok(kaon_solver_solve(solver, x, b, nullptr));
  };
  for (int k = 0; k < 100; ++k) solve();
  const long before = resident_bytes();
  for (int k = 0; k < 900; ++k) solve();
  // A spinor field of this lattice has 49 kB: each solve leaks less than a tenth of one.
  EXPECT_LT(resident_bytes() - before, 4'000'000);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
