// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/measure/smearing.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::quda {
namespace {

/// N steps psi <- psi + c (H - 6) psi, H the sum of the hops in space: `gaussian_smear` with w^2/(4 N) = c.
void smear(void* h_out, const void* h_in, const QudaInvertParam& given, int steps, double c) {
  const ResidentLinks& resident = state().smeared_or_gauge_links();
  require_plain(resident, "smearing");
  require(steps >= 0 && std::isfinite(c) && c >= 0.0,
          [&] { return fmt::format("{} steps of smearing with a weight of {} cannot be done", steps, c); });
  const SpinorDescription spinors = describe_spinors(given);
  const OperatorDescription of = describe_operator(given);
  SpinorField<double> psi(resident.links.lattice(),
                          {.spins = family_of(of.quark.action).spins(), .slices = of.quark.slices});
  read_spinor(psi, 0, h_in, spinors);
  if (steps > 0 && c > 0.0) {
    gaussian_smear(psi, resident.links, {.width = std::sqrt(4.0 * steps * c), .steps = steps});
  }
  write_spinor(h_out, psi, 0, spinors);
}

/// Steps psi <- (1 + a H)/(1 + 6 a) psi.
double weight_of_wuppertal(double a) { return a / (1.0 + 6.0 * a); }
/// Steps that make a Gaussian of width w.
double weight_of_gaussian(double width, int steps) { return steps > 0 ? width * width / (4.0 * steps) : 0.0; }

/// Whether the smearing of a type is Gaussian.
constexpr Known<QudaFermionSmearType, bool> smearings[] = {
    KAON_KNOWN(QUDA_FERMION_SMEAR_TYPE_GAUSSIAN, true),
    KAON_KNOWN(QUDA_FERMION_SMEAR_TYPE_WUPPERTAL, false),
};

/// Smearing over two links, of the resident links or of those of the last call that says `compute_2link`.
void smear_over_two_links(void* h_field, QudaQuarkSmearParam& given) {
  const Kokkos::Timer timer;
  require(given.inv_param != nullptr, "inv_param of QudaQuarkSmearParam is NULL");
  const QudaInvertParam& of = *given.inv_param;
  if (given.compute_2link != 0 || !state().has_links(LinkKind::two_links)) {
    const ResidentLinks& resident = state().links(LinkKind::wilson);
    state().free_links(LinkKind::smeared);  // as in QUDA, which stores its two-links there
    state().set_links(LinkKind::two_links, {with_factors(resident).clone(), {}});
  }
  const GaugeField<double>& links = state().links(LinkKind::two_links).links;
  const SpinorDescription spinors = describe_plain_spinors(of);
  SpinorField<double> chi(links.lattice(), {.spins = 1});
  read_spinor(chi, 0, h_field, spinors);
  gaussian_smear(
      chi, links,
      {.width = given.width, .steps = given.n_steps, .stride = 2, .dimensions = needed(of.laplace3D, "laplace3D")});
  write_spinor(h_field, chi, 0, spinors);
  if (given.delete_2link != 0) state().free_links(LinkKind::two_links);
  given.secs = std::max(timer.seconds(), 1e-9);
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void performWuppertalnStep(void* h_out, void* h_in, QudaInvertParam* param, unsigned int n_steps, double alpha) {
  call(__func__, param, [&](const QudaInvertParam& given) {
    smear(h_out, h_in, given, static_cast<int>(n_steps), weight_of_wuppertal(alpha));
  });
}

void performGaussianSmearNStep(void* h_out, void* h_in, QudaInvertParam* param, const int n_steps, const double omega) {
  call(__func__, param,
       [&](const QudaInvertParam& given) { smear(h_out, h_in, given, n_steps, weight_of_gaussian(omega, n_steps)); });
}

void performFermionSmearQuda(void* h_out, void* h_in, QudaInvertParam* param, const int n_steps, const double coeff,
                             const QudaFermionSmearType smear_type) {
  call(__func__, param, [&](const QudaInvertParam& given) {
    const bool gaussian = meaning_of(smearings, smear_type, "smear_type");
    smear(h_out, h_in, given, n_steps, gaussian ? weight_of_gaussian(coeff, n_steps) : weight_of_wuppertal(coeff));
  });
}

void performTwoLinkGaussianSmearNStep(void* h_in, QudaQuarkSmearParam* smear_param) {
  call(__func__, [&] {
    require(smear_param != nullptr, "the parameters are NULL");
    if (smear_param->n_steps != 0) smear_over_two_links(h_in, *smear_param);
  });
}
}
