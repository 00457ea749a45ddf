// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/twisted_doublet_action.hpp"

// The force of twisted clover doublets as tmLQCD requests it in `compute_ndcloverrat_derivative_quda`.
namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

TEST(QudaDoubletForce, IsTheDerivativeOfTheAction) {
  const reference::Links links = smooth_links();
  const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
  QudaInvertParam param = doublet_force_param();
  const std::vector<Slices> x = doublet_solutions();
  std::vector<std::vector<Complex>> clients;
  for (const Slices& solution : x) clients.push_back(to_client(solution, param));
  void* pointers[] = {subset(clients[0], param), subset(clients[1], param)};
  std::array<double, vectors> coefficients = doublet_coefficients(param);
  for (const bool ratio : {false, true}) {
    QdpMomenta change;
    QudaGaugeParam own = host_param();
    own.overwrite_mom = 1;
    computeTMCloverForceQuda(change.pointers(), pointers, nullptr, coefficients.data(), vectors, &own, &param, ratio);
    Derivatives([&](const reference::Links& u) { return doublet_action(u, x, ratio); }, links).expect_in(host(change));
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
