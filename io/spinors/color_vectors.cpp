// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/spinors/color_vectors.hpp"

#include "io/header_text.hpp"
#include "io/site_body.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace kaon::io {
namespace {

constexpr int spins = 1;
constexpr std::size_t site_values = kaon::colors;

std::size_t site_bytes_of(int bits) { return site_values * 2 * static_cast<std::size_t>(bits) / 8; }

/// A record of colour vectors: 32 or 64, its bits; of anything else 0.
int vector_bits(const SciDacField& field) {
  if (!field.info || field.info->datacount != 1) return 0;
  const SciDacRecordInfo& info = *field.info;
  const bool named = capitals(info.datatype).find("COLORVECTOR") != std::string::npos;
  if (!named && !(info.spins == 1 && info.colors == kaon::colors)) return 0;
  for (const int bits : {32, 64}) {
    const char precision = bits == 32 ? 'F' : 'D';
    if (info.precision == precision && info.typesize == static_cast<int>(site_bytes_of(bits))) return bits;
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
    if (xml_of_record(file, field).has("usqcdKSPropInfo")) stated.push_back(&field);
  }
  const std::vector<const SciDacField*>& found = stated.empty() ? all : stated;
  require(found.size() == kaon::colors, [&] {
    return fmt::format("{} holds {} colour vectors{}: a propagator of one spin has {}, one for each source colour",
                       file.path().string(), found.size(), stated.empty() ? "" : " of a propagator", kaon::colors);
  });
  std::array<const SciDacField*, kaon::colors> vectors{};
  for (std::size_t place = 0; place < found.size(); ++place) {
    const int color = stated.empty() ? static_cast<int>(place) : xml_of_record(file, *found[place]).integer("color");
    require(color >= 0 && color < kaon::colors && !vectors[static_cast<std::size_t>(color)], [&] {
      return fmt::format("{} is damaged: its colour vectors state the source colour {} out of range or twice",
                         file.path().string(), color);
    });
    vectors[static_cast<std::size_t>(color)] = found[place];
  }
  return vectors;
}

/// Calls visit(place in the propagator, place in a colour vector) for all numbers of one source colour.
template <class Visit>
void for_each_value(const HostPropagator& shape, std::size_t site, int source_color, Visit&& visit) {
  for (int color = 0; color < kaon::colors; ++color) {
    visit(shape.index(static_cast<std::ptrdiff_t>(site), 0, color, 0, source_color), static_cast<std::size_t>(color));
  }
}

/// Reads one vector; returns its checksum.
Checksum read_vector(HostPropagator& out, int color, const InputFile& file, const SciDacField& field, const Part& part,
                     int bits) {
  const auto half = static_cast<std::size_t>(bits) / 8;
  return read_sites(file, field.binary.offset, part, site_bytes_of(bits), [&](std::size_t site, const std::byte* from) {
    for_each_value(out, site, color, [&](std::size_t value, std::size_t place) {
      const std::byte* at = from + 2 * half * place;
      out.values[value] = {load_real(at, bits, ByteOrder::big), load_real(at + half, bits, ByteOrder::big)};
    });
  });
}

void write_vector(OutputFile& file, const Part& part, const HostPropagator& from, int color, int bits,
                  const std::string& record_xml) {
  const std::size_t site_bytes = site_bytes_of(bits), half = static_cast<std::size_t>(bits) / 8;
  LimeWriter lime(file);
  write_scidac_record_records(lime,
                              {.datatype = bits == 32 ? "USQCD_F3_ColorVector" : "USQCD_D3_ColorVector",
                               .precision = bits == 32 ? 'F' : 'D',
                               .colors = kaon::colors,
                               .typesize = static_cast<int>(site_bytes),
                               .datacount = 1},
                              record_xml);
  lime.begin("scidac-binary-data", static_cast<std::uint64_t>(volume_of(part.extents)) * site_bytes);
  const Checksum checksum = write_sites(file, lime.reserve(), part, site_bytes, [&](std::byte* to, std::size_t site) {
    for_each_value(from, site, color, [&](std::size_t value, std::size_t place) {
      std::byte* at = to + 2 * half * place;
      store_real(at, from.values[value].real(), bits, ByteOrder::big);
      store_real(at + half, from.values[value].imag(), bits, ByteOrder::big);
    });
  });
  lime.end();
  write_scidac_checksum(lime, checksum);
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
  out.info = xml_of_file(file, contents).value("info").value_or("");
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  for (const SciDacField* field : vectors) {
    const std::uint64_t length = sites * site_bytes_of(vector_bits(*field));
    require(field->binary.length == length && vector_bits(*field) == out.bits, [&] {
      return fmt::format(
          "{} is damaged: a record {} of it has {} bytes in {} bits; colour vectors of {} sites have {} and all the "
          "same "
          "bits",
          file.path().string(), field->binary.type, field->binary.length, vector_bits(*field), sites, length);
    });
  }
  const Part part = choose_part(extents);
  together(file.communicator(), [&] { out.propagator = HostPropagator(part.local_extents, spins, kaon::colors); });
  for (int color = 0; color < kaon::colors; ++color) {
    const SciDacField& field = *vectors[static_cast<std::size_t>(color)];
    const Checksum checksum = read_vector(out.propagator, color, file, field, part, out.bits);
    require_undamaged(file, out.propagator.values, checksum, field.checksum);
    if (!field.checksum) {
      out.notes.push_back(fmt::format("the file states no checksum of colour {}: none was verified", color));
    }
  }
  return out;
}

void write_color_vector_pairs(OutputFile& file, const Part& part, const HostPropagator& propagator,
                              const HostPropagator& sources, const PropagatorWriteOptions& options) {
  const std::string info = xml_element("info", options.info);
  LimeWriter lime(file);
  write_scidac_file_records(lime, part.extents,
                            fmt::format("<usqcdKSPropFile><version>1.0</version>"
                                        "<type>USQCD_ColorVector_Source_Sink_Pairs</type>{}</usqcdKSPropFile>",
                                        info));
  for (int color = 0; color < kaon::colors; ++color) {
    const auto xml = [&](const char* name) {
      return fmt::format("<{0}><version>1.0</version><color>{1}</color>{2}</{0}>", name, color, info);
    };
    write_vector(file, part, sources, color, options.bits, xml("usqcdSourceInfo"));
    write_vector(file, part, propagator, color, options.bits, xml("usqcdKSPropInfo"));
  }
}

}  // namespace kaon::io
