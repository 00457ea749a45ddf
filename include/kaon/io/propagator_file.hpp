// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/io/checksum.hpp>

#include <complex>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::io {

/// A propagator S(x)_{sink, source} in host memory, whole or on the sites of one process, in double precision; with 4
/// spins in the DeGrand-Rossi basis, with 1 for staggered fermions.
///
/// Order [t][z][y][x][sink spin][sink colour][source spin][source colour], site x fastest.
struct HostPropagator {
  Coordinates extents{};
  int spins = 4, colors = 3;
  std::vector<std::complex<double>> values;

  HostPropagator() = default;
  /// A propagator of zeros.
  explicit HostPropagator(const Coordinates& lattice_extents, int spin_count = 4, int color_count = 3);

  /// Sources, and components of each at a site.
  int columns() const { return spins * colors; }
  std::size_t values_per_site() const {
    return static_cast<std::size_t>(columns()) * static_cast<std::size_t>(columns());
  }
  /// Place in `values`.
  std::size_t index(std::ptrdiff_t site, int sink_spin, int sink_color, int source_spin, int source_color) const {
    return static_cast<std::size_t>(
        (((site * spins + sink_spin) * colors + sink_color) * spins + source_spin) * colors + source_color);
  }
};

/// The formats of propagator files: docs/formats.md describes them.
enum class PropagatorFormat {
  scidac,       ///< SciDAC (LIME), one record of all spins and colours
  usqcd_pairs,  ///< SciDAC (LIME), a column of sources and one of the propagator for each source spin and colour, as
                ///< MILC and USQCD have them: one spin or four, three colours
  usqcd_scalar_source,  ///< the same with one complex field of sources f(x), for all columns
  grid,                 ///< SciDAC (LIME) as Grid's ScidacReader expects it: four spins, three colours
  milc,                 ///< MILC's before 2018: one spin, three colours, 32 bits
  pyquda,               ///< PyQUDA's HDF5
  qdpxx                 ///< HDF5 of QDP++ and lalibe
};

struct PropagatorWriteOptions {
  int bits = 64;       ///< of a stored real number: 32 or 64
  std::string info{};  ///< free text that goes with the propagator: action, mass, source; not in MILC's format
  PropagatorFormat format = PropagatorFormat::scidac;
  /// Writes gamma5 S gamma5, the propagator of codes whose hops have the projectors 1 + gamma: MILC's Wilson quarks.
  bool milc_projectors = false;
  /// With `scidac`: the elements of Chroma's record XML `Propagator`, such as ForwardProp and PropSource, a line each,
  /// as `kaon::chroma_header` makes them. Chroma's spectrum needs them; without them the record is `usqcdPropInfo`.
  std::string chroma_header{};
};

struct PropagatorReadOptions {
  std::optional<Coordinates> extents{};  ///< if given, a file with others is refused
  /// Reads S of files that hold gamma5 S gamma5, MILC's of Wilson quarks. No file states which it is.
  bool milc_projectors = false;
};

/// A propagator file read and verified.
struct HostPropagatorFile {
  int bits = 64;
  std::string info;                                             ///< the text given when it was written, if by kaon
  std::optional<Checksum> checksum{};                           ///< as stated and verified
  std::vector<std::pair<std::string, std::string>> metadata{};  ///< the file's text records by their type
  std::vector<std::string> notes{};
  HostPropagator propagator;
};

/// Writes a propagator, by default as a SciDAC (LIME) file with one record, with 4 spins and 3 colours as QDP++ and
/// Chroma write a LatticePropagator: big endian, per site [sink spin][source spin][sink colour][source colour], with
/// scidac-checksum. docs/formats.md has the details.
///
/// Under a temporary name, renamed when complete; nothing is left behind on failure. Throws Error for values that are
/// not finite, for a format that does not take the propagator or the bits, and where the file cannot be written.
void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options = {});

/// Writes a propagator with its sources, in the format `usqcd_pairs`, which is that of MILC's saved propagators, or
/// `usqcd_scalar_source`, for sources f(x) on the diagonal of spins and colours.
void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const HostPropagator& sources, const PropagatorWriteOptions& options = {});

/// Reads a file of any `PropagatorFormat`, recognised from its content, or of gpt (LIME), or tmLQCD's files PATH.00 to
/// PATH.11 by their common name or the first one; of columns the propagator alone, and no sources. SciDAC records state
/// the numbers of spins and colours. Throws Error where the file is truncated, too long, of another content or extents,
/// a checksum is wrong, or values are not finite.
HostPropagatorFile read_propagator(const std::filesystem::path& path, const PropagatorReadOptions& options = {});

}  // namespace kaon::io
