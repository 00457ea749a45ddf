// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/header_text.hpp"
#include "io/site_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <vector>

namespace kaon::io {
namespace {

/// The numbers of a site of one source colour.
SiteNumbers vector_numbers(const HostPropagator& shape, int source_color, int bits) {
  SiteNumbers numbers{.stride = shape.values_per_site(), .bits = bits};
  for (int color = 0; color < kaon::colors; ++color)
    numbers.places.push_back(shape.index(0, 0, color, 0, source_color));
  return numbers;
}

int vector_bytes(int bits) { return kaon::colors * 2 * bits / 8; }

/// A record of colour vectors: 32 or 64, its bits; of anything else 0.
int vector_bits(const SciDacField& field) {
  if (!field.info || field.info->datacount != 1) return 0;
  const SciDacRecordInfo& info = *field.info;
  const bool named = capitals(info.datatype).find("COLORVECTOR") != std::string::npos;
  if (!named && !(info.spins == 1 && info.colors == kaon::colors)) return 0;
  for (const int bits : {32, 64}) {
    const char precision = bits == 32 ? 'F' : 'D';
    if (info.precision == precision && info.typesize == vector_bytes(bits)) return bits;
  }
  return 0;
}

/// The vectors of source colours 0, 1 and 2: those whose records state it, or in their order if none does and there are
/// three.
std::array<const SciDacField*, kaon::colors> vectors_of(const InputFile& file, const SciDacFile& contents) {
  std::vector<const SciDacField*> stated, all;
  for (const SciDacField& field : contents.fields) {
    if (vector_bits(field) == 0) continue;
    all.push_back(&field);
    if (field.record.has("usqcdKSPropInfo")) stated.push_back(&field);
  }
  const std::vector<const SciDacField*>& found = stated.empty() ? all : stated;
  require(found.size() == kaon::colors, [&] {
    return fmt::format("{} holds {} colour vectors{}: a propagator of one spin has {}, one for each source colour",
                       file.path().string(), found.size(), stated.empty() ? "" : " of a propagator", kaon::colors);
  });
  std::array<const SciDacField*, kaon::colors> vectors{};
  for (std::size_t place = 0; place < found.size(); ++place) {
    const int color = stated.empty() ? static_cast<int>(place) : found[place]->record.integer("color");
    require(color >= 0 && color < kaon::colors && !vectors[static_cast<std::size_t>(color)], [&] {
      return fmt::format("{} is damaged: its colour vectors state the source colour {} out of range or twice",
                         file.path().string(), color);
    });
    vectors[static_cast<std::size_t>(color)] = found[place];
  }
  return vectors;
}

void write_vector(OutputFile& file, const Part& part, const HostPropagator& from, int color, int bits,
                  const std::string& record_xml) {
  LimeWriter lime(file);
  write_scidac_record_records(lime,
                              {.datatype = bits == 32 ? "USQCD_F3_ColorVector" : "USQCD_D3_ColorVector",
                               .precision = bits == 32 ? 'F' : 'D',
                               .colors = kaon::colors,
                               .typesize = vector_bytes(bits),
                               .datacount = 1},
                              record_xml);
  write_scidac_body(file, lime, "scidac-binary-data", part, from.values, vector_numbers(from, color, bits));
}

}  // namespace

bool is_color_vector_file(const SciDacFile& contents) {
  return std::any_of(contents.fields.begin(), contents.fields.end(),
                     [](const SciDacField& field) { return vector_bits(field) != 0; });
}

HostPropagatorFile read_color_vectors(const InputFile& file, const SciDacFile& contents, const Coordinates& extents,
                                      const std::function<Part(const Coordinates&)>& choose_part) {
  const auto vectors = vectors_of(file, contents);
  HostPropagatorFile out;
  out.bits = vector_bits(*vectors[0]);
  out.metadata = contents.texts;
  out.notes = contents.notes;
  out.info = contents.file_xml.first("info");
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  for (const SciDacField* field : vectors) {
    const std::uint64_t length = sites * static_cast<std::uint64_t>(vector_bytes(vector_bits(*field)));
    require(field->binary.length == length && vector_bits(*field) == out.bits, [&] {
      return fmt::format(
          "{} is damaged: a record {} of it has {} bytes in {} bits; colour vectors of {} sites have {} and all the "
          "same "
          "bits",
          file.path().string(), field->binary.type, field->binary.length, vector_bits(*field), sites, length);
    });
  }
  const Part part = choose_part(extents);
  together(file.communicator(), [&] { out.propagator = HostPropagator(part.local_extents, 1, kaon::colors); });
  for (int color = 0; color < kaon::colors; ++color) {
    const SciDacField& field = *vectors[static_cast<std::size_t>(color)];
    const Checksum checksum = read_sites(out.propagator.values, file, field.binary.offset, part,
                                         vector_numbers(out.propagator, color, out.bits));
    require_undamaged(file, out.propagator.values, checksum, field.checksum);
    if (!field.checksum) {
      out.notes.push_back(fmt::format("the file states no checksum of colour {}: none was verified", color));
    }
  }
  return out;
}

void write_color_vector_pairs(OutputFile& file, const Part& part, const HostPropagator& propagator,
                              const HostPropagator& sources, const PropagatorWriteOptions& options) {
  LimeWriter lime(file);
  write_scidac_file_records(
      lime, part.extents,
      xml_document("usqcdKSPropFile",
                   {{"version", "1.0"}, {"type", "USQCD_ColorVector_Source_Sink_Pairs"}, {"info", options.info}}));
  for (int color = 0; color < kaon::colors; ++color) {
    const auto xml = [&](const char* name) {
      return xml_document(name, {{"version", "1.0"}, {"color", std::to_string(color)}, {"info", options.info}});
    };
    write_vector(file, part, sources, color, options.bits, xml("usqcdSourceInfo"));
    write_vector(file, part, propagator, color, options.bits, xml("usqcdKSPropInfo"));
  }
}

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
