// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/state.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/clover.hpp>

#include <cmath>
#include <optional>

namespace kaon::quda {
namespace {

/// Whether a client's clover term is in planes.
constexpr Known<QudaCloverFieldOrder, bool> clover_orders[] = {
    KAON_KNOWN(QUDA_PACKED_CLOVER_ORDER, false),
    KAON_KNOWN(QUDA_QDPJIT_CLOVER_ORDER, true),
};

/// A view of a client's clover term. Neither order contains the factor 1/2 of QUDA's own basis.
ArrayView view(void* pointer, const QudaInvertParam& given) {
  const bool planes = meaning_of(clover_orders, given.clover_order, "clover_order");
  require_location(given.clover_location, "clover_location");
  ArrayView view{.data = pointer,
                 .element = element_of(given.clover_cpu_prec, "clover_cpu_prec"),
                 .sites = SiteOrder::even_odd,
                 .inside = InsideOrder::packed_clover,
                 .planes = planes};
  if (planes) {
    view.data = nullptr;
    for (std::size_t part = 0; part < 2; ++part) view.parts[part] = static_cast<void**>(pointer)[part];
  }
  return view;
}

/// A = 1 - c sum_{mu<nu} sigma_{mu nu} F_{mu nu} of the resident links, as the client multiplied them.
ResidentClover computed(double coefficient) {
  const ResidentLinks& resident = state().links(LinkKind::wilson);
  // The leaves of F have two links in time, or none.
  const double w = resident.factors.spatial;
  const CloverParameters parameters{
      .diagonal = 1.0, .spatial = 2.0 * coefficient * std::pow(w, 4), .temporal = 2.0 * coefficient * w * w};
  return {make_clover(resident.links, parameters), coefficient};
}

/// The square of the twist 2 kappa mu beside A, for doublets less that of 2 kappa epsilon; none without a twist.
std::optional<double> shift_of(const QudaInvertParam& given) {
  if (given.dslash_type != QUDA_TWISTED_CLOVER_DSLASH || is_unset(given.kappa) || is_unset(given.mu)) return {};
  const bool split = given.twist_flavor == QUDA_TWIST_NONDEG_DOUBLET;
  if (!split && given.mu == 0.0) return {};
  const double epsilon = split ? needed(given.epsilon, "epsilon") : 0.0;
  return 4.0 * given.kappa * given.kappa * (given.mu - epsilon) * (given.mu + epsilon);
}

/// A^-1, or with a shift (A^2 + shift)^-1.
CloverField<double> inverse_of(const CloverField<double>& term, const std::optional<double>& shift) {
  return shift ? invert_clover_square(term, *shift) : invert_clover(term, Subset::full);
}

/// sum_x ln |det A(x)|, or with a shift of A^2 + shift.
LogDeterminants logarithms_of(const CloverField<double>& term, const std::optional<double>& shift) {
  if (!shift) return log_determinants(term);
  const LogDeterminants of_inverse = log_determinants(inverse_of(term, shift));
  return {-of_inverse.even, -of_inverse.odd};
}

// A client's inverse is not read: a QUDA that inverts the term where it needs it, as its builds do by default, takes no
// notice of it, and clients' inverses may be rounded or hold one parity alone.
void load(void* term, void* inverse, QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  require_no_clover_rho(given);
  ResidentLinks& resident = state().links(LinkKind::wilson);
  require(given.return_clover == 0 || term != nullptr,
          "return_clover is set, but the pointer to the clover term is NULL");
  require(given.return_clover_inverse == 0 || inverse != nullptr,
          "return_clover_inverse is set, but the pointer to the inverse is NULL");
  const std::optional<double> shift = shift_of(given);
  if (given.compute_clover != 0 || term == nullptr) {
    require(given.clover_coeff != 0.0 || given.clover_csw != 0.0,
            "neither clover_coeff nor clover_csw is set: there is no clover term to compute");
    if (given.clover_coeff == 0.0) given.clover_coeff = needed(given.kappa, "kappa") * given.clover_csw;
    state().set_clover(computed(finite(given.clover_coeff, "clover_coeff")));
  } else {
    CloverField<double> from_client(resident.links.lattice());
    copy_in(from_client, view(term, given));
    state().set_clover({std::move(from_client)});
  }
  const CloverField<double>& loaded = state().resident_clover().term;
  const LogDeterminants logarithms = given.compute_clover_trlog != 0 ? logarithms_of(loaded, shift) : LogDeterminants{};
  given.trlogA[0] = logarithms.even;
  given.trlogA[1] = logarithms.odd;
  if (given.return_clover != 0) copy_out(view(term, given), loaded);
  if (given.return_clover_inverse != 0) copy_out(view(inverse, given), inverse_of(loaded, shift));
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void loadCloverQuda(void* h_clover, void* h_clovinv, QudaInvertParam* inv_param) {
  call(__func__, inv_param, [&](QudaInvertParam& given) { load(h_clover, h_clovinv, given); });
}

void createCloverQuda(QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam& given) { load(nullptr, nullptr, given); });
}

void freeCloverQuda() {
  call(__func__, [] { state().free_clover(); });
}
}
