// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/hdf5_field.hpp"
#include "io/site_body.hpp"

#include <kaon/io/gauge_file.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kaon::io {

/// The order in which the items of a body follow each other.
enum class ItemOrder {
  lexicographic,  ///< an item is a site with its four links; x fastest, t slowest
  odd_sites       ///< an item is an odd site with its eight links U_mu(x), U_mu(x - mu); z fastest, then y, x, t
};

/// The place and the format of the links of a file: all that is needed to read or write any range of its items
/// without looking at the header again.
struct GaugeBody {
  Coordinates extents{};
  std::uint64_t offset = 0;  ///< of the first item, in bytes from the start of the file
  int bits = 64;
  int rows = 3;
  ByteOrder byte_order = ByteOrder::big;
  bool imaginary_first = false;  ///< of the two parts of a complex number
  ItemOrder order = ItemOrder::lexicographic;
  std::array<int, directions> stored_directions{0, 1, 2, 3};  ///< mu of the links in the order of the file
  std::optional<ChecksumKind> checksum{};
  std::vector<Hdf5Field>
      hdf5{};  ///< data sets, one or one for each direction: `offset` and all that follows it is void

  std::uint64_t items() const;
  std::size_t links_per_item() const { return order == ItemOrder::lexicographic ? 4 : 8; }
  std::size_t link_bytes() const { return static_cast<std::size_t>(rows * 6 * bits / 8); }
  std::size_t item_bytes() const { return links_per_item() * link_bytes(); }
  std::uint64_t bytes() const { return items() * item_bytes(); }
  /// The numbers of an item of a lexicographic body.
  SiteNumbers numbers() const;
};

/// out[9] = the link whose bytes start at `from`; a third row that is not stored is computed.
void decode_link(std::complex<double>* out, const std::byte* from, const GaugeBody& body);

/// Reads the links of HDF5 data sets; returns their checksum. Collective.
Checksum read_hdf5_links(HostLinks& out, const InputFile& file, const std::vector<Hdf5Field>& fields, const Part& part);

/// Reads the links of this process' part into `out`, in pieces; returns the checksum of the whole body where the format
/// has one. Collective.
std::optional<Checksum> read_body(HostLinks& out, const InputFile& file, const GaugeBody& body, const Part& part);

}  // namespace kaon::io
