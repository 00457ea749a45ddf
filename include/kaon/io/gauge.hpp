// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/io/gauge_file.hpp>
#include <kaon/io/gauge_writer.hpp>

namespace kaon::io {

// Gauge fields from and to files; T is `double` or `float`. All throw Error for a lattice spread over several
// processes, and for one with other extents than the file's.

/// Reads a gauge file in any format that kaon knows, verified as `read_links` does it.
///
///     const kaon::Lattice lattice({.extents = kaon::io::inspect_gauge("cfg.lime").extents});
///     const auto links = kaon::io::read_gauge<double>(lattice, "cfg.lime");
template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadOptions& options = {});

/// Writes a gauge file with its checksum, plaquette and link trace, as `write_links` does it.
template <class T>
void write_gauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options = {});

/// The links in host memory as a field on `lattice`, rounded to T.
template <class T>
GaugeField<T> to_gauge_field(const Lattice& lattice, const HostLinks& links);

/// All links of a field in host memory.
template <class T>
HostLinks to_host_links(const GaugeField<T>& links);

}  // namespace kaon::io
