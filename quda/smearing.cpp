// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/spinors.hpp"
#include "quda/state.hpp"

#include <kaon/propagators/smearing.hpp>

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
  SpinorParameters shape;
  if (describe_operator(given).is_staggered()) shape.spins = 1;
  SpinorField<double> psi(resident.links.lattice(), shape);
  read_spinor(psi, 0, h_in, spinors);
  if (steps > 0 && c > 0.0) {
    gaussian_smear(psi, resident.links, {.width = std::sqrt(4.0 * steps * c), .steps = steps});
  }
  write_spinor(h_out, psi, 0, spinors);
}

}  // namespace
}  // namespace kaon::quda

extern "C" {

void performWuppertalnStep(void* h_out, void* h_in, QudaInvertParam* param, unsigned int n_steps, double alpha) {
  kaon::quda::call(__func__, param, [&](const QudaInvertParam& given) {
    kaon::quda::smear(h_out, h_in, given, static_cast<int>(n_steps), alpha);
  });
}
}
