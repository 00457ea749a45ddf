// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/io/propagator_file.hpp>

namespace kaon::io {

// Propagators as spinor fields of twelve right-hand sides, number 3 * source spin + source colour, from and to files; T
// is `double` or `float`. All throw Error for a lattice with other extents than the file's, and for a field that is not
// of 4 spins, 3 colours, both parities and 12 right-hand sides. Reading and writing are collective, as those of gauge
// fields are (kaon/io/gauge.hpp).

/// Reads a propagator file, verified as `read_propagator` does it for host arrays.
template <class T>
SpinorField<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path);

/// Writes a propagator file, as `write_propagator` does it for host arrays.
template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const PropagatorWriteOptions& options = {});

/// The propagator in host memory as a field on `lattice`, rounded to T: given is this process' part, or all.
template <class T>
SpinorField<T> to_spinor_field(const Lattice& lattice, const HostPropagator& propagator);

/// A propagator field on this process' sites in host memory.
template <class T>
HostPropagator to_host_propagator(const SpinorField<T>& propagator);

}  // namespace kaon::io
