// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/bytes.hpp"

#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <complex>
#include <span>
#include <string>

namespace kaon::test {

// Files of formats that kaon does not write, made here by plain loops that follow the format's description.

using io::ByteOrder;

template <class Number>
void append(std::string& bytes, Number number, ByteOrder order) {
  std::array<std::byte, sizeof(Number)> buffer;
  io::store(buffer.data(), number, order);
  bytes.append(reinterpret_cast<const char*>(buffer.data()), buffer.size());
}

template <class Real>
void append_link(std::string& bytes, const std::complex<double>* link, ByteOrder order) {
  for (int k = 0; k < 9; ++k) {
    append(bytes, static_cast<Real>(link[k].real()), order);
    append(bytes, static_cast<Real>(link[k].imag()), order);
  }
}

/// All links as the records of SciDAC and ILDG files have them in 64 bits.
inline std::string big_endian_links(const io::HostLinks& field) {
  std::string bytes;
  for (std::size_t link = 0; link < field.links.size(); link += 9) {
    append_link<double>(bytes, &field.links[link], ByteOrder::big);
  }
  return bytes;
}

/// A record of a LIME file.
inline std::string lime_record(std::string type, const std::string& payload, bool begins = false, bool ends = false) {
  std::string bytes;
  append(bytes, std::uint32_t{0x456789AB}, ByteOrder::big);
  append(bytes, std::uint16_t{1}, ByteOrder::big);
  append(bytes, static_cast<std::uint16_t>((begins ? 0x8000 : 0) | (ends ? 0x4000 : 0)), ByteOrder::big);
  append(bytes, std::uint64_t{payload.size()}, ByteOrder::big);
  type.resize(128);
  return bytes + type + payload + std::string((8 - payload.size() % 8) % 8, '\0');
}

/// The text of scidac-checksum for a body.
inline std::string scidac_checksum(const std::string& body, std::size_t site_bytes) {
  io::Checksum sum{.kind = io::ChecksumKind::scidac};
  sum.add(0, std::as_bytes(std::span(body)), site_bytes, ByteOrder::big);
  return fmt::format("<scidacChecksum><version>1.0</version><suma>{:x}</suma><sumb>{:08X}</sumb></scidacChecksum>",
                     sum.first, sum.second);
}

/// A copy of a file with its last record, scidac-checksum, in front of the body that it belongs to.
inline std::string with_checksum_first(const std::string& bytes) {
  constexpr std::size_t flags = 6, type = 16;
  const std::size_t body = bytes.rfind("-binary-data") - std::string("scidac").size() - type;
  const std::size_t checksum = bytes.rfind("scidac-checksum") - type;
  std::string out = bytes.substr(0, body) + bytes.substr(checksum) + bytes.substr(body, checksum - body);
  out[body + flags] = '\0';
  out[body + (bytes.size() - checksum) + flags] = '\x40';
  return out;
}

inline std::string milc_file(const io::HostLinks& field, ByteOrder order) {
  std::string body;
  for (std::ptrdiff_t site = 0; site < volume_of(field.extents); ++site) {
    for (int mu = 0; mu < 4; ++mu) append_link<float>(body, field.link(site, mu), order);
  }
  std::uint32_t sum29 = 0, sum31 = 0;
  for (std::size_t k = 0; k < body.size() / 4; ++k) {
    const auto word = io::load<std::uint32_t>(reinterpret_cast<const std::byte*>(body.data()) + 4 * k, order);
    sum29 ^= std::rotl(word, static_cast<int>(k % 29));
    sum31 ^= std::rotl(word, static_cast<int>(k % 31));
  }
  std::string bytes;
  append(bytes, std::int32_t{20103}, order);
  for (const int extent : field.extents) append(bytes, static_cast<std::int32_t>(extent), order);
  std::string stamp = "Sat Nov 21 10:00:00 2026";
  stamp.resize(64);
  bytes += stamp;
  append(bytes, std::int32_t{0}, order);
  append(bytes, sum29, order);
  append(bytes, sum31, order);
  return bytes + body;
}

inline std::string openqcd_file(const io::HostLinks& field) {
  const auto [X, Y, Z, T] = field.extents;
  std::string bytes;
  for (const int extent : {T, X, Y, Z}) append(bytes, static_cast<std::int32_t>(extent), ByteOrder::little);
  append(bytes, 3 * io::plaquette(field), ByteOrder::little);
  for (int t = 0; t < T; ++t) {
    for (int x = 0; x < X; ++x) {
      for (int y = 0; y < Y; ++y) {
        for (int z = 0; z < Z; ++z) {
          if ((x + y + z + t) % 2 == 0) continue;
          for (const std::size_t mu : {3u, 0u, 1u, 2u}) {
            Coordinates site{x, y, z, t};
            append_link<double>(bytes, field.link(lexicographic_index(site, field.extents), static_cast<int>(mu)),
                                ByteOrder::little);
            site[mu] = (site[mu] + field.extents[mu] - 1) % field.extents[mu];
            append_link<double>(bytes, field.link(lexicographic_index(site, field.extents), static_cast<int>(mu)),
                                ByteOrder::little);
          }
        }
      }
    }
  }
  return bytes;
}

inline std::string dd_alphaamg_file(const io::HostLinks& field) {
  std::string bytes;
  for (const int mu : {3, 2, 1, 0}) {
    append(bytes, static_cast<std::int32_t>(field.extents[static_cast<std::size_t>(mu)]), ByteOrder::little);
  }
  append(bytes, 3 * io::plaquette(field), ByteOrder::little);
  for (std::ptrdiff_t site = 0; site < volume_of(field.extents); ++site) {
    for (const int mu : {3, 2, 1, 0}) append_link<double>(bytes, field.link(site, mu), ByteOrder::little);
  }
  return bytes;
}

}  // namespace kaon::test
