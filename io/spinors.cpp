// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/spinors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace kaon::io {
namespace {

constexpr int bits = 32;
constexpr std::size_t number_bytes = 2 * bits / 8;

std::size_t site_bytes_of(const SpinorParameters& shape) {
  return static_cast<std::size_t>(shape.components()) * number_bytes;
}

/// What `tag` in the file's own XML says.
std::optional<std::string> stated(const SciDacFile& contents, std::string_view tag) {
  for (const auto& [type, text] : contents.texts) {
    if (type == "scidac-file-xml") return xml_value(text, tag);
  }
  return std::nullopt;
}

std::optional<double> number(const std::optional<std::string>& text) {
  double value = 0.0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

/// Shape of the field that all records of the file make on a lattice of these extents.
SpinorParameters checked_shape(const InputFile& file, const SciDacFile& contents, const Coordinates& extents) {
  const std::string path = file.path().string();
  require(contents.extents && !contents.fields.empty() && contents.fields.front().info,
          [&] { return fmt::format("{} is a LIME file without SciDAC fields, not one of spinors", path); });
  require(*contents.extents == extents, [&] {
    return fmt::format("{} has extents {} (x, y, z, t), but the lattice has {}", path,
                       kaon::to_string(*contents.extents), kaon::to_string(extents));
  });
  const SciDacRecordInfo& first = *contents.fields.front().info;
  const SpinorParameters shape{
      .spins = first.spins, .colors = first.colors, .right_hand_sides = static_cast<int>(contents.fields.size())};
  for (const SciDacField& field : contents.fields) {
    const SciDacRecordInfo info = field.info.value_or(SciDacRecordInfo{});
    constexpr int most = 1024;
    require(info.datatype == "Lattice" && info.precision == 'F' && info.datacount == 1 && info.spins > 0 &&
                info.colors > 0 && info.spins <= most && info.colors <= most && info.spins == shape.spins &&
                info.colors == shape.colors && static_cast<std::size_t>(info.typesize) == site_bytes_of(shape),
            [&] {
              return fmt::format(
                  "{} holds {} ({} of {} bytes at each site, {} spins, {} colours, precision {}), not spinors in 32 "
                  "bits, all of one shape",
                  path, info.datatype, info.datacount, info.typesize, info.spins, info.colors, info.precision);
            });
    const std::uint64_t length = static_cast<std::uint64_t>(volume_of(extents)) * site_bytes_of(shape);
    require(field.binary.length == length, [&] {
      return fmt::format("{} is damaged: one of its records {} has {} bytes and should have {}", path,
                         field.binary.type, field.binary.length, length);
    });
  }
  // A file that ends behind a record is whole as a LIME file.
  const std::string count = std::to_string(shape.right_hand_sides), wanted = stated(contents, "count").value_or(count);
  require(count == wanted, [&] {
    return fmt::format("{} is truncated or damaged: it states {} spinors and has {}", path, wanted, count);
  });
  return shape;
}

}  // namespace

void write_spinors(const std::filesystem::path& path, const SpinorField<float>& spinors, const SpinorFileInfo& info) {
  require(spinors.subset() == Subset::full, [&] {
    return fmt::format("cannot write {}: the spinors are on one parity, not on all sites", path.string());
  });
  const Part part = part_of(spinors.lattice());
  const SpinorParameters& shape = spinors.parameters();
  const std::size_t site_bytes = site_bytes_of(shape), components = site_bytes / number_bytes;

  OutputFile file(path, part.communicator);
  LimeWriter lime(file);
  const std::string plaquette = info.plaquette ? fmt::format("<plaq>{:.17g}</plaq>", *info.plaquette) : "";
  write_scidac_file_records(lime, part.extents,
                            fmt::format("<kaonSpinors><version>1.0</version><count>{}</count>{}{}</kaonSpinors>",
                                        shape.right_hand_sides, plaquette, xml_element("info", info.info)));
  for (int k = 0; k < shape.right_hand_sides; ++k) {
    const std::vector<std::complex<double>> values = spinors.to_host(k);
    require_storable(path, part.communicator, values, bits);
    write_scidac_record_records(lime,
                                {.datatype = "Lattice",
                                 .precision = 'F',
                                 .colors = shape.colors,
                                 .spins = shape.spins,
                                 .typesize = static_cast<int>(site_bytes),
                                 .datacount = 1},
                                fmt::format("<kaonSpinor><number>{}</number></kaonSpinor>", k));
    lime.begin("scidac-binary-data", static_cast<std::uint64_t>(volume_of(part.extents)) * site_bytes);
    const Checksum checksum = write_sites(file, lime.reserve(), part, site_bytes, [&](std::byte* to, std::size_t site) {
      const std::complex<double>* from = &values[site * components];
      for (std::size_t c = 0; c < components; ++c, to += number_bytes) {
        store_real(to, from[c].real(), bits, ByteOrder::big);
        store_real(to + number_bytes / 2, from[c].imag(), bits, ByteOrder::big);
      }
    });
    lime.end();
    write_scidac_checksum(lime, checksum);
  }
  file.commit();
}

SpinorFile read_spinors(const Lattice& lattice, const std::filesystem::path& path) {
  const Part part = part_of(lattice);
  const InputFile file(path, part.communicator);
  require(is_lime(file), [&] { return fmt::format("{} is no LIME file, and no file of spinors", path.string()); });
  const SciDacFile contents = scidac_file(file);
  const SpinorParameters shape = checked_shape(file, contents, lattice.extents());
  SpinorFile out{SpinorField<float>(lattice, shape),
                 {.plaquette = number(stated(contents, "plaq")), .info = stated(contents, "info").value_or("")}};
  const std::size_t site_bytes = site_bytes_of(shape), components = site_bytes / number_bytes;
  std::vector<std::complex<double>> values(static_cast<std::size_t>(lattice.local_volume()) * components);
  for (int k = 0; k < shape.right_hand_sides; ++k) {
    const SciDacField& field = contents.fields[static_cast<std::size_t>(k)];
    const Checksum checksum =
        read_sites(file, field.binary.offset, part, site_bytes, [&](std::size_t site, const std::byte* from) {
          std::complex<double>* to = &values[site * components];
          for (std::size_t c = 0; c < components; ++c, from += number_bytes) {
            to[c] = {load_real(from, bits, ByteOrder::big), load_real(from + number_bytes / 2, bits, ByteOrder::big)};
          }
        });
    require_undamaged(file, values, checksum, field.checksum);
    out.spinors.from_host(values, k);
  }
  return out;
}

}  // namespace kaon::io
