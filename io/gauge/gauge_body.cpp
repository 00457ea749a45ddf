// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge/gauge_body.hpp"
#include "io/bytes.hpp"
#include "io/collective.hpp"
#include "su3.hpp"

#include <kaon/core/error.hpp>

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

void read_sites(HostLinks& out, std::optional<Checksum>& checksum, const InputFile& file, const GaugeBody& body,
                const Part& part) {
  std::vector<std::byte> piece;
  std::ptrdiff_t site = 0;  // runs come in the order of the part's own sites
  for_each_run(part, items_at_once(body.item_bytes()), [&](const Run& run) {
    read_run(piece, file, body, run);
    if (checksum) checksum->add(run.first, piece, body.item_bytes(), body.byte_order);
    const std::byte* from = piece.data();
    for (std::uint64_t k = 0; k < run.count; ++k, ++site) {
      for (const int mu : body.stored_directions) {
        decode_link(out.link(site, mu), from, body);
        from += body.link_bytes();
      }
    }
  });
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
  std::vector<std::byte> piece;
  const auto read_box = [&](const Coordinates& origin, const Coordinates& box) {
    const auto in_file = [](const Coordinates& x) { return Coordinates{x[2] / 2, x[1], x[0], x[3]}; };
    const auto z_pairs = [](Coordinates x) {
      x[2] = (x[2] + 1) / 2 * 2;  // a layer of z shares its items with the next
      return x;
    };
    for_each_run(in_file(body.extents), in_file(origin), in_file(z_pairs(box)), items_at_once(body.item_bytes()),
                 [&](const Run& run) {
                   read_run(piece, file, body, run);
                   for (std::uint64_t k = 0; k < run.count; ++k) {
                     decode_odd_site(out, piece.data() + k * body.item_bytes(), run.first + k, body, part);
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

void encode_site(std::byte* to, const HostLinks& field, std::ptrdiff_t site, const GaugeBody& body) {
  const int real_bytes = body.bits / 8;
  for (const int mu : body.stored_directions) {
    const Complex* u = field.link(site, mu);
    for (int element = 0; element < 3 * body.rows; ++element, to += 2 * real_bytes) {
      store_real(to, u[element].real(), body.bits, body.byte_order);
      store_real(to + real_bytes, u[element].imag(), body.bits, body.byte_order);
    }
  }
}

}  // namespace

std::uint64_t GaugeBody::items() const {
  return static_cast<std::uint64_t>(volume_of(extents)) / (order == ItemOrder::lexicographic ? 1 : 2);
}

void decode_link(std::complex<double>* out, const std::byte* from, const GaugeBody& body) {
  const int real_bytes = body.bits / 8;
  for (int k = 0; k < 3 * body.rows; ++k, from += 2 * real_bytes) {
    out[k] = {load_real(from, body.bits, body.byte_order), load_real(from + real_bytes, body.bits, body.byte_order)};
  }
  if (body.rows == 2) complete_third_row(out);
}

std::optional<Checksum> read_body(HostLinks& out, const InputFile& file, const GaugeBody& body, const Part& part) {
  std::optional<Checksum> checksum;
  if (body.checksum) checksum = Checksum{.kind = *body.checksum};
  together(part.communicator, [&] {
    if (body.order == ItemOrder::odd_sites) {
      read_odd_sites(out, file, body, part);
    } else {
      read_sites(out, checksum, file, body, part);
    }
  });
  return checksum ? std::optional(combine(part.communicator, *checksum)) : std::nullopt;
}

std::optional<Checksum> write_body(OutputFile& file, const HostLinks& field, const GaugeBody& body, const Part& part) {
  require(body.order == ItemOrder::lexicographic, "gauge fields are only written site by site");
  std::optional<Checksum> checksum;
  if (body.checksum) checksum = Checksum{.kind = *body.checksum};
  std::vector<std::byte> piece;
  std::ptrdiff_t site = 0;
  together(part.communicator, [&] {
    for_each_run(part, items_at_once(body.item_bytes()), [&](const Run& run) {
      piece.resize(static_cast<std::size_t>(run.count) * body.item_bytes());
      std::byte* to = piece.data();
      for (std::uint64_t k = 0; k < run.count; ++k, ++site, to += body.item_bytes()) {
        encode_site(to, field, site, body);
      }
      if (checksum) checksum->add(run.first, piece, body.item_bytes(), body.byte_order);
      file.write_own(body.offset + run.first * body.item_bytes(), piece);
    });
  });
  return checksum ? std::optional(combine(part.communicator, *checksum)) : std::nullopt;
}

}  // namespace kaon::io
