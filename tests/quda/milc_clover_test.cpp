// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/force_cases.hpp"
#include "tests/reference/schur.hpp"

#include <quda_milc_interface.h>

// MILC's functions for clover quarks on one parity.
namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

constexpr double kappa = 0.115, csw = 1.3;

reference::WilsonOperator slow_operator(const reference::Links& links) {
  return {links, extents, {.mass = 0.5 / kappa - 4.0, .csw_spatial = csw, .csw_temporal = csw}};
}

class QudaMilcClover : public testing::Test {
 protected:
  QudaMilcClover() : links(smooth_links()) {
    const int grid[] = {1, 1, 1, 1};
    qudaSetLayout({extents.data(), grid, 0});
    args.max_iter = 2000;
    args.solver_type = QUDA_CG_INVERTER;
    args.boundary_phase[3] = 1.0;
  }
  ~QudaMilcClover() override {
    qudaFreeCloverField();
    qudaFreeGaugeField();
  }
  /// Links and their clover term, resident.
  void load(const reference::Links& u) {
    const std::vector<Complex> given = even_odd(multiplied(u, true, 1.0));
    qudaLoadGaugeField(2, 2, args, given.data());
    QudaInvertParam clover = invert_param(QUDA_CLOVER_WILSON_DSLASH);
    clover.clover_coeff = csw * kappa;
    loadCloverQuda(nullptr, nullptr, &clover);
  }

  const reference::Links links;
  QudaInvertArgs_t args{};
};

// (N^dag N + sigma) x = b with N = 1 - c sigma F - kappa^2 D A^-1 D on even sites, also for a single shift of 0.
TEST_F(QudaMilcClover, SolvesSystemsWithShifts) {
  load(links);
  args.mixed_precision = 2;
  const reference::WilsonOperator m = slow_operator(links);
  const reference::Spinor even = reference::restrict_to_parity(random_field(12, 2), 0, extents);
  for (std::vector<double> offsets : {std::vector<double>{0.03, 0.3}, std::vector<double>{0.0}}) {
    const std::size_t count = offsets.size();
    std::vector<Complex> b = even_odd(even);
    std::vector<std::vector<Complex>> x(count, std::vector<Complex>(b.size()));
    std::vector<void*> solutions;
    for (auto& each : x) solutions.push_back(each.data());
    const std::vector<double> tolerances(count, 1e-10);
    std::vector<double> residuals(count, 1.0);
    int iterations = 0;
    qudaCloverMultishiftInvert(2, 2, static_cast<int>(count), offsets.data(), kappa, csw * kappa, args,
                               tolerances.data(), b.data(), solutions.data(), residuals.data(), &iterations);
    EXPECT_GT(iterations, 0);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LE(residuals[i], 1e-10);
      const reference::Spinor found = lexicographic(x[i]);
      reference::Spinor image = reference::schur_asymmetric_dagger(m, reference::schur_asymmetric(m, found, 0), 0);
      for (std::size_t k = 0; k < image.size(); ++k)
        image[k] = std::pow(2.0 * kappa, 2) * image[k] + offsets[i] * found[k];
      EXPECT_LT(reference::relative_difference(image, even), 1.01e-10);
    }
  }
}

// P + dt TA(V) is that of S = sum_i c_i <phi, x_i> - n ln det A_odd with x_i = (N N^dag + sigma_i)^-1 phi, which are
// gamma5 (N^dag N + sigma_i)^-1 gamma5 phi: all solves are MILC's own.
TEST_F(QudaMilcClover, ForceIsTheDerivativeOfTheAction) {
  constexpr double step = 0.3, flavors = 2.0;
  double offsets[] = {0.05, 0.4}, residues[] = {0.8, -0.3};
  std::vector<Complex> phi = random_field(12, 2);
  phi.resize(phi.size() / 2);
  std::vector<std::vector<Complex>> x(2, phi);
  const auto action = [&](const reference::Links& u) {
    load(u);
    std::vector<Complex> b = reference::multiply_gamma5(phi, 12);
    void* solutions[] = {x[0].data(), x[1].data()};
    const double tolerances[] = {1e-12, 1e-12};
    double residuals[2];
    int iterations = 0;
    qudaCloverMultishiftInvert(2, 2, 2, offsets, kappa, csw * kappa, args, tolerances, b.data(), solutions, residuals,
                               &iterations);
    double sum = -flavors * log_determinant(slow_operator(u), 1);
    for (std::size_t i = 0; i < 2; ++i) {
      x[i] = reference::multiply_gamma5(x[i], 12);
      sum += residues[i] * reference::dot(phi, x[i]).real();
    }
    return sum;
  };
  action(links);
  QdpMomenta momenta(4), after(4);
  const auto sites = static_cast<std::size_t>(volume_of(extents));
  std::vector<double> milcs(40 * sites);
  const auto for_each_real = [&](const auto& body) {
    for (std::size_t k = 0; k < milcs.size(); ++k) body(milcs[k], k / 10 % 4, k / 40 * 10 + k % 10);
  };
  for_each_real([&](double& real, std::size_t mu, std::size_t k) { real = momenta.parts[mu][k]; });
  void* solutions[] = {x[0].data(), x[1].data()};
  qudaCloverForce(milcs.data(), step, solutions, nullptr, residues, kappa, -csw * kappa / 8.0, 2, flavors, nullptr, 2,
                  args);
  for_each_real([&](double& real, std::size_t mu, std::size_t k) { after.parts[mu][k] = real; });
  reference::Links force = host(after);
  const reference::Links before = host(momenta);
  for (std::size_t k = 0; k < force.size(); ++k) force[k] -= before[k];
  Derivatives(action, links, 5e-3).expect_in(force, -step, 1e-7);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
