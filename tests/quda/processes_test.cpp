// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/domain_wall.hpp"
#include "tests/quda/parts.hpp"
#include "tests/quda/twisted_doublet.hpp"
#include "tests/reference/flow.hpp"

#if __has_include(<quda_milc_interface.h>)
#include <quda_milc_interface.h>
#define KAON_TEST_MILC
#endif

#include <mpi.h>

#include <numeric>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Shifts, loops and momenta on every grid: the links that momenta have moved have the energy that one process finds.
TEST(QudaProcesses, ShiftFieldsAndMoveLinksOnEveryGrid) {
  const reference::Links links = random_links(1);
  const reference::Spinor psi = random_field(12, 2);
  const reference::Links given = multiplied(links, true, 1.0);
  int path[] = {3, 3, 0, 4, 4, 7};
  int* paths[] = {path};
  int length = 6;
  double coefficient = 1.0;
  const auto trace = [&] {
    Complex found;
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(&found), paths, &length, &coefficient, 1, 6, 1.0);
    return found;
  };
  Complex expected = 0.0;
  reference::for_each_site(extents, [&](const Coordinates& x) {
    const auto product = reference::path_product(given, x, {4, 4, 1, -4, -4, -1}, extents);
    expected += product[0] + product[4] + product[8];
  });
  on_every_grid([&](const Part& part) {
    const LoadedPart loaded(part, links);
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
    for (int direction = 0; direction < 8; ++direction) {
      std::vector<Complex> in = part.of(psi), out(in.size());
      covDevQuda(out.data(), in.data(), direction, &param);
      EXPECT_LT(
          reference::relative_difference(
              part.whole(out), reference::covariant_shift(psi, given, direction % 4, direction < 4 ? 1 : -1, extents)),
          1e-14);
    }
    EXPECT_LT(std::abs(trace() - expected), 1e-11);

    // Random numbers are those of sites: momenta and what they do are the same on every grid.
    QudaGaugeParam resident = loaded.gauge;
    resident.use_resident_gauge = resident.make_resident_gauge = 1;
    resident.use_resident_mom = resident.make_resident_mom = 1;
    resident.return_result_gauge = resident.return_result_mom = 0;
    std::vector<double> reals(10 * static_cast<std::size_t>(volume_of(part.local)));
    void* momenta[] = {reals.data(), reals.data(), reals.data(), reals.data()};
    momResidentQuda(momenta, &resident);
    gaussMomQuda(3, 1.0);
    updateGaugeFieldQuda(nullptr, nullptr, 0.1, 0, 1, &resident);
    static const double action = momActionQuda(nullptr, &resident);
    static const Complex moved = trace();
    EXPECT_NEAR(momActionQuda(nullptr, &resident), action, 1e-9);
    EXPECT_LT(std::abs(trace() - moved), 1e-11);
    EXPECT_GT(std::abs(moved - expected), 0.1);
  });
}

// Eigenvalues do not depend on the grid, and vectors are eigenvectors of the matrix on all processes.
TEST(QudaProcesses, FindEigenvectorsOnEveryGrid) {
  const reference::Links links = random_links(1);
  on_every_grid([&](const Part& part) {
    const LoadedPart loaded(part, links);
    QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
    QudaEigParam param = newQudaEigParam();
    param.invert_param = &of;
    param.use_norm_op = param.use_pc = QUDA_BOOLEAN_TRUE;
    param.spectrum = QUDA_SPECTRUM_SR_EIG;
    param.n_conv = param.n_ev = 2;
    param.n_kr = 24;
    param.tol = 1e-8;
    param.max_restarts = 100;
    std::vector<Complex> v(static_cast<std::size_t>(6 * volume_of(part.local))), w(v.size()), values(2);
    void* vectors[] = {v.data(), w.data()};
    eigensolveQuda(vectors, reinterpret_cast<double _Complex*>(values.data()), &param);
    static const std::vector<Complex> expected = values;
    MatDagMatQuda(w.data(), v.data(), &of);
    double sums[] = {0.0, 0.0};
    for (std::size_t k = 0; k < v.size(); ++k) {
      sums[0] += std::norm(v[k]);
      sums[1] += std::norm(w[k] - values[0] * v[k]);
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_NEAR(sums[0], 1.0, 1e-12);
    EXPECT_LT(std::sqrt(sums[1]), 2.0 * param.tol * values[0].real());
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(values[i].real(), expected[i].real(), 1e-12 * expected[i].real());
  });
}

/// The functions that take a client's processes.
const std::vector<void (*)(void*)> handles{setMPICommHandleQuda, qudaSetCommHandle,
#ifdef KAON_TEST_MILC
                                           qudaSetMPICommHandle
#endif
};

/// Passes processes in a variable that ends with the call.
void hand_over_half_of_the_processes(void (*handle)(void*)) {
  const int rank = rank_in(MPI_COMM_WORLD);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  handle(&half);
}

// Two groups of processes, or one, each on a lattice of its own.
void expect_groups(void (*handle)(void*)) {
  hand_over_half_of_the_processes(handle);
  const int size = number_of_processes(), of_group = size > 1 ? size / 2 : 1;
  const std::array<int, 4> grid{1, 1, 1, of_group};
  initCommsGridQuda(4, grid.data(), nullptr, nullptr);
  initQuda(-1);
  const int rank = rank_in(MPI_COMM_WORLD);
  const reference::Links links = random_links(static_cast<unsigned>(1 + rank % 2));
  const LoadedPart loaded(Part(grid, size > 1 ? rank / 2 : 0), links);
  double plaquette[3];
  plaqQuda(plaquette);
  EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), 1e-14);
  freeGaugeQuda();
  endQuda();
  handle(nullptr);
}

TEST(QudaProcesses, AreThoseOfTheClientsCommunicator) {
  for (const auto handle : handles) expect_groups(handle);
}

// Each grid in a life of its own: the library ends and starts again.
TEST(QudaProcesses, SolveAndFlowAsTheReferenceOnEveryGrid) {
  const reference::Links links = random_links(1);
  const reference::Spinor b = random_field(12, 2);
  const reference::Links flowed = reference::flow_step(links, 0.05, {}, extents);
  const reference::Spinor flowed_b = reference::fermion_flow_step(b, multiplied(links, true, 1.0), 0.05, {}, extents);
  on_every_grid([&](const Part& part) {
    LoadedPart loaded(part, links);
    QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
    loadCloverQuda(nullptr, nullptr, &param);
    std::vector<Complex> source = part.of(b), solution(source.size());
    invertQuda(solution.data(), source.data(), &param);
    const reference::WilsonOperator m(links, extents,
                                      {.mass = 0.5 / param.kappa - 4.0,
                                       .csw_spatial = param.clover_coeff / param.kappa,
                                       .csw_temporal = param.clover_coeff / param.kappa});
    reference::Spinor product = m.apply(part.whole(solution));
    for (Complex& z : product) z *= 2.0 * param.kappa;
    EXPECT_LT(reference::relative_difference(product, b), 1.01 * param.tol);
    double plaquette[3];
    plaqQuda(plaquette);
    EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), 1e-14);

    QudaGaugeSmearParam smearing = newQudaGaugeSmearParam();
    smearing.smear_type = QUDA_GAUGE_SMEAR_WILSON_FLOW;
    smearing.epsilon = 0.05;
    smearing.n_steps = smearing.meas_interval = 1;
    std::array<QudaGaugeObservableParam, 2> observables{newQudaGaugeObservableParam(), newQudaGaugeObservableParam()};
    for (QudaGaugeObservableParam& each : observables) each.compute_qcharge = QUDA_BOOLEAN_TRUE;
    performWFlowQuda(&smearing, observables.data());
    flow_fermion(solution.data(), source.data(), &param, &smearing, observables.data());
    EXPECT_LT(reference::relative_difference(part.whole(solution), flowed_b), 1e-13);
    for (std::size_t n = 0; n < 2; ++n) {
      const reference::Energy energy = reference::clover_energy(n == 0 ? links : flowed, extents);
      const std::vector<double> density = reference::charge_density(n == 0 ? links : flowed, extents);
      EXPECT_NEAR(observables[n].energy[0], energy.spatial + energy.temporal, 1e-13);
      EXPECT_NEAR(observables[n].qcharge, std::accumulate(density.begin(), density.end(), 0.0), 1e-13);
    }
    loaded.gauge.type = QUDA_SMEARED_LINKS;
    saveGaugeQuda(loaded.pointers.data(), &loaded.gauge);
    const QdpLinks expected(multiplied(flowed, true, 1.0));
    for (std::size_t mu = 0; mu < 4; ++mu) {
      EXPECT_LT(reference::relative_difference(even_odd(part.whole(loaded.directions[mu])), expected.parts[mu]), 1e-13);
    }
  });
}

/// Solutions of quarks on slices, with the matrix on all sites of `quda`.
template <class Formulas>
void expect_solution_on_every_grid(const reference::Links& links, const Formulas& quda, QudaInvertParam param) {
  const Slices b = random_slices(param, 3);
  on_every_grid([&](const Part& part) {
    const LoadedPart loaded(part, links);
    std::vector<Complex> source;
    const auto half = static_cast<std::ptrdiff_t>(6 * volume_of(part.local));
    for (const std::ptrdiff_t first : {std::ptrdiff_t{0}, half}) {
      for (const reference::Spinor& slice : b) {
        const std::vector<Complex> here = part.of(slice);
        source.insert(source.end(), here.begin() + first, here.begin() + first + half);
      }
    }
    std::vector<Complex> solution(source.size());
    invertQuda(solution.data(), source.data(), &param);
    Slices x;
    for (std::ptrdiff_t s = 0; s < param.Ls; ++s) {
      const auto even = solution.begin() + s * half, odd = even + param.Ls * half;
      std::vector<Complex> here(even, even + half);
      here.insert(here.end(), odd, odd + half);
      x.push_back(part.whole(here));
    }
    EXPECT_LT(difference(quda.mat(x, false), b), 1.01 * param.tol);
  });
}

TEST(QudaProcesses, SolveDomainWallQuarksOnEveryGrid) {
  const reference::Links links = random_links(1);
  const QudaInvertParam param = domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, 3);
  expect_solution_on_every_grid(links, QudaDomainWall(links, param), param);
}

TEST(QudaProcesses, SolveDoubletsOnEveryGrid) {
  const reference::Links links = random_links(1);
  const QudaInvertParam param = doublet_param(QUDA_TWISTED_MASS_DSLASH);
  expect_solution_on_every_grid(links, QudaDoublet(links, param), param);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  setVerbosityQuda(QUDA_SILENT, "", stderr);
  const int failed = RUN_ALL_TESTS();
  MPI_Finalize();
  return failed;
}
