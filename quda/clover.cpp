// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/call.hpp"
#include "quda/describe.hpp"
#include "quda/parameters.hpp"
#include "quda/state.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/clover.hpp>

#include <cmath>

namespace kaon::quda {
namespace {

/// Where a clover term of the client is.
ArrayView view(void* pointer, const QudaInvertParam& given) {
  require(given.clover_order == QUDA_PACKED_CLOVER_ORDER, [&] {
    return fmt::format("clover_order = {} is not supported; supported: QUDA_PACKED_CLOVER_ORDER",
                       static_cast<long>(given.clover_order));
  });
  require_location(given.clover_location, "clover_location");
  return {.data = pointer,
          .element = element_of(given.clover_cpu_prec, "clover_cpu_prec"),
          .sites = SiteOrder::even_odd,
          .inside = InsideOrder::packed_clover};
}

/// A = 1 - c sum_{mu<nu} sigma_{mu nu} F_{mu nu} of the resident links, as the client multiplied them.
ResidentClover computed(double coefficient) {
  const ResidentLinks& resident = state().links(Links::wilson);
  // The leaves of F have two links in time, or none.
  const double w = resident.factors.spatial;
  const CloverParameters parameters{
      .diagonal = 1.0, .spatial = 2.0 * coefficient * std::pow(w, 4), .temporal = 2.0 * coefficient * w * w};
  return {make_clover(resident.links, parameters), {}, coefficient};
}

void load(void* term, void* inverse, QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  ResidentLinks& resident = state().links(Links::wilson);
  const bool returns_term = given.return_clover != 0, returns_inverse = given.return_clover_inverse != 0;
  const bool computes = given.compute_clover != 0 || term == nullptr;
  if (computes) {
    require(given.clover_coeff != 0.0 || given.clover_csw != 0.0,
            "neither clover_coeff nor clover_csw is set: there is no clover term to compute");
    if (given.clover_coeff == 0.0) given.clover_coeff = needed(given.kappa, "kappa") * given.clover_csw;
    state().set_clover(computed(given.clover_coeff));
  } else {
    CloverField<double> from_client(resident.links.lattice());
    copy_in(from_client, view(term, given));
    state().set_clover({std::move(from_client)});
    if (inverse != nullptr && given.compute_clover_inverse == 0) {
      state().clover().inverse.emplace(resident.links.lattice());
      copy_in(*state().clover().inverse, view(inverse, given));
    }
  }
  ResidentClover& clover = state().clover();
  const LogDeterminants logarithms = log_determinants(clover.term);
  given.trlogA[0] = logarithms.even;
  given.trlogA[1] = logarithms.odd;
  if (returns_inverse) clover.inverse.emplace(invert_clover(clover.term, Subset::full));
  if (returns_term && term != nullptr) copy_out(view(term, given), clover.term);
  if (returns_inverse && inverse != nullptr) copy_out(view(inverse, given), *clover.inverse);
}

}  // namespace
}  // namespace kaon::quda

using kaon::quda::call;

extern "C" {

void loadCloverQuda(void* h_clover, void* h_clovinv, QudaInvertParam* inv_param) {
  call(__func__, inv_param, [&](QudaInvertParam& given) { kaon::quda::load(h_clover, h_clovinv, given); });
}

void createCloverQuda(QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam& given) { kaon::quda::load(nullptr, nullptr, given); });
}

void freeCloverQuda() {
  call(__func__, [] { kaon::quda::state().free_clover(); });
}
}
