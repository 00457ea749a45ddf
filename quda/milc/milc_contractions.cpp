// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/milc/milc.hpp"
#include "quda/state/state.hpp"

// MILC's functions for sources and correlators of staggered quarks, on top of those of quda.h.

namespace kaon::quda {
namespace {

/// Loads MILC's links, unless links are resident and MILC wants no reload. Later calls use them, too.
void keep_links(int external_precision, const void* links, bool reload) {
  if (!reload && state().has_links(LinkKind::wilson)) return;
  QudaGaugeParam param = link_parameters(external_precision, QUDA_WILSON_LINKS);
  loadGaugeQuda(const_cast<void*>(links), &param);
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void qudaShift(int external_precision, int quda_precision, const void* const links, void* source, void* solution,
               int dir, int sym, int reloadGaugeField) {
  call(__func__, [&] {
    keep_links(external_precision, links, reloadGaugeField != 0);
    QudaInvertParam param = newQudaInvertParam();
    set_precisions(param, external_precision, quda_precision, 0);
    param.dslash_type = QUDA_STAGGERED_DSLASH;
    shiftQuda(solution, source, dir, sym, &param);
  });
}

void qudaSpinTaste(int external_precision, int quda_precision, const void* const links, void* src, void* dst, int spin,
                   int taste, int reloadGaugeField) {
  call(__func__, [&] {
    keep_links(external_precision, links, reloadGaugeField != 0);
    QudaInvertParam param = newQudaInvertParam();
    set_precisions(param, external_precision, quda_precision, 0);
    spinTasteQuda(dst, src, spin, taste, &param);
  });
}

// Links are new with each `compute_2link`.
void qudaTwoLinkGaussianSmear(int external_precision, int quda_precision, void* h_gauge, void* source,
                              QudaTwoLinkQuarkSmearArgs_t qsmear_args) {
  call(__func__, [&] {
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
  call(__func__, [&] {
    require(cont_args != nullptr && corr != nullptr, "a pointer to parameters or results is NULL");
    require(cont_args->n_mom >= 0 && cont_args->mom_modes != nullptr && cont_args->fft_type != nullptr &&
                cont_args->source_position != nullptr,
            "QudaContractArgs_t needs n_mom, mom_modes, fft_type and source_position");
    QudaInvertParam param = newQudaInvertParam();
    set_precisions(param, external_precision, external_precision, 0);
    void *x = quark1, *y = quark2, *sums = corr;
    contractFTQuda(&x, &y, &sums, QUDA_CONTRACT_TYPE_STAGGERED_FT_T, &param, 1, milc().local_extents,
                   cont_args->source_position, cont_args->n_mom, cont_args->mom_modes, cont_args->fft_type);
  });
}

void qudaFreeTwoLink() { freeGaugeTwoLinkQuda(); }
}
