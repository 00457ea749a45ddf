// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"
#include "quda/state/state.hpp"

// Links between a client's arrays, which hold factors, and kaon's fields, which do not.

namespace kaon::quda {

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

}  // namespace kaon::quda
