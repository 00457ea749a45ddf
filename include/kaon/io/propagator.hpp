// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/io/propagator_file.hpp>

namespace kaon::io {

// Propagators as spinor fields from and to files; T is `double`, `float` or `half`. Right-hand side number colours *
// source spin + source colour is the solution for that source: a field of 4 spins and 3 colours has twelve, one of 1
// spin (staggered fermions) has three. All throw Error for a lattice with other extents than the file's, and for a
// field that does not have both parities and a right-hand side for each spin and colour. Reading and writing are
// collective, as those of gauge fields are (kaon/io/gauge.hpp).

/// Reads a propagator file, verified as `read_propagator` does it for host arrays.
template <class T>
SpinorField<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path,
                               PropagatorReadOptions options = {});

/// Writes a propagator file, as `write_propagator` does it for host arrays.
template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const PropagatorWriteOptions& options = {});

/// Writes a propagator with its sources, as `write_propagator` does it for host arrays. Throws Error for two lattices.
template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const SpinorField<T>& sources, const PropagatorWriteOptions& options = {});

/// The propagator in host memory as a field on `lattice`, rounded to T: given is this process' part, or all.
template <class T>
SpinorField<T> to_spinor_field(const Lattice& lattice, const HostPropagator& propagator);

/// A propagator field on this process' sites in host memory.
template <class T>
HostPropagator to_host_propagator(const SpinorField<T>& propagator);

}  // namespace kaon::io
