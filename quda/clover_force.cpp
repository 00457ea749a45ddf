// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/describe.hpp"
#include "quda/momenta.hpp"
#include "quda/operator.hpp"
#include "quda/parameters.hpp"
#include "quda/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/operators/fermion_force.hpp>

#include <fmt/format.h>

#include <cmath>

// The force of even-odd preconditioned clover quarks on momenta.

namespace kaon::quda {
namespace {

/// What a client says about the action beside its structures.
struct CloverForceGiven {
  void** solutions = nullptr;
  const double* residues = nullptr;
  int count = 0;
  double minus_kappa2 = 0.0;  ///< -kappa^2
  double minus_c_8 = 0.0;     ///< -c/8, c of the clover term
  double flavors = 0.0;       ///< whose determinant of the clover term is in the action
};

/// The client's number is another name of a parameter's.
void require_same(double given, double expected, const char* what) {
  require(std::abs(given - expected) <= 1e-6 * std::abs(expected),
          [&] { return fmt::format("{}, but it is {} and the parameters have {}", what, given, expected); });
}

void require_usable(const CloverForceGiven& given, const MatrixDescription& matrix, const QudaInvertParam& inverter) {
  require(given.count >= 1,
          [&] { return fmt::format("nvector = {}: a force needs at least one solution", given.count); });
  require(given.residues != nullptr, "coeff, the residues of the solutions, is NULL");
  require(inverter.use_resident_solution == 0,
          "use_resident_solution = 1 is not supported: pass the solutions, kaon keeps none");
  require(given.solutions != nullptr, "x, the solutions, is NULL");
  require(matrix.of.dslash == Dslash::clover,
          "the dslash_type of a clover force is not supported; supported: QUDA_CLOVER_WILSON_DSLASH");
  require(matrix.one_parity && matrix.normal,
          "the solution_type of a clover force must be QUDA_MATPCDAG_MATPC_SOLUTION");
  require(matrix.form == SchurForm::asymmetric,
          "the matpc_type of a clover force must be QUDA_MATPC_EVEN_EVEN_ASYMMETRIC or QUDA_MATPC_ODD_ODD_ASYMMETRIC");
  require_same(given.minus_kappa2, -matrix.of.kappa * matrix.of.kappa, "kappa2 must be -kappa^2");
  if (const auto& coefficient = state().clover().coefficient) {
    require_same(given.minus_c_8, -*coefficient / 8.0, "ck must be -1/8 of the clover term's coefficient");
  }
}

/// With the solutions x_r: dS = sum_r Re <Y_r, dM X_r> of S = sum_r c_r <phi, x_r>, Q x_r + sigma_r x_r = phi. Q is
/// N^dag N where the client says `dagger`, as clients do, N N^dag where it does not: X and Y change places.
ForceFields fields_of(const CloverForceGiven& given, const MatrixDescription& matrix, const Operator& of,
                      const SpinorDescription& spinors) {
  SpinorField<double> x = of.make_field(matrix.subset(), given.count),
                      image = of.make_field(matrix.subset(), given.count);
  blas::Reals factors;
  for (int r = 0; r < given.count; ++r) {
    read_spinor(x, r, given.solutions[r], spinors);
    factors.push_back(-2.0 * of.scale() * of.scale() * given.residues[r]);
  }
  const Schur<double> schur(*of.dirac(), {.form = SchurForm::asymmetric, .parity = matrix.parity});
  matrix.dagger ? schur.apply(image, x) : schur.apply_dagger(image, x);
  blas::scale(image, factors);
  return matrix.dagger ? force_fields(*of.dirac(), x, image) : force_fields(*of.dirac(), image, x);
}

/// V of all of the action: the pseudofermions' and -n ln det A of the other parity.
GaugeField<double> matrices_of(const CloverForceGiven& given, const QudaInvertParam& inverter) {
  const MatrixDescription matrix = describe_matrix(inverter);
  require_usable(given, matrix, inverter);
  const auto of = operator_of(matrix.of);
  const ResidentLinks& resident = state().links(Links::wilson);
  GaugeField<double> matrices(resident.links.lattice());
  FieldStrengthDerivative derivative(resident.links.lattice());
  // M has the site term (1 - c sum sigma F)/(2 kappa), F of the client's links: see loadCloverQuda.
  const double w = resident.factors.spatial, c = -8.0 * given.minus_c_8 / matrix.of.kappa;
  const CloverParameters term{.spatial = c * std::pow(w, 4), .temporal = c * w * w};
  {
    const ForceFields fields = fields_of(given, matrix, *of, describe_spinors(inverter));
    add_hop_force(matrices, *of->dirac(), fields);
    add_clover_products(derivative, fields, term);
  }
  const auto& dirac = dynamic_cast<const WilsonClover<double>&>(*of->dirac());
  add_log_determinant(derivative, dirac.site_term_inverse(), opposite(matrix.parity), term, -given.flavors);
  add_field_strength_force(matrices, resident.links, derivative);
  return matrices;
}

void add_clover_force(void* h_momenta, double step, const CloverForceGiven& given, const QudaGaugeParam& links,
                      const QudaInvertParam& inverter) {
  GaugeField<double> momenta = momenta_to_change(links, h_momenta);
  kick_momenta(momenta, matrices_of(given, inverter), step);
  if (links.return_result_mom != 0) write_momenta(links, h_momenta, momenta);
  // Momenta of the client's own leave resident ones alone.
  if (links.make_resident_mom == 0) return state().free_momenta();
  if (links.use_resident_mom != 0) state().set_momenta(std::move(momenta));
}

}  // namespace
}  // namespace kaon::quda

extern "C" {

void computeCloverForceQuda(void* mom, double dt, void** x, void**, double* coeff, double kappa2, double ck,
                            int nvector, double multiplicity, void*, QudaGaugeParam* gauge_param,
                            QudaInvertParam* inv_param) {
  kaon::quda::call(__func__, gauge_param, [&](const QudaGaugeParam& links) {
    kaon::quda::call(__func__, inv_param, [&](const QudaInvertParam& inverter) {
      kaon::quda::add_clover_force(mom, dt, {x, coeff, nvector, kappa2, ck, multiplicity}, links, inverter);
    });
  });
}
}
