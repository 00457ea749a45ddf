// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The blocks of C++ of the documents, each where the text wants it. extract.py writes them into the build tree, under
// the name of the document and of the heading above them.
#include <kaon/kaon.hpp>

#include <gtest/gtest.h>

#include <iostream>
#include <vector>

#ifdef KAON_MPI
#include <kaon/comm/mpi.hpp>
#endif

namespace KAON_TEST_FILE {

kaon::Lattice small_lattice() { return kaon::Lattice({.extents = {8, 8, 8, 8}}); }

kaon::GaugeField<double> quenched(const kaon::Lattice& lattice) {
  kaon::GaugeField<double> links(lattice);
  kaon::set_unit(links);
  for (std::uint32_t n = 1; n <= 10; ++n) kaon::update(links, {.beta = 6.0, .seed = 3, .update = n});
  return links;
}

/// Links, sources b and room for solutions x.
struct Fields {
  kaon::Lattice lattice = small_lattice();
  kaon::GaugeField<double> links = quenched(lattice);
  kaon::SpinorField<double> b{lattice}, x{lattice};

  Fields() { kaon::set_gaussian(b, {.seed = 4}); }
};

TEST(Documents, PrecisionInCode) {
  Fields fields;
  auto& [lattice, links, b, x] = fields;
#include "precision/in-code-1.inc"
  {
#include "precision/in-code-2.inc"
    kaon::blas::set_zero(x);
    kaon::require_converged(solver.solve(x, b));
  }
}

TEST(Documents, PrecisionSeveralMasses) {
  Fields fields;
  const kaon::Staggered<double> dirac(fields.links, {.mass = 0.05});
  kaon::SpinorField<double> b(fields.lattice, {.spins = 1});
  kaon::set_gaussian(b, {.seed = 5});
  std::vector<kaon::SpinorField<double>> x;
  for (int mass = 0; mass < 3; ++mass) x.emplace_back(fields.lattice, kaon::SpinorParameters{.spins = 1});
#include "precision/several-shifts-or-masses-1.inc"
}

TEST(Documents, Deflation) {
  Fields fields;
  const kaon::Staggered<double> dirac(fields.links, {.mass = 0.02});
  kaon::SpinorField<double> b(fields.lattice, {.spins = 1}), x(fields.lattice, {.spins = 1});
  kaon::set_gaussian(b, {.seed = 5});
#include "precision/deflation-1.inc"
  EXPECT_TRUE(low->converged);
  kaon::require_converged(deflated.solve(x, b));
#include "precision/deflation-2.inc"
  std::vector<kaon::SpinorField<double>> of_masses;
  for (int mass = 0; mass < 3; ++mass) of_masses.emplace_back(fields.lattice, kaon::SpinorParameters{.spins = 1});
  for (const kaon::SolveResult& result : several.solve(of_masses, b)) kaon::require_converged(result);
}

TEST(Documents, Multigrid) {
  using namespace kaon;
  Fields fields;
  auto& [lattice, links, b, x] = fields;
#include "multigrid/when-to-use-it-1.inc"
  const WilsonClover<double> lighter(links, {.mass = mass_from_kappa(0.1351), .csw = 1.769});
#include "multigrid/several-masses-on-one-field-1.inc"
  blas::set_zero(x);
  require_converged(second.solve(x, b));
}

TEST(Documents, HalosInALowerPrecision) {
  const Fields fields;
  const auto& links = fields.links;
#include "parallel/halos-in-a-lower-precision-1.inc"
  EXPECT_EQ(inner.lattice(), dirac.lattice());
}

TEST(Documents, SolversWithoutCommunication) {
  Fields fields;
  const kaon::WilsonClover<double> dirac(fields.links, {.mass = 0.1, .csw = 1.0});
  const kaon::WilsonClover<kaon::half> half_dirac(dirac, kaon::LinkStorage::two_rows);
  const kaon::Schur<double> schur(dirac);
  const kaon::Schur<kaon::half> half_schur(half_dirac);
#include "parallel/solvers-without-communication-gcr-dd-1.inc"
  kaon::SpinorField<double> x(fields.lattice, {.subset = kaon::Subset::even});
  kaon::require_converged(solver.solve(x, fields.b.parity(kaon::Parity::even)));
}

#ifdef KAON_MPI
/// Compiled alone: it is for 8 processes of an application, whose communicator is `comm`.
[[maybe_unused]] void many_processes(int argc, char** argv, MPI_Comm comm) {
#include "parallel/launching-1.inc"
}
#endif

}  // namespace KAON_TEST_FILE
