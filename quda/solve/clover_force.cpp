// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/force_parts.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/solve/chronology.hpp"
#include "quda/solve/operator.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/schur.hpp>

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

// The forces of even-odd preconditioned clover and twisted clover quarks on momenta.

namespace kaon::quda {
namespace {

/// The client's number is another name of a parameter's.
void require_same(double given, double expected, const char* what) {
  require(std::abs(given - expected) <= 1e-6 * std::abs(expected),
          [&] { return fmt::format("{}, but it is {} and the parameters have {}", what, given, expected); });
}

/// S = sum_r c_r <phi, x_r> - n ln |det A_q| with Q x_r + sigma_r x_r = phi, from what a client says. Q is N^dag N
/// if the client sets `dagger`, as clients do, and else N N^dag. If the action is `turned`, Q has N' = gamma5 N^dag
/// gamma5 in place of N: the other sign of the twist.
///
/// Ratios of determinants have x = Q^-1 W phi in S = <W phi, x>, W = -N'^dag gamma5 + a number: their derivative has
/// N' x + gamma5 phi in place of N' x.
struct CloverAction {
  void** solutions = nullptr;
  void** ratio_fields = nullptr;  ///< phi of ratios; null: none
  std::vector<double> residues;   ///< c
  double clover_coefficient = 0.0;
  double flavors = 0.0;  ///< n
  bool turned = false;
};

void require_usable(const CloverAction& action, const MatrixDescription& matrix, const QudaInvertParam& inverter) {
  require(inverter.use_resident_solution != 0 || action.solutions != nullptr, "x, the solutions, is NULL");
  require(matrix.one_parity && matrix.normal,
          "the solution_type of a clover force must be QUDA_MATPCDAG_MATPC_SOLUTION");
  require(matrix.form == SchurForm::asymmetric,
          "the matpc_type of a clover force must be QUDA_MATPC_EVEN_EVEN_ASYMMETRIC or QUDA_MATPC_ODD_ODD_ASYMMETRIC");
}

std::vector<double> residues_of(const double* residues, int count, double factor) {
  require(count >= 1, [&] { return fmt::format("nvector = {}: a force needs at least one solution", count); });
  require(residues != nullptr, "coeff, the residues of the solutions, is NULL");
  std::vector<double> result;
  for (int r = 0; r < count; ++r) result.push_back(factor * residues[r]);
  return result;
}

SpinorField<double> read_all(void** pointers, int count, const Operator& of, const MatrixDescription& matrix,
                             const SpinorDescription& spinors) {
  SpinorField<double> fields = of.make_field(matrix.subset(), count);
  read_spinors(fields, {pointers, static_cast<std::size_t>(count)}, spinors);
  return fields;
}

/// V of all of the action.
GaugeField<double> matrices_of(const CloverAction& action, const MatrixDescription& matrix,
                               const QudaInvertParam& inverter) {
  const auto of = operator_of(matrix.of);
  const EvenOddOperator<double>& dirac = *of->dirac();
  const SpinorDescription spinors = describe_spinors(inverter);
  const int count = static_cast<int>(action.residues.size());
  SpinorField<double> x = inverter.use_resident_solution != 0 ? kept_solutions(count, *of, matrix)
                                                              : read_all(action.solutions, count, *of, matrix, spinors),
                      image = of->make_field(matrix.subset(), count);
  // <N' x, dN' x> = <gamma5 x, dN gamma5 N' x> for N' = gamma5 N^dag gamma5: the roles change.
  if (action.turned) apply_gamma5(x);
  const bool of_image = matrix.dagger != action.turned;
  const Schur<double> schur(dirac, {.form = SchurForm::asymmetric, .parity = matrix.parity});
  of_image ? schur.apply(image, x) : schur.apply_dagger(image, x);
  if (action.ratio_fields != nullptr) {
    SpinorField<double> added = read_all(action.ratio_fields, count, *of, matrix, spinors);
    multiply(added, 1.0 / of->scale());
    blas::add(image, added);
  }
  blas::Reals factors;
  for (const double residue : action.residues) factors.push_back(-2.0 * of->scale() * of->scale() * residue);
  blas::scale(image, factors);
  // M has the site term (1 - c sum sigma F)/(2 kappa), F of the client's links: see loadCloverQuda.
  const ResidentLinks& resident = state().links(LinkKind::wilson);
  const double w = resident.factors.spatial, c = action.clover_coefficient / matrix.of.kappa;
  GaugeField<double> matrices(resident.links.lattice());
  add_product_force(matrices, dirac, of_image ? x : image, of_image ? image : x, action.flavors,
                    {.spatial = c * std::pow(w, 4), .temporal = c * w * w});
  return matrices;
}

/// P = P + step TA(V)
void add_force(void* h_momenta, const GaugeField<double>& matrices, double step, const QudaGaugeParam& links) {
  GaugeField<double> momenta = momenta_to_change(links, h_momenta);
  kick_momenta(momenta, matrices, step);
  if (links.return_result_mom != 0) write_momenta(links, h_momenta, momenta);
  // Momenta of the client's own leave resident ones alone.
  if (links.make_resident_mom == 0) return state().free_momenta();
  if (links.use_resident_mom != 0) state().set_momenta(std::move(momenta));
}

/// Arguments of a client about the action of clover quarks beside its structures.
struct CloverForceGiven {
  void** solutions = nullptr;
  const double* residues = nullptr;
  int count = 0;
  double minus_kappa2 = 0.0;  ///< -kappa^2
  double minus_c_8 = 0.0;     ///< -c/8, c of the clover term
  double flavors = 0.0;       ///< whose determinant of the clover term is in the action
};

void add_clover_force(void* h_momenta, double step, const CloverForceGiven& given, const QudaGaugeParam& links,
                      const QudaInvertParam& inverter) {
  const CloverAction action{.solutions = given.solutions,
                            .residues = residues_of(given.residues, given.count, 1.0),
                            .clover_coefficient = -8.0 * given.minus_c_8,
                            .flavors = given.flavors};
  const MatrixDescription matrix = describe_matrix(inverter);
  require_usable(action, matrix, inverter);
  require(matrix.of.conventions().clover_force,
          "the dslash_type of a clover force is not supported; supported: QUDA_CLOVER_WILSON_DSLASH");
  require_same(given.minus_kappa2, -matrix.of.kappa * matrix.of.kappa, "kappa2 must be -kappa^2");
  if (const auto& coefficient = state().resident_clover().coefficient) {
    require_same(given.minus_c_8, -*coefficient / 8.0, "ck must be -1/8 of the clover term's coefficient");
  }
  add_force(h_momenta, matrices_of(action, matrix, inverter), step, links);
}

/// P = P - TA(V) of sum_r coeff_r/(2 kappa^2) <phi, x_r> - n ln |det A_q|: with coeff = 4 kappa^2 and n = 4 that is
/// twice the action of a doublet. Ratios have no determinant. The coefficients of a doublet in one field are divided by
/// `evmax`, and n is 2. QUDA adds -i offset_r gamma5 tau1 x_r to N' x_r there, which changes nothing: gamma5 tau1 N' is
/// Hermitian.
void add_twisted_force(void* h_momenta, void** solutions, void** ratio_fields, bool ratio, const double* coefficients,
                       int count, const QudaGaugeParam& links, const QudaInvertParam& inverter) {
  const MatrixDescription matrix = describe_matrix(inverter);
  const Conventions& conventions = matrix.of.conventions();
  const double kappa = matrix.of.kappa;
  const double divisor = conventions.force_divisor != nullptr ? conventions.force_divisor(inverter) : 1.0;
  const bool reads_fields = ratio && conventions.ratio_force;
  require(!reads_fields || ratio_fields != nullptr, "detratio = 1, but x0 is NULL");
  const CloverAction action{.solutions = solutions,
                            .ratio_fields = reads_fields ? ratio_fields : nullptr,
                            .residues = residues_of(coefficients, count, 0.5 / (kappa * kappa * divisor)),
                            .clover_coefficient = kappa * inverter.clover_csw,
                            .flavors = ratio ? 0.0 : conventions.force_flavors,
                            .turned = true};
  require_usable(action, matrix, inverter);
  require(conventions.twisted_force || reads_fields,
          "the dslash_type of a twisted clover force is not supported; supported: QUDA_TWISTED_CLOVER_DSLASH, and "
          "QUDA_CLOVER_WILSON_DSLASH where detratio = 1 (QUDA has another weight of the clover term's determinant for "
          "the two: quarks without a twist may have mu = 0)");
  if (const auto& coefficient = state().resident_clover().coefficient) {
    require_same(action.clover_coefficient, *coefficient,
                 "kappa times clover_csw must be the clover term's coefficient");
  }
  add_force(h_momenta, matrices_of(action, matrix, inverter), -1.0, links);
}

/// Runs the body of a function with two structures.
template <class Body>
void with_both(const char* function, QudaGaugeParam* gauge_param, QudaInvertParam* inv_param, const Body& body) {
  call(function, gauge_param, [&](const QudaGaugeParam& links) {
    call(function, inv_param, [&](const QudaInvertParam& inverter) { body(links, inverter); });
  });
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void computeCloverForceQuda(void* mom, double dt, void** x, void**, double* coeff, double kappa2, double ck,
                            int nvector, double multiplicity, void*, QudaGaugeParam* gauge_param,
                            QudaInvertParam* inv_param) {
  with_both(__func__, gauge_param, inv_param, [&](const auto& links, const auto& inverter) {
    add_clover_force(mom, dt, {x, coeff, nvector, kappa2, ck, multiplicity}, links, inverter);
  });
}

void computeTMCloverForceQuda(void* mom, void** x, void** x0, double* coeff, int nvector, QudaGaugeParam* gauge_param,
                              QudaInvertParam* inv_param, int detratio) {
  with_both(__func__, gauge_param, inv_param, [&](const auto& links, const auto& inverter) {
    add_twisted_force(mom, x, x0, detratio != 0, coeff, nvector, links, inverter);
  });
}
}
