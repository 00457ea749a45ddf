// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/twisted_action.hpp"

// The force of twisted clover quarks as tmLQCD requests it.
namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

/// The change of momenta by the client's call, with links and the clover term resident.
reference::Links change_by_force(Solutions& x, Solutions& phi, const TwistedForceCase& of) {
  QdpMomenta change;
  QudaGaugeParam links = host_param();
  links.overwrite_mom = 1;
  QudaInvertParam param = force_param(of);
  double coefficients[vectors];
  for (std::size_t r = 0; r < vectors; ++r) coefficients[r] = coefficient(param, r);
  computeTMCloverForceQuda(change.pointers(), x.pointers.data(), of.ratio ? phi.pointers.data() : nullptr, coefficients,
                           vectors, &links, &param, of.ratio);
  return host(change);
}

// The momenta change by minus the traceless anti-Hermitian derivative.
TEST(QudaTwistedForce, IsTheDerivativeOfTheAction) {
  const reference::Links links = smooth_links();
  for (const TwistedForceCase& of :
       {TwistedForceCase{}, TwistedForceCase{.parity = 0, .dagger = false}, TwistedForceCase{.ratio = true},
        TwistedForceCase{.parity = 0, .dagger = false, .ratio = true},
        TwistedForceCase{.ratio = true, .dslash = QUDA_CLOVER_WILSON_DSLASH}, TwistedForceCase{.rho = 0.4},
        TwistedForceCase{.parity = 0, .dagger = false, .ratio = true, .rho = -0.6}}) {
    SCOPED_TRACE(testing::Message() << "parity " << of.parity << ", dagger " << of.dagger << ", ratio " << of.ratio
                                    << ", dslash " << of.dslash << ", rho " << of.rho);
    const Loaded loaded(links, of.dslash);
    Solutions x(of.parity), phi(of.parity, 15);
    Derivatives([&](const reference::Links& u) { return action(u, x, phi, of); }, links)
        .expect_in(change_by_force(x, phi, of));
  }
}

// With the fields that tmLQCD solves for, b = phi or W phi with W = Q_+ + i rho, Q_+ = -N'^dag gamma5, the momenta
// change by minus the derivative of <b, x>, x = (N'^dag N')^-1 b, times coeff / (2 kappa^2) = 2. All solves are the
// library's.
TEST(QudaTwistedForce, IsThatOfSolutions) {
  constexpr double rho = 0.35;
  const reference::Links links = smooth_links();
  std::vector<Complex> phi = random_field(12, 15);
  phi.resize(phi.size() / 2);  // on one parity, in the client's order
  for (const bool ratio : {false, true}) {
    const TwistedForceCase of{.ratio = ratio, .rho = 0.25};
    QudaInvertParam turned = force_param(of);
    turned.mu = -turned.mu;
    turned.tm_rho = -turned.tm_rho;
    turned.dagger = QUDA_DAG_NO;
    turned.inv_type = QUDA_CG_INVERTER;
    turned.cuda_prec_sloppy = QUDA_DOUBLE_PRECISION;
    turned.tol = 1e-12;
    const auto source = [&] {
      std::vector<Complex> in = reference::multiply_gamma5(phi, 12), out(in.size());
      if (!ratio) return phi;
      QudaInvertParam adjoint = turned;
      adjoint.solution_type = QUDA_MATPC_SOLUTION;
      adjoint.dagger = QUDA_DAG_YES;
      MatQuda(out.data(), in.data(), &adjoint);
      for (std::size_t k = 0; k < out.size(); ++k) out[k] = -out[k] + Complex(0.0, rho) * phi[k];
      return out;
    };
    std::vector<Complex> x(phi.size());
    const auto action_of = [&](const reference::Links& u) {
      const Loaded loaded(u, QUDA_TWISTED_CLOVER_DSLASH);
      std::vector<Complex> b = source();
      invertQuda(x.data(), b.data(), &turned);
      const double determinant = ratio ? 0.0 : -4.0 * log_determinant(turned_operator(u, of), 1 - of.parity);
      return 2.0 * reference::dot(b, x).real() + determinant;
    };
    action_of(links);
    QdpMomenta change;
    {
      const Loaded loaded(links, QUDA_TWISTED_CLOVER_DSLASH);
      QudaGaugeParam param = host_param();
      param.overwrite_mom = 1;
      QudaInvertParam inverter = force_param(of);
      double coefficients[] = {coefficient(inverter, 0)};
      void *solution = x.data(), *field = phi.data();
      computeTMCloverForceQuda(change.pointers(), &solution, &field, coefficients, 1, &param, &inverter, ratio);
    }
    Derivatives(action_of, links, 5e-3).expect_in(host(change), 1.0, 1e-7);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
