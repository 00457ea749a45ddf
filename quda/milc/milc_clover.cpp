// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/milc/milc.hpp"

#include <algorithm>

// MILC's functions for clover quarks, on top of those of quda.h.

namespace kaon::quda {
namespace {

QudaInvertParam clover_parameters(int external, int internal, const QudaInvertArgs_t& args, double kappa,
                                  double coefficient) {
  QudaInvertParam param = newQudaInvertParam();
  set_precisions(param, external, internal, args.mixed_precision);
  param.dslash_type = QUDA_CLOVER_WILSON_DSLASH;
  param.kappa = kappa;
  param.clover_coeff = coefficient;
  param.clover_cuda_prec = param.cuda_prec;
  param.clover_order = QUDA_PACKED_CLOVER_ORDER;
  param.mass_normalization = QUDA_KAPPA_NORMALIZATION;
  param.dagger = QUDA_DAG_NO;
  param.maxiter = args.max_iter;
  param.reliable_delta = 0.1;
  param.inv_type = args.solver_type == QUDA_CG_INVERTER ? QUDA_CG_INVERTER : QUDA_BICGSTAB_INVERTER;
  param.solution_type = QUDA_MAT_SOLUTION;
  param.solve_type = QUDA_DIRECT_PC_SOLVE;
  param.matpc_type = QUDA_MATPC_ODD_ODD;
  return param;
}

/// Parameters of N^dag N with the asymmetric N on even sites.
QudaInvertParam one_parity_parameters(int external, int internal, const QudaInvertArgs_t& args, double kappa,
                                      double coefficient) {
  QudaInvertParam param = clover_parameters(external, internal, args, kappa, coefficient);
  param.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
  param.matpc_type = QUDA_MATPC_EVEN_EVEN_ASYMMETRIC;
  return param;
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void qudaLoadGaugeField(int external_precision, int, QudaInvertArgs_t inv_args, const void* milc_link) {
  QudaGaugeParam param = link_parameters(external_precision, QUDA_WILSON_LINKS);
  if (inv_args.boundary_phase[3] == 1.0) param.t_boundary = QUDA_ANTI_PERIODIC_T;
  param.reconstruct_sloppy = QUDA_RECONSTRUCT_12;
  loadGaugeQuda(const_cast<void*>(milc_link), &param);
}

void qudaFreeCloverField() { freeCloverQuda(); }

void qudaCloverInvert(int external_precision, int quda_precision, double kappa, double clover_coeff,
                      QudaInvertArgs_t inv_args, double target_residual, double target_fermilab_residual,
                      const void* milc_link, void* milc_clover, void* milc_clover_inv, void* source, void* solution,
                      double* const final_residual, double* const final_fermilab_residual, int* num_iters) {
  call(__func__, [&] {
    if (milc_link != nullptr) qudaLoadGaugeField(external_precision, quda_precision, inv_args, milc_link);
    QudaInvertParam param = clover_parameters(external_precision, quda_precision, inv_args, kappa, clover_coeff);
    const bool has_clover = milc_clover != nullptr || milc_clover_inv != nullptr;
    if (has_clover) loadCloverQuda(milc_clover, milc_clover_inv, &param);
    set_tolerances(param, target_residual, target_fermilab_residual);
    invertQuda(solution, source, &param);
    report(param, 1, final_residual, final_fermilab_residual, num_iters);
    if (has_clover) freeCloverQuda();
    if (milc_link != nullptr) freeGaugeQuda();
  });
}

void qudaCloverMultishiftInvert(int external_precision, int quda_precision, int num_offsets, double* const offset,
                                double kappa, double clover_coeff, QudaInvertArgs_t inv_args,
                                const double* target_residual, void* source, void** solutionArray,
                                double* const final_residual, int* num_iters) {
  call(__func__, [&] {
    QudaInvertParam param = one_parity_parameters(external_precision, quda_precision, inv_args, kappa, clover_coeff);
    set_tolerances(param, target_residual[0], 0.0);
    set_shifts(param, num_offsets, offset, target_residual, nullptr);
    invertMultiShiftQuda(solutionArray, source, &param);
    *num_iters = param.iter;
    std::copy_n(param.true_res_offset, num_offsets, final_residual);
  });
}

// N is on even sites and `dagger` is not set, as in QUDA, so that x_i belongs to N N^dag.
void qudaCloverForce(void* mom, double dt, void** x, void** p, double* coeff, double kappa, double ck, int nvec,
                     double multiplicity, void* gauge, int precision, QudaInvertArgs_t inv_args) {
  call(__func__, [&] {
    QudaGaugeParam momenta = link_parameters(precision, QUDA_GENERAL_LINKS);
    QudaInvertParam param = one_parity_parameters(precision, precision, inv_args, kappa, 0.0);
    param.use_resident_solution = inv_args.use_resident_solution;
    computeCloverForceQuda(mom, dt, x, p, coeff, -kappa * kappa, ck, nvec, multiplicity, gauge, &momenta, &param);
  });
}
}
