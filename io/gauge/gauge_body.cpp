// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_body.hpp"
#include "io/collective.hpp"
#include "io/host_threads.hpp"
#include "su3.hpp"

#include <vector>

namespace kaon::io {
namespace {

/// The odd site with this number: z fastest, then y, x, t; every second z is odd.
Coordinates odd_site(std::uint64_t item, const Coordinates& extents) {
  const Coordinates order{extents[2] / 2, extents[1], extents[0], extents[3]};
  const Coordinates at = lexicographic_site(static_cast<std::ptrdiff_t>(item), order);
  return {at[2], at[1], 2 * at[0] + (at[1] + at[2] + at[3] + 1) % 2, at[3]};
}

/// The bytes of consecutive items.
void read_run(std::vector<std::byte>& piece, const InputFile& file, const GaugeBody& body, const Run& run) {
  piece.resize(static_cast<std::size_t>(run.count) * body.item_bytes());
  file.read_own(piece, body.offset + run.first * body.item_bytes());
}

/// Stores those links of an odd site's item that belong to the part.
void decode_odd_site(HostLinks& out, const std::byte* from, std::uint64_t item, const GaugeBody& body,
                     const Part& part) {
  const Coordinates here = odd_site(item, body.extents);
  for (const int mu : body.stored_directions) {
    const auto direction = static_cast<std::size_t>(mu);
    Coordinates before = here;
    before[direction] = (here[direction] + body.extents[direction] - 1) % body.extents[direction];
    for (const Coordinates& site : {here, before}) {
      if (part.holds(site)) decode_link(out.link(part.local_index(site), mu), from, body);
      from += body.link_bytes();
    }
  }
}

/// Links of even sites are stored with the odd site that follows, so the layers beyond the part's upper faces are read,
/// too.
void read_odd_sites(HostLinks& out, const InputFile& file, const GaugeBody& body, const Part& part) {
  const auto read_box = [&](const Coordinates& origin, const Coordinates& box) {
    const auto in_file = [](const Coordinates& x) { return Coordinates{x[2] / 2, x[1], x[0], x[3]}; };
    const auto z_pairs = [](Coordinates x) {
      x[2] = (x[2] + 1) / 2 * 2;  // a layer of z shares its items with the next
      return x;
    };
    std::vector<Run> runs;
    for_each_run(in_file(body.extents), in_file(origin), in_file(z_pairs(box)), items_at_once(body.item_bytes()),
                 [&](const Run& run) { runs.push_back(run); });
    // Each link belongs to one odd site, so that no two threads store the same one.
    for_each_on_threads<std::vector<std::byte>>(runs.size(), [&](std::size_t k, std::vector<std::byte>& piece) {
      read_run(piece, file, body, runs[k]);
      for (std::uint64_t item = 0; item < runs[k].count; ++item) {
        decode_odd_site(out, piece.data() + item * body.item_bytes(), runs[k].first + item, body, part);
      }
    });
  };
  read_box(part.origin, part.local_extents);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!part.is_cut(mu)) continue;
    Coordinates origin = part.origin, layer = part.local_extents;
    origin[mu] = (part.origin[mu] + part.local_extents[mu]) % part.extents[mu];
    layer[mu] = 1;
    read_box(origin, layer);
  }
}

}  // namespace

std::uint64_t GaugeBody::items() const {
  return static_cast<std::uint64_t>(volume_of(extents)) / (order == ItemOrder::lexicographic ? 1 : 2);
}

SiteNumbers GaugeBody::numbers() const {
  SiteNumbers numbers{.stride = 36, .bits = bits, .order = byte_order, .imaginary_first = imaginary_first};
  for (const int mu : stored_directions) {
    for (int element = 0; element < 3 * rows; ++element) {
      numbers.places.push_back(static_cast<std::size_t>(9 * mu + element));
    }
  }
  return numbers;
}

void decode_link(std::complex<double>* out, const std::byte* from, const GaugeBody& body) {
  const int real_bytes = body.bits / 8;
  for (int k = 0; k < 3 * body.rows; ++k, from += 2 * real_bytes) {
    out[k] = {load_real(from, body.bits, body.byte_order), load_real(from + real_bytes, body.bits, body.byte_order)};
  }
  if (body.rows == 2) complete_third_row(out);
}

std::optional<Checksum> read_body(HostLinks& out, const InputFile& file, const GaugeBody& body, const Part& part) {
  if (body.order == ItemOrder::odd_sites) {
    together(part.communicator, [&] { read_odd_sites(out, file, body, part); });
    return std::nullopt;
  }
  if (!body.hdf5.empty()) return read_hdf5_links(out, file, body.hdf5, part);
  const Checksum checksum =
      read_sites(out.links, file, body.offset, part, body.numbers(), body.checksum.value_or(ChecksumKind::nersc));
  if (body.rows == 2) {
    for_each_range_on_threads(out.links.size() / 9, 1 << 14, [&](std::size_t begin, std::size_t end) {
      for (std::size_t link = begin; link < end; ++link) complete_third_row(&out.links[9 * link]);
    });
  }
  return body.checksum ? std::optional(checksum) : std::nullopt;
}

}  // namespace kaon::io
