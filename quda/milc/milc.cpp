// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/milc/milc.hpp"
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/state.hpp"

#include <algorithm>
#include <cstdlib>

// The life of a MILC program, and parameters that its functions share.

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

void set_shifts(QudaInvertParam& param, int count, const double* offsets, const double* tolerances,
                const double* heavy_quark) {
  require(count >= 1 && count <= QUDA_MAX_MULTI_SHIFT,
          [&] { return fmt::format("{} offsets: 1 to {} are possible", count, QUDA_MAX_MULTI_SHIFT); });
  param.num_offset = count;
  std::copy_n(offsets, count, param.offset);
  std::copy_n(tolerances, count, param.tol_offset);
  if (heavy_quark != nullptr) std::copy_n(heavy_quark, count, param.tol_hq_offset);
}

void set_precisions(QudaInvertParam& param, int external, int internal, int mixed) {
  param.cpu_prec = param.clover_cpu_prec = precision_of_milc(external);
  // Solutions are in double for every setting of MILC, as in QUDA.
  param.cuda_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec_sloppy = sloppy_of(mixed, precision_of_milc(internal));
  param.dirac_order = QUDA_DIRAC_ORDER;
  param.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
}

namespace {

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
  call(__func__, [&] {
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
}
