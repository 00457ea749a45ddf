// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/force_cases.hpp"
#include "tests/reference/schur.hpp"

// The clover force is the derivative of an action of the slow reference, by finite differences.
namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

constexpr double residues[vectors] = {0.02, -0.03};
constexpr double flavors = 2.0, step = 0.3;

struct ForceCase {
  int parity = 0;
  bool dagger = true;
  double anisotropy = 1.0;
};

QudaInvertParam force_param(const ForceCase& of) {
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.solve_type = QUDA_NORMOP_PC_SOLVE;
  param.matpc_type = of.parity == 0 ? QUDA_MATPC_EVEN_EVEN_ASYMMETRIC : QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  param.dagger = of.dagger ? QUDA_DAG_YES : QUDA_DAG_NO;
  return param;
}

/// M of the client's N = 2 kappa M = 1 - c sum sigma F - kappa D, F and D of links that are divided by the anisotropy
/// in space.
reference::WilsonOperator slow_operator(const reference::Links& links, const ForceCase& of) {
  const QudaInvertParam param = force_param(of);
  const double w = 1.0 / of.anisotropy, c = param.clover_coeff / param.kappa;
  reference::WilsonParameters parameters{.anisotropy = of.anisotropy};
  parameters.mass = 0.5 / param.kappa - 1.0 - 3.0 * w;
  parameters.csw_spatial = c * std::pow(w, 3);
  parameters.csw_temporal = c * w * w;
  return {links, extents, parameters};
}

/// With fields x that do not change, -sum_r c_r |N x_r|^2 has the derivative that sum_r c_r <phi, (N^dag N)^-1 phi> has
/// where x = (N^dag N)^-1 phi. N^dag takes the place of N without `dagger`. And the logarithms of determinants.
double action(const reference::Links& links, const std::vector<reference::Spinor>& x, const ForceCase& of) {
  const reference::WilsonOperator m = slow_operator(links, of);
  const double two_kappa = 2.0 * force_param(of).kappa;
  double sum = -flavors * log_determinant(m, 1 - of.parity);
  for (std::size_t r = 0; r < vectors; ++r) {
    const reference::Spinor image =
        of.dagger ? schur_asymmetric(m, x[r], of.parity) : schur_asymmetric_dagger(m, x[r], of.parity);
    sum -= residues[r] * two_kappa * two_kappa * reference::norm2(image);
  }
  return sum;
}

/// The client's call, with links and the clover term resident.
void add_force(void* momenta, Solutions& x, QudaGaugeParam& links, QudaInvertParam param) {
  double coefficients[vectors] = {residues[0], residues[1]};
  computeCloverForceQuda(momenta, step, x.pointers.data(), nullptr, coefficients, -param.kappa * param.kappa,
                         -param.clover_coeff / 8.0, vectors, flavors, nullptr, &links, &param);
}

TEST(QudaCloverForce, IsTheDerivativeOfTheAction) {
  const reference::Links links = smooth_links();
  for (const ForceCase& of : {ForceCase{}, ForceCase{.parity = 1}, ForceCase{.dagger = false},
                              ForceCase{.parity = 1, .dagger = false, .anisotropy = 1.5}}) {
    SCOPED_TRACE(testing::Message() << "parity " << of.parity << ", dagger " << of.dagger << ", anisotropy "
                                    << of.anisotropy);
    const Loaded loaded(links, QUDA_CLOVER_WILSON_DSLASH, of.anisotropy);
    Solutions x(of.parity);
    QdpMomenta change;
    QudaGaugeParam param = host_param();
    param.anisotropy = of.anisotropy;
    param.overwrite_mom = 1;
    add_force(change.pointers(), x, param, force_param(of));
    Derivatives([&](const reference::Links& u) { return action(u, x.slow, of); }, links).expect_in(host(change), -step);
  }
}

// Into the client's momenta or the resident ones, added to the values or in their place.
TEST(QudaCloverForce, IsAddedToMomenta) {
  const Loaded loaded(smooth_links(), QUDA_CLOVER_WILSON_DSLASH);
  const QudaInvertParam param = force_param({});
  Solutions x(0);
  QudaGaugeParam own = host_param(), resident = resident_param(), overwriting = host_param();
  overwriting.overwrite_mom = 1;
  QdpMomenta change(4), added(4), back;
  add_force(change.pointers(), x, overwriting, param);
  add_force(added.pointers(), x, own, param);
  QdpMomenta before(4);
  momResidentQuda(before.pointers(), &resident);
  add_force(nullptr, x, resident, param);
  // The client's own momenta leave the resident ones alone.
  QudaGaugeParam beside = own;
  beside.make_resident_mom = 1;
  QdpMomenta again(4);
  add_force(again.pointers(), x, beside, param);
  QudaGaugeParam returning = resident;
  returning.make_resident_mom = 0;
  returning.return_result_mom = 1;
  momResidentQuda(back.pointers(), &returning);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t k = 0; k < back.parts[mu].size(); ++k) {
      if (k % 10 == 9) continue;
      EXPECT_NEAR(added.parts[mu][k], before.parts[mu][k] + change.parts[mu][k], 1e-13);
      EXPECT_EQ(back.parts[mu][k], added.parts[mu][k]);
      EXPECT_EQ(again.parts[mu][k], added.parts[mu][k]);
    }
  }
}

// The library stores the solutions, equal to those of a solve that returns them, and writes nothing into the arrays.
TEST(QudaCloverForce, TakesResidentSolutions) {
  const Loaded loaded(smooth_links(), QUDA_CLOVER_WILSON_DSLASH);
  QudaGaugeParam links = host_param();
  links.overwrite_mom = 1;
  for (const int shifts : {0, 2}) {  // 0: a solve of one system
    QudaInvertParam param = force_param({});
    param.num_offset = shifts;
    for (int k = 0; k < shifts; ++k) {
      param.offset[k] = 0.1 * k;
      param.tol_offset[k] = 1e-10;
    }
    Solutions x(0), b(0, 9);
    const auto solve = [&] {
      std::vector<Complex> source = b.client[0];
      shifts == 0 ? invertQuda(x.pointers[0], source.data(), &param)
                  : invertMultiShiftQuda(x.pointers.data(), source.data(), &param);
    };
    const auto force = [&] {
      double coefficients[vectors] = {residues[0], residues[1]};
      QdpMomenta change;
      computeCloverForceQuda(change.pointers(), step, x.pointers.data(), nullptr, coefficients,
                             -param.kappa * param.kappa, -param.clover_coeff / 8.0, std::max(shifts, 1), flavors,
                             nullptr, &links, &param);
      return change.parts;
    };
    param.make_resident_solution = 1;
    const auto before = x.client;
    solve();
    EXPECT_EQ(x.client, before);
    param.use_resident_solution = 1;
    const auto of_kept = force();
    param.make_resident_solution = param.use_resident_solution = 0;
    solve();
    EXPECT_NE(x.client, before);
    EXPECT_EQ(force(), of_kept);
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
