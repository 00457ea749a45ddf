// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/io/propagator_file.hpp>

namespace kaon::io {

// Propagators as spinor fields of twelve right-hand sides, number 3 * source spin + source colour, from and to files; T
// is `double` or `float`. All throw Error for a lattice spread over several processes, for one with other extents than
// the file's, and for a field that is not of 4 spins, 3 colours, both parities and 12 right-hand sides.

/// Reads a propagator file, verified as `read_propagator` does it for host arrays.
template <class T>
SpinorField<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path);

/// Writes a propagator file, as `write_propagator` does it for host arrays.
template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const PropagatorWriteOptions& options = {});

/// The propagator in host memory as a field on `lattice`, rounded to T.
template <class T>
SpinorField<T> to_spinor_field(const Lattice& lattice, const HostPropagator& propagator);

/// A propagator field in host memory.
template <class T>
HostPropagator to_host_propagator(const SpinorField<T>& propagator);

}  // namespace kaon::io
