// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/momenta.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/links.hpp"

#include <kaon/core/array_view.hpp>

namespace kaon::quda {
namespace {

/// Returns a view of the client's array of momenta at `pointer`.
ArrayView view_of(void* pointer, const QudaGaugeParam& given) {
  require(pointer != nullptr, "the pointer to momenta is NULL");
  GaugeDescription description = describe_thin(given);
  require(!description.planes && !description.transposed,
          "momenta in QUDA_QDPJIT_GAUGE_ORDER and QUDA_CPS_WILSON_GAUGE_ORDER are not supported: take "
          "QUDA_QDP_GAUGE_ORDER");
  description.offset_bytes =
      given.gauge_order == QUDA_MILC_SITE_GAUGE_ORDER ? static_cast<std::ptrdiff_t>(given.mom_offset) : 0;
  ArrayView view = description.view(pointer);
  view.inside = InsideOrder::anti_hermitian;
  return view;
}

}  // namespace

GaugeField<double> read_momenta(const QudaGaugeParam& given, const void* pointer) {
  const ArrayView array = view_of(const_cast<void*>(pointer), given);
  GaugeField<double> momenta(lattice_of(describe_thin(given)));
  copy_in(momenta, array);
  return momenta;
}

GaugeField<double> momenta_to_change(const QudaGaugeParam& given, const void* pointer) {
  if (given.overwrite_mom != 0) return GaugeField<double>(lattice_of(describe_thin(given)));
  return given.use_resident_mom != 0 ? state().momenta().clone() : read_momenta(given, pointer);
}

void write_momenta(const QudaGaugeParam& given, void* pointer, const GaugeField<double>& momenta) {
  const ArrayView array = view_of(pointer, given);
  require(momenta.lattice() == lattice_of(describe_thin(given)), "X is not that of the resident momenta");
  copy_out(array, momenta);
}

}  // namespace kaon::quda
