// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/milc/milc.hpp"
#include "quda/solve/multigrid.hpp"
#include "quda/state/state.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

// MILC's functions for solves of staggered quarks, on top of those of quda.h.

namespace kaon::quda {
namespace {

/// Whether the links of staggered operators are resident: fat and long links, or thin links with phases.
bool has_links(bool improved) {
  if (improved) return state().has_links(LinkKind::fat) && state().has_links(LinkKind::long_links);
  return state().has_links(LinkKind::wilson) && state().links(LinkKind::wilson).factors.staggered_phases;
}

/// Loads links for a staggered solve: fat and long, or thin with phases if MILC passes no long links. Skipped if
/// libquda made the links and still has them. MILC passes num_iters = -1 after a change; links made by MILC are loaded
/// for every solve.
void load_links(int precision, const void* fat, const void* lengthy, const int* num_iters) {
  if (*num_iters == -1) freeGaugeQuda();
  if (milc().makes_links && has_links(lengthy != nullptr)) return;
  QudaGaugeParam param = link_parameters(precision, lengthy != nullptr ? QUDA_ASQTAD_FAT_LINKS : QUDA_WILSON_LINKS);
  param.staggered_phase_applied = 1;
  param.t_boundary = QUDA_ANTI_PERIODIC_T;  // MILC's usual boundary; for the other one the links get the sign
  loadGaugeQuda(const_cast<void*>(fat), &param);
  if (lengthy != nullptr) {
    param.type = QUDA_ASQTAD_LONG_LINKS;
    param.reconstruct_sloppy = QUDA_RECONSTRUCT_13;
    loadGaugeQuda(const_cast<void*>(lengthy), &param);
  }
}

void forget_links() {
  if (!milc().makes_links) freeGaugeQuda();
}

QudaInvertParam staggered_parameters(int external, int internal, const QudaInvertArgs_t& args, double mass,
                                     bool improved) {
  QudaInvertParam param = newQudaInvertParam();
  set_precisions(param, external, internal, args.mixed_precision);
  param.dslash_type = improved ? QUDA_ASQTAD_DSLASH : QUDA_STAGGERED_DSLASH;
  param.inv_type = QUDA_CG_INVERTER;
  param.mass = mass;
  param.kappa = 0.5;
  param.solution_type = QUDA_MATPC_SOLUTION;
  param.solve_type = QUDA_DIRECT_PC_SOLVE;
  param.matpc_type = args.evenodd == QUDA_EVEN_PARITY ? QUDA_MATPC_EVEN_EVEN : QUDA_MATPC_ODD_ODD;
  require(args.evenodd == QUDA_EVEN_PARITY || args.evenodd == QUDA_ODD_PARITY,
          "evenodd of QudaInvertArgs_t must be a parity: call once for each");
  param.dagger = QUDA_DAG_NO;
  param.mass_normalization = QUDA_MASS_NORMALIZATION;
  param.maxiter = args.max_iter;
  param.reliable_delta = 0.1;
  param.use_init_guess = QUDA_USE_INIT_GUESS_YES;
  return param;
}

/// The half of a staggered field that is on a parity.
void* on_parity(void* field, QudaParity parity, int precision) {
  require(field != nullptr, "a pointer to a spinor is NULL");
  std::ptrdiff_t volume = 1;
  for (const int extent : milc().local_extents) volume *= extent;
  const std::ptrdiff_t bytes = 6 * (precision == 2 ? sizeof(double) : sizeof(float));
  return static_cast<char*>(field) + (parity == QUDA_ODD_PARITY ? volume / 2 * bytes : 0);
}

/// Parameters of solves on all sites, M x = b. The links remain resident, since a multigrid belongs to its links.
QudaInvertParam multigrid_parameters(int external, int internal, QudaInvertArgs_t args, double mass, const void* fat,
                                     const void* lengthy, const int* num_iters) {
  if (*num_iters == -1 || !has_links(lengthy != nullptr)) load_links(external, fat, lengthy, num_iters);
  args.evenodd = QUDA_EVEN_PARITY;  // both parities have the same solution
  QudaInvertParam param = staggered_parameters(external, internal, args, mass, lengthy != nullptr);
  param.solution_type = QUDA_MAT_SOLUTION;
  param.dagger = QUDA_DAG_YES;  // MILC's D has the other sign
  return param;
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void qudaDslash(int external_precision, int quda_precision, QudaInvertArgs_t inv_args, const void* const milc_fatlink,
                const void* const milc_longlink, void* source, void* solution, int* num_iters) {
  call(__func__, [&] {
    load_links(external_precision, milc_fatlink, milc_longlink, num_iters);
    QudaInvertParam param =
        staggered_parameters(external_precision, quda_precision, inv_args, 0.0, milc_longlink != nullptr);
    const QudaParity to = inv_args.evenodd, from = to == QUDA_EVEN_PARITY ? QUDA_ODD_PARITY : QUDA_EVEN_PARITY;
    dslashQuda(on_parity(solution, to, external_precision), on_parity(source, from, external_precision), &param, to);
    forget_links();
  });
}

void qudaInvert(int external_precision, int quda_precision, double mass, QudaInvertArgs_t inv_args,
                double target_residual, double target_fermilab_residual, const void* const milc_fatlink,
                const void* const milc_longlink, void* source, void* solution, double* const final_resid,
                double* const final_rel_resid, int* num_iters) {
  qudaInvertMsrc(external_precision, quda_precision, mass, inv_args, target_residual, target_fermilab_residual,
                 milc_fatlink, milc_longlink, &source, &solution, final_resid, final_rel_resid, num_iters, 1);
}

void qudaInvertMsrc(int external_precision, int quda_precision, double mass, QudaInvertArgs_t inv_args,
                    double target_residual, double target_fermilab_residual, const void* const fatlink,
                    const void* const longlink, void** sourceArray, void** solutionArray, double* const final_residual,
                    double* const final_fermilab_residual, int* num_iters, int num_src) {
  call(__func__, [&] {
    load_links(external_precision, fatlink, longlink, num_iters);
    QudaInvertParam param =
        staggered_parameters(external_precision, quda_precision, inv_args, mass, longlink != nullptr);
    set_tolerances(param, target_residual, target_fermilab_residual);
    param.num_src = num_src;
    std::vector<void*> b, x;
    for (int k = 0; k < num_src; ++k) {
      b.push_back(on_parity(sourceArray[k], inv_args.evenodd, external_precision));
      x.push_back(on_parity(solutionArray[k], inv_args.evenodd, external_precision));
    }
    invertMultiSrcQuda(x.data(), b.data(), &param);
    report(param, num_src, final_residual, final_fermilab_residual, num_iters);
    forget_links();
  });
}

void qudaMultishiftInvert(int external_precision, int precision, int num_offsets, double* const offset,
                          QudaInvertArgs_t inv_args, const double* target_residual,
                          const double* target_fermilab_residual, const void* const milc_fatlink,
                          const void* const milc_longlink, void* source, void** solutionArray,
                          double* const final_residual, double* const final_fermilab_residual, int* num_iters) {
  call(__func__, [&] {
    load_links(external_precision, milc_fatlink, milc_longlink, num_iters);
    QudaInvertParam param =
        staggered_parameters(external_precision, precision, inv_args, 0.0, milc_longlink != nullptr);
    set_tolerances(param, target_residual[0], target_fermilab_residual[0]);
    param.use_init_guess = QUDA_USE_INIT_GUESS_NO;
    set_shifts(param, num_offsets, offset, target_residual, target_fermilab_residual);
    std::vector<void*> x;
    for (int i = 0; i < num_offsets; ++i) {
      x.push_back(on_parity(solutionArray[i], inv_args.evenodd, external_precision));
    }
    invertMultiShiftQuda(x.data(), on_parity(source, inv_args.evenodd, external_precision), &param);
    *num_iters = param.iter;
    std::copy_n(param.true_res_offset, num_offsets, final_residual);
    std::copy_n(param.true_res_hq_offset, num_offsets, final_fermilab_residual);
    forget_links();
  });
}

void* qudaMultigridCreate(int external_precision, int quda_precision, double mass, QudaInvertArgs_t inv_args,
                          const void* const milc_fatlink, const void* const milc_longlink, const char* const) {
  return call(__func__, [&] {
    say_once("kaon: the file of parameters of MILC's multigrid is not read: kaon makes its choices itself");
    constexpr int links_are_new = -1;
    return make_multigrid(multigrid_parameters(external_precision, quda_precision, inv_args, mass, milc_fatlink,
                                               milc_longlink, &links_are_new));
  });
}

void qudaInvertMG(int external_precision, int quda_precision, double mass, QudaInvertArgs_t inv_args,
                  double target_residual, double target_fermilab_residual, const void* const milc_fatlink,
                  const void* const milc_longlink, void* mg_pack_ptr, int, void* source, void* solution,
                  double* const final_residual, double* const final_fermilab_residual, int* num_iters) {
  call(__func__, [&] {
    QudaInvertParam param = multigrid_parameters(external_precision, quda_precision, inv_args, mass, milc_fatlink,
                                                 milc_longlink, num_iters);
    param.inv_type = QUDA_GCR_INVERTER;
    param.inv_type_precondition = QUDA_MG_INVERTER;
    param.preconditioner = mg_pack_ptr;
    set_tolerances(param, target_residual, target_fermilab_residual);
    invertQuda(solution, source, &param);
    report(param, 1, final_residual, final_fermilab_residual, num_iters);
  });
}

void qudaMultigridDestroy(void* mg_pack_ptr) {
  call(__func__, [&] { destroy_multigrid(mg_pack_ptr); });
}
}
