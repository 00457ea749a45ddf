// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/milc.hpp"
#include "quda/call.hpp"
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/spinors.hpp"
#include "quda/state.hpp"

#include <kaon/propagators/correlator.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <vector>

// MILC's functions for solves and improved links, on top of those of quda.h.

namespace kaon::quda {

Milc& milc() {
  static Milc instance;
  return instance;
}

QudaPrecision precision_of_milc(int milcs) { return milcs == 2 ? QUDA_DOUBLE_PRECISION : QUDA_SINGLE_PRECISION; }

QudaGaugeParam link_parameters(int precision, QudaLinkType type) {
  QudaGaugeParam param = newQudaGaugeParam();
  std::copy_n(milc().local_extents, 4, param.X);
  param.type = type;
  param.anisotropy = 1.0;
  param.gauge_order = QUDA_MILC_GAUGE_ORDER;
  param.t_boundary = QUDA_PERIODIC_T;
  param.cpu_prec = param.cuda_prec = param.cuda_prec_sloppy = precision_of_milc(precision);
  param.reconstruct = param.reconstruct_sloppy = QUDA_RECONSTRUCT_NO;
  param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
  return param;
}

namespace {

/// MILC's 0, 1 and 2: the precision itself, single, half.
QudaPrecision sloppy_of(int mixed, QudaPrecision precision) {
  if (mixed == 2) return QUDA_HALF_PRECISION;
  return mixed == 1 ? QUDA_SINGLE_PRECISION : precision;
}

}  // namespace

void set_tolerances(QudaInvertParam& param, double tolerance, double heavy_quark) {
  const int both =
      (tolerance != 0.0 ? QUDA_L2_RELATIVE_RESIDUAL : 0) | (heavy_quark != 0.0 ? QUDA_HEAVY_QUARK_RESIDUAL : 0);
  require(both != 0, "both target residuals are zero");
  param.residual_type = static_cast<QudaResidualType>(both);
  param.tol = tolerance;
  param.tol_hq = heavy_quark;
}

void set_precisions(QudaInvertParam& param, int external, int internal, int mixed) {
  param.cpu_prec = param.clover_cpu_prec = precision_of_milc(external);
  // Solutions are in double whatever MILC's setting, as QUDA's are.
  param.cuda_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec_sloppy = sloppy_of(mixed, precision_of_milc(internal));
  param.dirac_order = QUDA_DIRAC_ORDER;
  param.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
}

namespace {

/// Whether the links of staggered operators are there: fat and long ones, or thin ones with phases.
bool has_links(bool improved) {
  if (improved) return state().has_links(Links::fat) && state().has_links(Links::long_links);
  return state().has_links(Links::wilson) && state().links(Links::wilson).factors.staggered_phases;
}

/// Fat and long links, or thin ones with phases where there are no long ones, unless they are there. MILC says by the
/// number of iterations -1 that links are new; those it makes itself may be new at any time.
void load_links(int precision, const void* fat, const void* lengthy, const int* num_iters) {
  if (*num_iters == -1) freeGaugeQuda();
  if (milc().makes_links && has_links(lengthy != nullptr)) return;
  QudaGaugeParam param = link_parameters(precision, lengthy != nullptr ? QUDA_ASQTAD_FAT_LINKS : QUDA_WILSON_LINKS);
  param.staggered_phase_applied = 1;
  param.t_boundary = QUDA_ANTI_PERIODIC_T;  // MILC's usual one; a sign that is not there is put into the links
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

FourierFactor factor_of(QudaFFTSymmType given) {
  switch (given) {
    case QUDA_FFT_SYMM_EO:
      return FourierFactor::exponential;
    case QUDA_FFT_SYMM_EVEN:
      return FourierFactor::cosine;
    case QUDA_FFT_SYMM_ODD:
      return FourierFactor::sine;
    default:
      throw Error(fmt::format("fft_type = {} is none of QUDA_FFT_SYMM_ODD, QUDA_FFT_SYMM_EVEN and QUDA_FFT_SYMM_EO",
                              static_cast<long>(given)));
  }
}

/// What `qudaMultigridCreate` has returned.
std::set<const void*>& multigrids() {
  static std::set<const void*> all;
  return all;
}

/// Loads links of MILC, unless some are resident and shall stay. They are for the next calls, too.
void keep_links(int external_precision, const void* links, bool reload) {
  if (!reload && state().has_links(Links::wilson)) return;
  QudaGaugeParam param = link_parameters(external_precision, QUDA_WILSON_LINKS);
  loadGaugeQuda(const_cast<void*>(links), &param);
}

/// Ranks of MILC's layout: x fastest.
int rank_of(const int* place, void* grid) {
  const int* const extents = static_cast<const int*>(grid);
  return place[0] + extents[0] * (place[1] + extents[1] * (place[2] + extents[2] * place[3]));
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void qudaSetMPICommHandle(void* mycomm) { setMPICommHandleQuda(mycomm); }

void qudaSetLayout(QudaLayout_t layout) {
  kaon::quda::call(__func__, [&] {
    int grid[4];
    for (std::size_t mu = 0; mu < 4; ++mu) {
      // Builds of MILC for one process have no grid.
      grid[mu] = layout.machsize != nullptr ? std::max(1, layout.machsize[mu]) : 1;
      milc().local_extents[mu] = layout.latsize[mu] / grid[mu];
    }
    if (!state().is_running()) {
      initCommsGridQuda(4, grid, rank_of, grid);
      initQuda(-1);
    }
  });
}

void qudaInit(QudaInitArgs_t input) {
  if (state().is_running()) return;
  setVerbosityQuda(input.verbosity, "", stdout);
  qudaSetLayout(input.layout);
}

void qudaFinalize() {
  milc() = {};
  endQuda();
}

void* qudaAllocatePinned(size_t bytes) { return std::malloc(bytes); }
void qudaFreePinned(void* ptr) { std::free(ptr); }
void* qudaAllocateManaged(size_t bytes) { return std::malloc(bytes); }
void qudaFreeManaged(void* ptr) { std::free(ptr); }

void qudaHisqParamsInit(QudaHisqParams_t) {}  // the projection to U(3) needs none

void qudaLoadKSLink(int precision, QudaFatLinkArgs_t, const double act_path_coeff[6], void* inlink, void* fatlink,
                    void* longlink) {
  QudaGaugeParam param = link_parameters(precision, QUDA_GENERAL_LINKS);
  computeKSLinkQuda(fatlink, longlink, nullptr, inlink, const_cast<double*>(act_path_coeff), &param);
  freeGaugeQuda();
  milc().makes_links = true;
}

void qudaLoadUnitarizedLink(int precision, QudaFatLinkArgs_t, const double path_coeff[6], void* inlink, void* fatlink,
                            void* ulink) {
  QudaGaugeParam param = link_parameters(precision, QUDA_GENERAL_LINKS);
  computeKSLinkQuda(fatlink, nullptr, ulink, inlink, const_cast<double*>(path_coeff), &param);
  freeGaugeQuda();
  milc().makes_links = true;
}

void qudaDslash(int external_precision, int quda_precision, QudaInvertArgs_t inv_args, const void* const milc_fatlink,
                const void* const milc_longlink, void* source, void* solution, int* num_iters) {
  kaon::quda::call(__func__, [&] {
    load_links(external_precision, milc_fatlink, milc_longlink, num_iters);
    QudaInvertParam param =
        staggered_parameters(external_precision, quda_precision, inv_args, 0.0, milc_longlink != nullptr);
    const QudaParity to = inv_args.evenodd, from = to == QUDA_EVEN_PARITY ? QUDA_ODD_PARITY : QUDA_EVEN_PARITY;
    dslashQuda(on_parity(solution, to, external_precision), on_parity(source, from, external_precision), &param, to);
    forget_links();
  });
}

void qudaShift(int external_precision, int quda_precision, const void* const links, void* source, void* solution,
               int dir, int sym, int reloadGaugeField) {
  kaon::quda::call(__func__, [&] {
    keep_links(external_precision, links, reloadGaugeField != 0);
    QudaInvertParam param = newQudaInvertParam();
    set_precisions(param, external_precision, quda_precision, 0);
    param.dslash_type = QUDA_STAGGERED_DSLASH;
    shiftQuda(solution, source, dir, sym, &param);
  });
}

void qudaSpinTaste(int external_precision, int quda_precision, const void* const links, void* src, void* dst, int spin,
                   int taste, int reloadGaugeField) {
  kaon::quda::call(__func__, [&] {
    keep_links(external_precision, links, reloadGaugeField != 0);
    QudaInvertParam param = newQudaInvertParam();
    set_precisions(param, external_precision, quda_precision, 0);
    spinTasteQuda(dst, src, spin, taste, &param);
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
  kaon::quda::call(__func__, [&] {
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
    // MILC's own solver for several sources reports the last of them.
    *num_iters = param.iter;
    *final_residual = last_of(param.true_res, num_src);
    *final_fermilab_residual = last_of(param.true_res_hq, num_src);
    forget_links();
  });
}

void qudaMultishiftInvert(int external_precision, int precision, int num_offsets, double* const offset,
                          QudaInvertArgs_t inv_args, const double* target_residual,
                          const double* target_fermilab_residual, const void* const milc_fatlink,
                          const void* const milc_longlink, void* source, void** solutionArray,
                          double* const final_residual, double* const final_fermilab_residual, int* num_iters) {
  kaon::quda::call(__func__, [&] {
    load_links(external_precision, milc_fatlink, milc_longlink, num_iters);
    QudaInvertParam param =
        staggered_parameters(external_precision, precision, inv_args, 0.0, milc_longlink != nullptr);
    set_tolerances(param, target_residual[0], target_fermilab_residual[0]);
    param.use_init_guess = QUDA_USE_INIT_GUESS_NO;
    param.num_offset = num_offsets;
    kaon::require(num_offsets >= 1 && num_offsets <= QUDA_MAX_MULTI_SHIFT,
                  [&] { return fmt::format("{} offsets: 1 to {} are possible", num_offsets, QUDA_MAX_MULTI_SHIFT); });
    std::vector<void*> x;
    for (int i = 0; i < num_offsets; ++i) {
      param.offset[i] = offset[i];
      param.tol_offset[i] = target_residual[i];
      param.tol_hq_offset[i] = target_fermilab_residual[i];
      x.push_back(on_parity(solutionArray[i], inv_args.evenodd, external_precision));
    }
    invertMultiShiftQuda(x.data(), on_parity(source, inv_args.evenodd, external_precision), &param);
    *num_iters = param.iter;
    for (int i = 0; i < num_offsets; ++i) {
      final_residual[i] = param.true_res_offset[i];
      final_fermilab_residual[i] = param.true_res_hq_offset[i];
    }
    forget_links();
  });
}

// Staggered quarks on all sites, M x = b: by conjugate gradients on one parity.
void* qudaMultigridCreate(int, int, double, QudaInvertArgs_t, const void* const, const void* const, const char* const) {
  return kaon::quda::call(__func__, [] {
    state().require_running();
    say_once("kaon: MILC's multigrid is conjugate gradients here; the file of its parameters is not read");
    return const_cast<void*>(*multigrids().insert(std::malloc(1)).first);
  });
}

void qudaInvertMG(int external_precision, int quda_precision, double mass, QudaInvertArgs_t inv_args,
                  double target_residual, double target_fermilab_residual, const void* const milc_fatlink,
                  const void* const milc_longlink, void* mg_pack_ptr, int, void* source, void* solution,
                  double* const final_residual, double* const final_fermilab_residual, int* num_iters) {
  kaon::quda::call(__func__, [&] {
    kaon::require(multigrids().contains(mg_pack_ptr), "the multigrid must come from qudaMultigridCreate");
    load_links(external_precision, milc_fatlink, milc_longlink, num_iters);
    inv_args.evenodd = QUDA_EVEN_PARITY;  // either gives the same
    QudaInvertParam param =
        staggered_parameters(external_precision, quda_precision, inv_args, mass, milc_longlink != nullptr);
    param.solution_type = QUDA_MAT_SOLUTION;
    param.dagger = QUDA_DAG_YES;  // MILC's D has the other sign
    set_tolerances(param, target_residual, target_fermilab_residual);
    invertQuda(solution, source, &param);
    *num_iters = param.iter;
    *final_residual = last_of(param.true_res, 1);
    *final_fermilab_residual = last_of(param.true_res_hq, 1);
    forget_links();
  });
}

void qudaMultigridDestroy(void* mg_pack_ptr) {
  if (multigrids().erase(mg_pack_ptr) > 0) std::free(mg_pack_ptr);
}

// As MILC says, links are new with each `compute_2link`.
void qudaTwoLinkGaussianSmear(int external_precision, int quda_precision, void* h_gauge, void* source,
                              QudaTwoLinkQuarkSmearArgs_t qsmear_args) {
  kaon::quda::call(__func__, [&] {
    if (qsmear_args.compute_2link != 0) {
      QudaGaugeParam param = link_parameters(external_precision, QUDA_WILSON_LINKS);
      loadGaugeQuda(h_gauge, &param);
    }
    QudaInvertParam of = newQudaInvertParam();
    set_precisions(of, external_precision, quda_precision, 0);
    of.laplace3D = qsmear_args.laplaceDim;
    QudaQuarkSmearParam smearing{};
    smearing.inv_param = &of;
    smearing.n_steps = qsmear_args.n_steps;
    smearing.width = qsmear_args.width;
    smearing.compute_2link = qsmear_args.compute_2link;
    smearing.delete_2link = qsmear_args.delete_2link;
    smearing.t0 = qsmear_args.t0;
    performTwoLinkGaussianSmearNStep(source, &smearing);
  });
}

// Sums are added to what is in `corr`, as in QUDA, time slices of the whole lattice.
void qudaContractFT(int external_precision, QudaContractArgs_t* cont_args, void* const quark1, void* const quark2,
                    double* corr) {
  kaon::quda::call(__func__, [&] {
    kaon::require(cont_args != nullptr && corr != nullptr, "a pointer to parameters or results is NULL");
    kaon::require(cont_args->n_mom >= 0 && cont_args->mom_modes != nullptr && cont_args->fft_type != nullptr &&
                      cont_args->source_position != nullptr,
                  "QudaContractArgs_t needs n_mom, mom_modes, fft_type and source_position");
    const SpinorDescription spinors{.element = element_of(precision_of_milc(external_precision), "external_precision")};
    kaon::Coordinates local{};
    std::copy_n(milc().local_extents, 4, local.begin());
    const kaon::SpinorParameters shape{.spins = 1};
    kaon::SpinorField<double> psi(state().lattice(local, 1), shape), phi(psi.lattice(), shape);
    read_spinor(psi, 0, quark1, spinors);
    read_spinor(phi, 0, quark2, spinors);
    for (int k = 0; k < cont_args->n_mom; ++k) {
      kaon::MomentumParameters momentum;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        momentum.mode[mu] = cont_args->mom_modes[4 * k + static_cast<int>(mu)];
        momentum.source_site[mu] = cont_args->source_position[mu];
        momentum.factors[mu] = factor_of(cont_args->fft_type[4 * k + static_cast<int>(mu)]);
      }
      for (const std::complex<double>& sum : momentum_products(psi, phi, momentum)) {
        *corr++ += sum.real();
        *corr++ += sum.imag();
      }
    }
  });
}

void qudaFreeGaugeField() { freeGaugeQuda(); }
void qudaFreeTwoLink() { freeGaugeTwoLinkQuda(); }
}
