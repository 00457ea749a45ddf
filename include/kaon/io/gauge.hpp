// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/io/gauge_file.hpp>

#include <filesystem>
#include <functional>
#include <memory>

namespace kaon::io {

class OutputFile;

// Gauge fields from and to files; T is `double` or `float`. All that read or write are collective: every process reads
// and writes the sites that it holds, at their places in the one file, whose bytes do not depend on the number of
// processes. A failure on any process is thrown as the same Error on all, with the rank that failed. File and
// options must be the same on all processes.

/// Reads a gauge file in any format that kaon knows, verified as `read_links` does it. Throws Error for a file with
/// other extents than the lattice's, too.
///
///     const kaon::Lattice lattice(session.communicator(), {.extents = kaon::io::inspect_gauge("cfg.lime").extents});
///     const auto links = kaon::io::read_gauge<double>(lattice, "cfg.lime");
template <class T>
GaugeField<T> read_gauge(const Lattice& lattice, const std::filesystem::path& path, const ReadOptions& options = {});

/// A gauge field with what its file says and what was found in it.
template <class T>
struct GaugeFile {
  GaugeFileHeader header;
  GaugeFileReport report;
  GaugeField<T> links;
};

/// Reads links on the lattice that `make_lattice` makes from the extents of the file, on `communicator`.
template <class T>
GaugeFile<T> read_gauge_file(const Communicator& communicator, const std::filesystem::path& path,
                             const std::function<Lattice(const Coordinates&)>& make_lattice,
                             const ReadOptions& options = {});

/// Writes a gauge file with its checksum, plaquette and link trace, and returns the checksum, as `write_links` does it.
template <class T>
Checksum write_gauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options = {});

/// A gauge file that is complete and on the disk, except for its name: of files that belong together none has its name
/// before all are written. Destroyed without `commit`, it is removed and leaves nothing behind.
///
///   PreparedGauge fat("fat.lime", links.fat, options), third("third.lime", links.third, options);
///   fat.commit();
///   third.commit();
class PreparedGauge {
 public:
  /// Writes it as `write_gauge` does. Collective.
  template <class T>
  PreparedGauge(const std::filesystem::path& path, const GaugeField<T>& links, const WriteOptions& options = {});
  ~PreparedGauge();
  PreparedGauge(PreparedGauge&&) noexcept;
  PreparedGauge& operator=(PreparedGauge&&) noexcept;

  const Checksum& checksum() const { return checksum_; }
  /// Renames the file to its final name. Collective; throws Error if that is not possible any more.
  void commit();

 private:
  Checksum checksum_;
  std::unique_ptr<OutputFile> file_;
};

/// The links in host memory as a field on `lattice`, rounded to T: given are those of this process' sites, or all.
/// Throws Error where the extents are neither's.
template <class T>
GaugeField<T> to_gauge_field(const Lattice& lattice, const HostLinks& links);

/// The links of this process' sites in host memory.
template <class T>
HostLinks to_host_links(const GaugeField<T>& links);

}  // namespace kaon::io
