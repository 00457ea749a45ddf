// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/site_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace kaon::io {
namespace {

constexpr std::int32_t milc_propagator_magic = 0x71626434;
constexpr std::size_t header_words = 9, header_bytes = 4 * header_words;
constexpr std::int32_t numbers_of_site = 2 * kaon::colors * kaon::colors;
constexpr std::size_t site_bytes = 4 * static_cast<std::size_t>(numbers_of_site);

std::optional<ByteOrder> byte_order_of(const InputFile& file) {
  std::array<std::byte, 4> start{};
  if (file.size() < start.size()) return std::nullopt;
  file.read(start, 0);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    if (load<std::int32_t>(start.data(), order) == milc_propagator_magic) return order;
  }
  return std::nullopt;
}

SiteNumbers milc_numbers(const HostPropagator& shape, ByteOrder order) {
  SiteNumbers numbers{.stride = shape.values_per_site(), .bits = 32, .order = order};
  for (int source_color = 0; source_color < kaon::colors; ++source_color) {
    for (int color = 0; color < kaon::colors; ++color) {
      numbers.places.push_back(shape.index(0, 0, color, 0, source_color));
    }
  }
  return numbers;
}

}  // namespace

bool is_milc_propagator(const InputFile& file) { return byte_order_of(file).has_value(); }

HostPropagatorFile read_milc_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part) {
  const std::string path = file.path().string();
  const ByteOrder order = byte_order_of(file).value();
  std::array<std::byte, header_bytes> header{};
  file.read(header, 0);
  std::array<std::int32_t, header_words> words{};
  for (std::size_t k = 0; k < header_words; ++k) words[k] = load<std::int32_t>(header.data() + 4 * k, order);
  require(words[2] == 4 && words[3] == numbers_of_site, [&] {
    return fmt::format(
        "{} is a MILC propagator of {} numbers of {} bytes at a site, not of {} of 4, as staggered fermions have: kaon "
        "reads no other",
        path, words[3], words[2], numbers_of_site);
  });
  require(words[8] == 0, [&] {
    return fmt::format("{}: a MILC propagator with site order {}; only the natural order 0 can be read", path,
                       words[8]);
  });
  const Coordinates extents{words[4], words[5], words[6], words[7]};
  check_extents(extents);
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  file.require_size(header_bytes + sites * site_bytes,
                    fmt::format("a MILC header of {} bytes and {} sites of {} bytes", header_bytes, sites, site_bytes));

  HostPropagatorFile out;
  out.bits = 32;
  out.notes.emplace_back("the format has no checksum: none was verified");
  const Part part = choose_part(extents);
  together(file.communicator(), [&] { out.propagator = HostPropagator(part.local_extents, 1, kaon::colors); });
  const Checksum checksum =
      read_sites(out.propagator.values, file, header_bytes, part, milc_numbers(out.propagator, order));
  require_undamaged(file, out.propagator.values, checksum, std::nullopt);
  return out;
}

void write_milc_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator) {
  constexpr ByteOrder order = ByteOrder::little;
  // Like all other dates in headers, that of process 0.
  std::int32_t date = static_cast<std::int32_t>(std::time(nullptr));
  part.communicator.broadcast(&date, sizeof date, 0);
  const std::array<std::int32_t, header_words> words{
      milc_propagator_magic, date, 4, numbers_of_site, part.extents[0], part.extents[1], part.extents[2],
      part.extents[3],       0};
  std::array<std::byte, header_bytes> header{};
  for (std::size_t k = 0; k < header_words; ++k) store(header.data() + 4 * k, words[k], order);
  file.write(header);
  const std::uint64_t offset = file.reserve(static_cast<std::uint64_t>(volume_of(part.extents)) * site_bytes);
  write_sites(file, offset, part, propagator.values, milc_numbers(propagator, order));
}

}  // namespace kaon::io
