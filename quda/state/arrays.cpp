// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/state/arrays.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kaon::quda {

namespace {

/// Links nearer to SU(3) than this are stored without the factors that a client multiplied them by.
constexpr double largest_deviation = 1e-5;

/// Multiplies links by the factors of a client, or divides them by these.
void multiply_factors(GaugeField<double>& links, const LinkFactors& factors, bool divide) {
  if (factors.staggered_phases) {
    fold_staggered_phases(links, {.antiperiodic = factors.antiperiodic, .steps = factors.steps});
  } else if (factors.antiperiodic || factors.spatial != 1.0) {
    multiply_hop_factors(
        links, {.antiperiodic = factors.antiperiodic, .spatial = divide ? 1.0 / factors.spatial : factors.spatial});
  }
}

bool are_in_su3(const GaugeField<double>& links) {
  const UnitarityDeviation deviation = deviation_from_su3(links);
  return std::max(deviation.unitarity.deviation, deviation.determinant.deviation) < largest_deviation;
}

bool is_thin(LinkKind kind) { return kind == LinkKind::wilson || kind == LinkKind::smeared; }

}  // namespace

const Lattice& lattice_of(const GaugeDescription& description) {
  const bool reaches_far = description.kind == LinkKind::fat || description.kind == LinkKind::long_links;
  return state().lattice(description.local_extents, reaches_far ? 3 : 1);
}

ResidentLinks read_without_factors(const GaugeDescription& description, void* pointer) {
  ResidentLinks resident{GaugeField<double>(lattice_of(description)), description.factors, description.sloppy,
                         description.single};
  copy_in(resident.links, description.view(pointer));
  multiply_factors(resident.links, resident.factors, true);
  return resident;
}

LinkStorage iteration_storage(const GaugeDescription& description, const GaugeField<double>& links) {
  return !is_thin(description.kind) || are_in_su3(links) ? description.sloppy : LinkStorage::full;
}

ResidentLinks read_links(const GaugeDescription& description, void* pointer) {
  ResidentLinks resident = read_without_factors(description, pointer);
  if (!is_thin(description.kind) || are_in_su3(resident.links)) return resident;
  resident.sloppy = LinkStorage::full;
  if (!resident.factors.staggered_phases) {
    copy_in(resident.links, description.view(pointer));
    resident.factors = {};
  }
  return resident;
}

ResidentLinks resident_of(const GaugeDescription& description, GaugeField<double> links) {
  multiply_factors(links, description.factors, true);
  const LinkStorage sloppy = iteration_storage(description, links);
  return {std::move(links), description.factors, sloppy, description.single};
}

void require_sites(const GaugeDescription& description, const GaugeField<double>& links) {
  const Coordinates &given = description.local_extents, &there = links.lattice().local_extents();
  require(given == there, [&] {
    return fmt::format("X = {} {} {} {} is not that of the resident links, {} {} {} {}", given[0], given[1], given[2],
                       given[3], there[0], there[1], there[2], there[3]);
  });
}

ResidentLinks shared(const ResidentLinks& links) {
  return {links.links.share(), links.factors, links.sloppy, links.single};
}

void write_links(const GaugeDescription& description, void* pointer, const ResidentLinks& links) {
  require_sites(description, links.links);
  copy_out(description.view(pointer), with_factors(links));
}

GaugeField<double> with_factors(const ResidentLinks& resident) {
  const LinkFactors& factors = resident.factors;
  if (!factors.staggered_phases && !factors.antiperiodic && factors.spatial == 1.0) return resident.links.share();
  GaugeField<double> links = resident.links.clone();
  multiply_factors(links, factors, false);
  return links;
}

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

namespace {

void require_sites(const void* pointer, const SpinorField<double>& psi, const SpinorDescription& description) {
  require(pointer != nullptr, "a pointer to a spinor is NULL");
  require(psi.subset() == Subset::full || description.sites == SiteOrder::even_odd,
          "dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER is not supported for fields on one parity");
  require(!description.planes || psi.slices() == 1,
          "dirac_order = QUDA_QDPJIT_DIRAC_ORDER is not supported for domain wall quarks and doublets");
}

/// A slice of one parity in a client's array, [parity][slice][site], of a field with that description.
template <class View>
View slice_of(View view, const SpinorField<double>& psi, const SpinorDescription& description, Parity parity, int s) {
  if (description.planes) return view;
  int place = s;
  if (psi.subset() == Subset::full) {
    const bool exchanged = description.sites == SiteOrder::odd_even;
    const int second = static_cast<int>(parity) + (description.slices_alternate ? s : 0) + (exchanged ? 1 : 0);
    place += second % 2 * psi.slices();
  }
  const std::size_t real = view.element == ArrayElement::complex128 ? sizeof(double) : sizeof(float);
  const auto reals = static_cast<std::size_t>(psi.lattice().local_volume() * psi.components());
  using Bytes = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(view.data)>>, const char, char>;
  view.data = static_cast<Bytes*>(view.data) + static_cast<std::size_t>(place) * reals * real;
  view.sites = SiteOrder::even_odd;
  return view;
}

}  // namespace

void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  SpinorField<double> one = psi.range(k, 1);
  for_each_slice(one, [&](SpinorField<double> slice, Parity parity, int s) {
    copy_in(slice, slice_of(description.in(pointer), psi, description, parity, s));
    if (description.basis != SpinBasis::degrand_rossi) change_spinor_basis(slice, {.from = description.basis});
  });
}

void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description) {
  require_sites(pointer, psi, description);
  const SpinorField<double> one = psi.range(k, 1);
  for_each_slice(one, [&](const SpinorField<double>& slice, Parity parity, int s) {
    const ArrayView view = slice_of(description.out(pointer), psi, description, parity, s);
    if (description.basis == SpinBasis::degrand_rossi) return copy_out(view, slice);
    SpinorField<double> rotated = blas::clone(slice);
    change_spinor_basis(rotated, {.to = description.basis});
    copy_out(view, rotated);
  });
}

void read_spinors(SpinorField<double>& psi, std::span<void* const> pointers, const SpinorDescription& description) {
  for (std::size_t k = 0; k < pointers.size(); ++k) read_spinor(psi, static_cast<int>(k), pointers[k], description);
}

void write_spinors(std::span<void* const> pointers, const SpinorField<double>& psi,
                   const SpinorDescription& description) {
  for (std::size_t k = 0; k < pointers.size(); ++k) write_spinor(pointers[k], psi, static_cast<int>(k), description);
}

}  // namespace kaon::quda
