// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/force_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"
#include "tests/reference/twisted_doublet.hpp"

// The force of twisted clover doublets as tmLQCD asks for it in `compute_ndcloverrat_derivative_quda`.
namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

constexpr double weights[vectors] = {1.0, -0.6};

QudaInvertParam doublet_force_param() {
  QudaInvertParam param = doublet_param(QUDA_TWISTED_CLOVER_DSLASH);
  param.clover_csw = param.clover_coeff / param.kappa;
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.dagger = QUDA_DAG_YES;
  param.evmax = 3.1;
  param.offset[0] = 0.3;
  param.offset[1] = 0.7;
  return param;
}

double coefficient(const QudaInvertParam& param, std::size_t r) { return 4.0 * param.kappa * param.kappa * weights[r]; }

/// -sum_r coeff_r/(2 kappa^2 evmax) |N' x_r|^2 of fields x that do not change, N' = gamma5 N^dag gamma5, whose twist
/// has the other sign, and -2 ln |det A_2| on the other parity.
double action(const reference::Links& links, const std::vector<Slices>& x, bool ratio) {
  QudaInvertParam turned = doublet_force_param();
  turned.mu = -turned.mu;
  const QudaDoublet quda(links, turned);
  const reference::TwistedDoubletOperator m(links, extents,
                                            {.mass = reference::mass_from_kappa(turned.kappa),
                                             .csw_spatial = turned.clover_csw,
                                             .csw_temporal = turned.clover_csw,
                                             .twisted_mass = turned.mu},
                                            turned.epsilon);
  double sum = ratio ? 0.0 : -2.0 * m.log_determinant(0);
  for (std::size_t r = 0; r < vectors; ++r) {
    const double factor = coefficient(turned, r) / (2.0 * turned.kappa * turned.kappa * turned.evmax);
    sum -= factor * reference::norm2(reference::joined(quda.matpc(x[r], false, false)));
  }
  return sum;
}

TEST(QudaDoubletForce, IsTheDerivativeOfTheAction) {
  const reference::Links links = smooth_links();
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam param = doublet_force_param();
  std::vector<Slices> x;
  std::vector<std::vector<Complex>> clients;
  for (unsigned r = 0; r < vectors; ++r) {
    x.push_back(on_parity(random_slices(param, 5 + r), 1));
    clients.push_back(to_client(x.back(), param));
  }
  void* pointers[] = {subset(clients[0], param), subset(clients[1], param)};
  double coefficients[] = {coefficient(param, 0), coefficient(param, 1)};
  for (const bool ratio : {false, true}) {
    QdpMomenta change;
    QudaGaugeParam own = host_param();
    own.overwrite_mom = 1;
    computeTMCloverForceQuda(change.pointers(), pointers, nullptr, coefficients, vectors, &own, &param, ratio);
    const reference::Links force = host(change);
    for (const reference::Links& momenta : directions_of_test()) {
      const double expected = reference::derivative_along(
          [&](const reference::Links& u) { return action(u, x, ratio); }, links, momenta, 2e-3, extents);
      const double scale = std::sqrt(reference::norm2(momenta) * reference::norm2(force));
      EXPECT_GT(std::abs(expected), 1e-5 * scale);
      EXPECT_NEAR(product(momenta, force), expected, 1e-8 * scale);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
