// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/io/checksum.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon::io {

/// A gauge field in host memory, in double precision: the content of a file of any format, or the sites of one
/// process.
///
/// Order [t][z][y][x][mu][row][column]: site x fastest, mu = x, y, z, t, matrices row by row. U[row][column] of
/// direction mu at site s is links[(4 s + mu) 9 + 3 row + column] with s = lexicographic_index(site, extents).
struct HostLinks {
  Coordinates extents{};
  std::vector<std::complex<double>> links;

  HostLinks() = default;
  /// A field of zeros.
  explicit HostLinks(const Coordinates& lattice_extents);

  /// The nine elements of the link in direction `mu` at the site with this lexicographic index.
  std::complex<double>* link(std::ptrdiff_t site, int mu) { return links.data() + offset(site, mu); }
  const std::complex<double>* link(std::ptrdiff_t site, int mu) const { return links.data() + offset(site, mu); }

 private:
  static std::size_t offset(std::ptrdiff_t site, int mu) { return (static_cast<std::size_t>(site) * 4 + mu) * 9; }
};

/// (1/3) Re Tr U_mu(x) U_nu(x+mu) U_mu(x+nu)^dag U_nu(x)^dag averaged over all sites and the six planes; 1 on a unit
/// field. Plain loops; the digits do not depend on the order of summation, nor on the number of threads.
double plaquette(const HostLinks& field);

/// (1/3) Re Tr U averaged over all links.
double link_trace(const HostLinks& field);

/// The formats of gauge files that kaon knows: docs/formats.md describes them.
enum class GaugeFormat {
  nersc,
  ildg,
  scidac,
  grid,  ///< SciDAC as Grid reads it
  milc,
  openqcd,
  dd_alphaamg,
  pyquda,  ///< HDF5, a data set for each direction
  qdpxx    ///< HDF5, one data set of QDP++
};

/// "NERSC archive", "ILDG (LIME)", "SciDAC (LIME)", "Grid SciDAC (LIME)", "MILC v5", "openQCD", "DD-alphaAMG raw",
/// "PyQUDA (HDF5)", "QDP++ (HDF5)".
const char* to_string(GaugeFormat format);

/// A number that a file states in decimal or binary notation; it is for anything within `rounding` of `value`.
struct StatedNumber {
  double value = 0;
  double rounding = 0;
  std::string source{};  ///< what states it: "PLAQUETTE in its NERSC header"
};

/// Statements of a gauge file about itself.
struct GaugeFileHeader {
  GaugeFormat format = GaugeFormat::nersc;
  Coordinates extents{};
  int bits = 64;  ///< of a stored real number: 32 or 64
  ByteOrder byte_order = ByteOrder::big;
  int rows = 3;                              ///< of a link that are stored: 2 or 3
  std::optional<StatedNumber> plaquette{};   ///< normalised to 1 on a unit field, for any normalisation
  std::optional<StatedNumber> link_trace{};  ///< normalised likewise
  std::optional<Checksum> checksum{};
  std::array<std::string, directions> boundary{};  ///< as stated, such as "PERIODIC"; empty where nothing is
  std::vector<std::pair<std::string, std::string>> metadata{};  ///< header lines, or text records by their type
};

/// Measurements of a gauge file's links.
struct GaugeFileReport {
  double plaquette = 0;                ///< computed from the links that the reader returns
  double plaquette_spatial = 0;        ///< of planes without t, likewise
  double plaquette_temporal = 0;       ///< of planes with t
  double link_trace = 0;               ///< computed from the links that the reader returns
  std::optional<Checksum> checksum{};  ///< computed, where the format has one
  double unitarity_deviation = 0;      ///< largest |U U^dag - 1| element of any link
  double determinant_deviation = 0;    ///< largest |det U - 1| of any link, after unfolding a boundary sign
  std::vector<std::string> notes{};    ///< what the user should know: what was changed, or could not be verified
};

/// A gauge file read and verified.
struct HostGaugeFile {
  GaugeFileHeader header;
  GaugeFileReport report;
  HostLinks links;
};

struct ReadOptions {
  /// Expected extents: other files are refused. Required if the file states none (a LIME file without ildg-format and
  /// SciDAC records).
  std::optional<Coordinates> extents{};
  /// Refuses every other format. By default the format is recognised from the content.
  std::optional<GaugeFormat> format{};
  /// Removes an antiperiodic sign from the last slice's time links, which then all have determinant -1.
  bool unfold_antiperiodic = true;
  /// Refuses links that are not in SU(3), as any gauge field should be; smeared ("fat") links are not. An element of
  /// U U^dag - 1, and det U - 1, may be 1e-5 in files of 32 bits, and 2e-6 in files of 64 bits (which often hold fields
  /// that once were rounded to 32 bits).
  bool require_special_unitary = true;
  /// Accepts links whose checksum is the stated one in spite of another plaquette or link trace than the file states: a
  /// note and a warning then report it. Some codes once stated those of other links. Without a checksum it changes
  /// nothing.
  bool ignore_stated_plaquette = false;
};

/// Reads the header only. (openQCD's and DD-alphaAMG's headers are alike: only there the links are read, too, since the
/// order that yields the stated plaquette distinguishes the two formats.) Collective over `communicator`, whose
/// processes get the same header or throw the same `Error`.
GaugeFileHeader inspect_gauge(const std::filesystem::path& path, const ReadOptions& options = {},
                              const Communicator& communicator = {});

/// Reads a whole gauge file in any format of `GaugeFormat` and verifies it, by this process alone: `read_gauge` shares
/// the work.
///
/// Throws Error, naming every reason that was found, where the file is truncated or longer than it should be, extents
/// are odd or not the wanted ones, the checksum, plaquette or link trace are not the stated ones (to the precision of
/// the file; `ReadOptions::ignore_stated_plaquette`), or links are not finite or not in SU(3). Nothing is ever half
/// read.
HostGaugeFile read_links(const std::filesystem::path& path, const ReadOptions& options = {});

struct WriteOptions {
  GaugeFormat format = GaugeFormat::ildg;        ///< nersc, ildg (a SciDAC file, too), scidac, grid, pyquda or qdpxx
  int bits = 64;                                 ///< of a stored real number: 32 or 64
  int rows = 3;                                  ///< NERSC only: 3, or 2 (4D_SU3_GAUGE: the third row is left out)
  ByteOrder byte_order = ByteOrder::big;         ///< NERSC only; LIME files are always big endian
  std::string ensemble_id = "kaon";              ///< NERSC only
  std::string ensemble_label{};                  ///< NERSC only
  int sequence_number = 0;                       ///< NERSC only: number of the configuration
  std::string logical_file_name = "lfn://kaon";  ///< ILDG only: the name in the ILDG's catalogue
  std::string info{};                            ///< LIME only: free text, stored in the XML of the record
  /// Refuses links that are not in SU(3). Smeared links, fat or long, are not: they are written as SciDAC alone.
  bool require_special_unitary = true;
};

/// Writes a gauge field with its checksum, plaquette and link trace; returns the checksum.
///
/// The file is written under a temporary name in the same folder and renamed when it is complete and on the disk: a
/// file of that name is either replaced as a whole or not touched, and nothing is left behind on failure. Throws Error
/// for links that a reader would refuse (not finite, or not in SU(3) to 1e-5 in 32 and 2e-6 in 64 bits, unless that is
/// allowed), for formats that kaon only reads, and where the file cannot be written.
Checksum write_links(const std::filesystem::path& path, const HostLinks& field, const WriteOptions& options = {});

}  // namespace kaon::io
