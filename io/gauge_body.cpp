// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge_body.hpp"
#include "io/bytes.hpp"
#include "su3.hpp"

#include <kaon/core/error.hpp>

#include <algorithm>
#include <vector>

namespace kaon::io {
namespace {

/// The odd site with this number: z fastest, then y, x, t; every second z is odd.
Coordinates odd_site(std::uint64_t item, const Coordinates& extents) {
  const Coordinates order{extents[2] / 2, extents[1], extents[0], extents[3]};
  const Coordinates at = lexicographic_site(static_cast<std::ptrdiff_t>(item), order);
  return {at[2], at[1], 2 * at[0] + (at[1] + at[2] + at[3] + 1) % 2, at[3]};
}

}  // namespace

std::uint64_t GaugeBody::items() const {
  return static_cast<std::uint64_t>(volume_of(extents)) / (order == ItemOrder::lexicographic ? 1 : 2);
}

LinkAddress address(const GaugeBody& body, std::uint64_t item, std::size_t k) {
  if (body.order == ItemOrder::lexicographic) {
    return {.site = static_cast<std::ptrdiff_t>(item), .mu = body.stored_directions[k]};
  }
  const int mu = body.stored_directions[k / 2];
  Coordinates site = odd_site(item, body.extents);
  if (k % 2 == 1) {
    const int extent = body.extents[static_cast<std::size_t>(mu)];
    int& coordinate = site[static_cast<std::size_t>(mu)];
    coordinate = (coordinate + extent - 1) % extent;
  }
  return {.site = lexicographic_index(site, body.extents), .mu = mu};
}

void decode_link(std::complex<double>* out, const std::byte* from, const GaugeBody& body) {
  const int real_bytes = body.bits / 8;
  for (int k = 0; k < 3 * body.rows; ++k, from += 2 * real_bytes) {
    out[k] = {load_real(from, body.bits, body.byte_order), load_real(from + real_bytes, body.bits, body.byte_order)};
  }
  if (body.rows == 2) complete_third_row(out);
}

std::optional<Checksum> read_body(HostLinks& out, const InputFile& file, const GaugeBody& body) {
  std::optional<Checksum> checksum;
  if (body.checksum) checksum = Checksum{.kind = *body.checksum};
  const std::uint64_t step = items_at_once(body.item_bytes());
  std::vector<std::byte> piece;
  for (std::uint64_t first = 0; first < body.items(); first += step) {
    const std::uint64_t count = std::min(step, body.items() - first);
    piece.resize(static_cast<std::size_t>(count) * body.item_bytes());
    file.read(piece, body.offset + first * body.item_bytes());
    if (checksum) checksum->add(first, piece, body.item_bytes(), body.byte_order);
    const std::byte* from = piece.data();
    for (std::uint64_t item = first; item < first + count; ++item) {
      for (std::size_t k = 0; k < body.links_per_item(); ++k, from += body.link_bytes()) {
        const LinkAddress at = address(body, item, k);
        decode_link(out.link(at.site, at.mu), from, body);
      }
    }
  }
  return checksum;
}

void detail::encode_items(std::span<std::byte> out, const HostLinks& field, const GaugeBody& body,
                          std::uint64_t first_item) {
  require(body.order == ItemOrder::lexicographic, "gauge fields are only written site by site");
  const int real_bytes = body.bits / 8;
  std::byte* to = out.data();
  for (std::uint64_t item = first_item; to != out.data() + out.size(); ++item) {
    for (std::size_t k = 0; k < body.links_per_item(); ++k) {
      const LinkAddress at = address(body, item, k);
      const Complex* u = field.link(at.site, at.mu);
      for (int element = 0; element < 3 * body.rows; ++element, to += 2 * real_bytes) {
        store_real(to, u[element].real(), body.bits, body.byte_order);
        store_real(to + real_bytes, u[element].imag(), body.bits, body.byte_order);
      }
    }
  }
}

}  // namespace kaon::io
