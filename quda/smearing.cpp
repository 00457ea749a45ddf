// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/resident_links.hpp"
#include "quda/spinors.hpp"
#include "quda/state.hpp"

#include <kaon/propagators/smearing.hpp>

#include <Kokkos_Timer.hpp>

#include <algorithm>
#include <cmath>

namespace kaon::quda {
namespace {

/// N steps psi <- (1 + a H)/(1 + 6 a) psi, H the sum of the hops in space: `gaussian_smear` with w^2/(4 N) = a/(1 + 6
/// a).
void smear(void* h_out, const void* h_in, const QudaInvertParam& given, int steps, double a) {
  const ResidentLinks& resident = state().smeared_or_gauge_links();
  require_plain(resident, "smearing");
  const double c = a / (1.0 + 6.0 * a);
  require(steps >= 0 && std::isfinite(c) && c >= 0.0,
          [&] { return fmt::format("{} steps of smearing with alpha = {} cannot be done", steps, a); });
  const SpinorDescription spinors = describe_spinors(given);
  const OperatorDescription of = describe_operator(given);
  SpinorParameters shape{.slices = of.slices};
  if (of.is_staggered()) shape.spins = 1;
  SpinorField<double> psi(resident.links.lattice(), shape);
  read_spinor(psi, 0, h_in, spinors);
  if (steps > 0 && c > 0.0) {
    gaussian_smear(psi, resident.links, {.width = std::sqrt(4.0 * steps * c), .steps = steps});
  }
  write_spinor(h_out, psi, 0, spinors);
}

/// Smearing over two links, of the resident links or of those of the last call that says `compute_2link`.
void smear_over_two_links(void* h_field, QudaQuarkSmearParam& given) {
  const Kokkos::Timer timer;
  require(given.inv_param != nullptr, "inv_param of QudaQuarkSmearParam is NULL");
  const QudaInvertParam& of = *given.inv_param;
  if (given.compute_2link != 0 || !state().has_links(Links::of_two_links)) {
    const ResidentLinks& resident = state().links(Links::wilson);
    state().free_links(Links::smeared);  // as in QUDA, which keeps its two-links there
    state().set_links(Links::of_two_links, {with_factors(resident).clone(), {}});
  }
  const GaugeField<double>& links = state().links(Links::of_two_links).links;
  const SpinorDescription spinors = describe_plain_spinors(of);
  SpinorField<double> chi(links.lattice(), {.spins = 1});
  read_spinor(chi, 0, h_field, spinors);
  gaussian_smear(
      chi, links,
      {.width = given.width, .steps = given.n_steps, .stride = 2, .dimensions = needed(of.laplace3D, "laplace3D")});
  write_spinor(h_field, chi, 0, spinors);
  if (given.delete_2link != 0) state().free_links(Links::of_two_links);
  given.secs = std::max(timer.seconds(), 1e-9);
}

}  // namespace
}  // namespace kaon::quda

extern "C" {

void performWuppertalnStep(void* h_out, void* h_in, QudaInvertParam* param, unsigned int n_steps, double alpha) {
  kaon::quda::call(__func__, param, [&](const QudaInvertParam& given) {
    kaon::quda::smear(h_out, h_in, given, static_cast<int>(n_steps), alpha);
  });
}

void performTwoLinkGaussianSmearNStep(void* h_in, QudaQuarkSmearParam* smear_param) {
  kaon::quda::call(__func__, [&] {
    kaon::require(smear_param != nullptr, "the parameters are NULL");
    if (smear_param->n_steps != 0) kaon::quda::smear_over_two_links(h_in, *smear_param);
  });
}
}
