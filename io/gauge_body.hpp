// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/bytes.hpp"
#include "io/input_file.hpp"

#include <kaon/io/byte_order.hpp>
#include <kaon/io/checksum.hpp>
#include <kaon/io/host_links.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kaon::io {

/// The order in which the items of a body follow each other.
enum class ItemOrder {
  lexicographic,  ///< an item is a site with its four links; x fastest, t slowest
  odd_sites       ///< an item is an odd site with its eight links U_mu(x), U_mu(x - mu); z fastest, then y, x, t
};

/// Where the links of a file lie and how they are written: all that is needed to read or write any range of its items,
/// on any process, without looking at the header again.
struct GaugeBody {
  Coordinates extents{};
  std::uint64_t offset = 0;  ///< of the first item, in bytes from the start of the file
  int bits = 64;
  int rows = 3;
  ByteOrder byte_order = ByteOrder::big;
  ItemOrder order = ItemOrder::lexicographic;
  std::array<int, directions> stored_directions{0, 1, 2, 3};  ///< mu of the links in the order of the file
  std::optional<ChecksumKind> checksum{};

  std::uint64_t items() const;
  std::size_t links_per_item() const { return order == ItemOrder::lexicographic ? 4 : 8; }
  std::size_t link_bytes() const { return static_cast<std::size_t>(rows * 6 * bits / 8); }
  std::size_t item_bytes() const { return links_per_item() * link_bytes(); }
  std::uint64_t bytes() const { return items() * item_bytes(); }
};

/// Site and direction of a link.
struct LinkAddress {
  std::ptrdiff_t site = 0;
  int mu = 0;
};

/// Which link is the k-th of an item.
LinkAddress address(const GaugeBody& body, std::uint64_t item, std::size_t k);

/// out[9] = the link whose bytes start at `from`; a third row that is not stored is computed.
void decode_link(std::complex<double>* out, const std::byte* from, const GaugeBody& body);

/// Reads all links, in pieces, into `out`; returns the body's checksum where the format has one.
std::optional<Checksum> read_body(HostLinks& out, const InputFile& file, const GaugeBody& body);

/// Writes the bytes of all items, in pieces of whole items, to `sink(bytes)`; returns their checksum. Only
/// lexicographic bodies are ever written.
template <class Sink>
std::optional<Checksum> write_body(Sink&& sink, const HostLinks& field, const GaugeBody& body);

namespace detail {

void encode_items(std::span<std::byte> out, const HostLinks& field, const GaugeBody& body, std::uint64_t first_item);

}  // namespace detail

template <class Sink>
std::optional<Checksum> write_body(Sink&& sink, const HostLinks& field, const GaugeBody& body) {
  std::optional<Checksum> checksum;
  if (body.checksum) checksum = Checksum{.kind = *body.checksum};
  const std::uint64_t step = items_at_once(body.item_bytes());
  std::vector<std::byte> piece;
  for (std::uint64_t item = 0; item < body.items(); item += step) {
    piece.resize(static_cast<std::size_t>(std::min(step, body.items() - item)) * body.item_bytes());
    detail::encode_items(piece, field, body, item);
    if (checksum) checksum->add(item, piece, body.item_bytes(), body.byte_order);
    sink(std::span<const std::byte>(piece));
  }
  return checksum;
}

}  // namespace kaon::io
