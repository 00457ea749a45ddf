// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/client/interface.hpp"
#include "quda/state/state.hpp"

#include <kaon/core/gauge_field.hpp>

#include <span>

// Links, momenta and spinors between a client's arrays and kaon's fields.

namespace kaon::quda {

// Links: a client's arrays contain the factors of LinkFactors, and kaon's fields do not.

/// The lattice of links: long ones reach three sites.
const Lattice& lattice_of(const GaugeDescription& description);

/// A client's links without its factors. Links that are not in SU(3) without the factors are read unchanged.
ResidentLinks read_links(const GaugeDescription& description, void* pointer);
/// A client's links divided by its factors, in SU(3) or not.
ResidentLinks read_without_factors(const GaugeDescription& description, void* pointer);
/// Links that share the memory of these.
ResidentLinks shared(const ResidentLinks& links);
/// A field of links that a client would describe so, without its factors; the field changes.
ResidentLinks resident_of(const GaugeDescription& description, GaugeField<double> links);
/// The storage of these links, without factors, in iterations: that of the description, in full outside SU(3).
LinkStorage iteration_storage(const GaugeDescription& description, const GaugeField<double>& links);
/// Throws `Error` unless a client's array of this description has the sites of the links.
void require_sites(const GaugeDescription& description, const GaugeField<double>& links);
/// Links with their factors, into a client's array. Throws `Error` for one with other sites.
void write_links(const GaugeDescription& description, void* pointer, const ResidentLinks& links);
/// Links with their factors: the field itself if it has no factors.
GaugeField<double> with_factors(const ResidentLinks& links);

// Momenta. A client's have 10 reals a link, as in MILC: P_01, P_02, P_12, the imaginary parts of P_00, P_11, P_22, and
// one that is not used.

GaugeField<double> read_momenta(const QudaGaugeParam& given, const void* pointer);
/// Momenta that a force is added to: zeros (`overwrite_mom`), a copy of the resident ones or a client's.
GaugeField<double> momenta_to_change(const QudaGaugeParam& given, const void* pointer);
/// The last of the 10 reals becomes zero.
void write_momenta(const QudaGaugeParam& given, void* pointer, const GaugeField<double>& momenta);

// Spinors.

/// Calls body(slice, parity, s) with each slice of each parity of a field, which share its storage.
template <class Field, class Body>
void for_each_slice(Field& psi, const Body& body) {
  for (const Parity parity : {Parity::even, Parity::odd}) {
    if (!psi.holds(parity)) continue;
    decltype(auto) sites = psi.parity(parity);
    for (int s = 0; s < psi.slices(); ++s) body(sites.slice(s), parity, s);
  }
}

/// Right-hand side k from a client's array, in kaon's basis. Throws `Error` for null pointers.
void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description);
/// Writes right-hand side k to a client's array, in the client's basis.
void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description);

/// All right-hand sides from a list of a client's arrays, and back.
void read_spinors(SpinorField<double>& psi, std::span<void* const> pointers, const SpinorDescription& description);
void write_spinors(std::span<void* const> pointers, const SpinorField<double>& psi,
                   const SpinorDescription& description);

}  // namespace kaon::quda
