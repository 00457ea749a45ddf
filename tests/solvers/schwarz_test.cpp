// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/solvers/solver_cases.hpp"
#include "tests/support/built_storages.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/operators/schur.hpp>
#include <kaon/solvers/adapters.hpp>
#include <kaon/solvers/krylov.hpp>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// `psi`, zero outside the block of `extents` at `first`.
SpinorField<double> in_block(const SpinorField<double>& psi, const Coordinates& first, const Coordinates& extents) {
  const Lattice& lattice = psi.lattice();
  std::vector<std::complex<double>> values = psi.to_host();
  for (std::ptrdiff_t k = 0; k < lattice.local_volume(); ++k) {
    const Coordinates site = lexicographic_site(k, lattice.local_extents());
    bool inside = true;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      inside = inside && site[mu] >= first[mu] && site[mu] < first[mu] + extents[mu];
    }
    if (!inside) std::fill_n(values.begin() + 12 * k, 12, 0.0);
  }
  SpinorField<double> result(lattice);
  result.from_host(values);
  return result;
}

TEST(Schwarz, CutsOperatorsIntoBlocks) {
  const Lattice lattice({.extents = {8, 4, 8, 8}});
  const GaugeField<double> links = random_links<double>(lattice);
  const SpinorField<double> psi = gaussian<double>(lattice, 1);
  for (const FermionCase& fermion : fermion_cases()) {
    const auto whole = make_operator<double>(links, fermion);
    for (const Coordinates& block : {Coordinates{4, 2, 4, 4}, Coordinates{8, 4, 4, 8}, Coordinates{2, 0, 0, 2}}) {
      SCOPED_TRACE(fermion.name + " in blocks of " + to_string(block));
      Coordinates extents = block;
      for (std::size_t mu = 0; mu < 4; ++mu) extents[mu] = block[mu] == 0 ? lattice.extents()[mu] : block[mu];
      const auto blocks = blockable(*whole).on_blocks(block);
      for (const Coordinates& first : {Coordinates{0, 0, 0, 0}, Coordinates{8 - extents[0], 0, 8 - extents[2], 0}}) {
        // R_b M R_b^T of the whole operator; and nothing leaves the block.
        const SpinorField<double> in = in_block(psi, first, extents);
        SpinorField<double> out(lattice), cut(lattice);
        SpinorField<double> cut_on_part = cut.on(blocks->lattice());
        whole->apply(out, in);
        blocks->apply(cut_on_part, in.on(blocks->lattice()));
        EXPECT_LE(largest_difference(cut, in_block(out, first, extents)), 1e-14);
        EXPECT_GT(largest_difference(cut, out), 1e-3);
      }
    }
  }
}

TEST(Schwarz, RefusesBlocksThatDoNotFit) {
  const Lattice lattice({.extents = {8, 4, 4, 8}});
  const auto dirac = make_operator<double>(random_links<double>(lattice), fermion_cases()[0]);
  for (const Coordinates& block : {Coordinates{3, 4, 4, 8}, Coordinates{6, 4, 4, 8}, Coordinates{8, 8, 4, 8}}) {
    KAON_EXPECT_ERROR((void)blockable(*dirac).on_blocks(block), "do not divide the local lattice 8x4x4x8");
  }
}

TEST(Schwarz, PreconditionsInSixteenBits) {
  const Lattice lattice({.extents = {8, 8, 8, 16}});
  const GaugeField<double> links = weak_links<double>(lattice, 0.2, 9);
  const FermionCase fermion{"light clover", true, {.mass = 0.01, .csw = 1.0}};  // what is worth a preconditioner
  const auto dirac = make_operator<double>(links, fermion);
  const SpinorField<double> b = gaussian<double>(lattice, 2).parity(Parity::even);
  for (const SchurForm form : {SchurForm::symmetric, SchurForm::asymmetric}) {
    const Schur<double> schur(*dirac, {.form = form});
    for (const LinkStorage storage : built({LinkStorage::two_rows, LinkStorage::minimal})) {
      const auto rounded = converted<half>(*dirac, fermion, storage);
      const Schur<half> half_schur(*rounded, {.form = form});
      const Schwarz<half> schwarz(half_schur, {.block = {8, 8, 8, 8}, .steps = 6});
      const auto solve = [&](const Gcr<half>& gcr) {
        SpinorField<double> x = schur.make_field(2);
        const SolveResult result =
            InPrecision<double, half>(schur, gcr, {.tolerance = 1e-11, .max_refinements = 100}).solve(x, b);
        expect_solution<double>(schur, x, b, result, 1e-11);
        return result.iterations();
      };
      const int with = solve(Gcr<half>(half_schur, schwarz, {.solve = {.tolerance = 0.1}}));
      const int without = solve(Gcr<half>(half_schur, {.solve = {.tolerance = 0.1}}));
      EXPECT_LT(2 * with, without);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
