// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"
#include "core/fields/field_checks.hpp"
#include "core/tuning/phases.hpp"
#include "io/header_text.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/spinors/packed_vectors.hpp"
#include "io/spinors/spinor_parts.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/io/spinors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

namespace kaon::io {
namespace {

using Values = std::vector<std::complex<double>>;

/// A file that holds `shape.right_hand_sides` fields, in records of one or more.
struct Contents {
  SpinorParameters shape;
  int bits;
  bool milc_packed = false;

  std::size_t components() const { return static_cast<std::size_t>(shape.components()); }
  std::size_t field_bytes() const { return components() * static_cast<std::size_t>(2 * bits / 8); }
  /// The numbers of a site in a record of `count` fields, which follow each other in memory.
  SiteNumbers numbers(int count, const Part& part) const {
    SiteNumbers numbers{.stride = components(), .bits = bits};
    const std::size_t field = components() * static_cast<std::size_t>(volume_of(part.local_extents));
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      for (std::size_t c = 0; c < components(); ++c) numbers.places.push_back(k * field + c);
    }
    return numbers;
  }
};

/// The number that `text` is.
double number_in(const Xml& xml, std::string_view tag, std::string_view text) {
  const auto value = number_of<double>(text);
  require(value && std::isfinite(*value),
          [&] { return fmt::format("{} holds {}, which is no finite number", xml.place_of(tag), excerpt(text)); });
  return *value;
}

/// Numbers with blanks between them, none or `count`.
std::vector<double> numbers(const InputFile& file, const Xml& xml, std::string_view tag, int count) {
  const std::string text = xml.value(tag).value_or("");
  std::vector<double> values;
  for (const std::string_view word : words(text)) values.push_back(number_in(xml, tag, word));
  require(values.empty() || values.size() == static_cast<std::size_t>(count), [&] {
    return fmt::format("{} is damaged: it states {} {} of {} fields", file.path().string(), values.size(), tag, count);
  });
  return values;
}

/// Fields of QDP++ and kaon, MILC's of one spin, or gpt's.
bool is_spinor(const SciDacRecordInfo& info) {
  const std::string name = capitals(info.datatype);
  return name == "LATTICE" || name == fmt::format("USQCD_{}3_COLORVECTOR", info.precision) ||
         name == fmt::format("OT_VECTOR_SPIN_COLOR({},{})", info.spins, info.colors);
}

/// QUDA's fields have datatypes such as QUDA_DNs4Nc3_ColorSpinorField.
bool is_quda(const std::string& datatype) {
  const std::string name = capitals(datatype);
  return name.starts_with("QUDA_") && name.ends_with("_COLORSPINORFIELD");
}

/// MILC's files of eigenvectors of staggered quarks, which have `Nvecs` in their file XML, and records of one each.
/// MILC takes files without `Nvecs` for QUDA's.
bool is_milc(const Xml& file_xml) { return file_xml.has("Nvecs"); }

/// All records of the file make fields of one shape on a lattice of these extents.
Contents checked_contents(const InputFile& file, const SciDacFile& contents, const Coordinates& extents,
                          bool also_64_bits) {
  const std::string path = file.path().string();
  require(contents.extents && !contents.fields.empty() && contents.fields.front().info,
          [&] { return fmt::format("{} is a LIME file without SciDAC fields, not one of spinors", path); });
  require(*contents.extents == extents, [&] {
    return fmt::format("{} has extents {} (x, y, z, t), but the lattice has {}", path,
                       kaon::to_string(*contents.extents), kaon::to_string(extents));
  });
  const SciDacRecordInfo& first = *contents.fields.front().info;
  Contents out{{.spins = first.spins, .colors = first.colors, .right_hand_sides = 0}, first.precision == 'D' ? 64 : 32};
  out.milc_packed = is_milc(contents.file_xml) && contents.file_xml.first("format") == "Packed";
  require(!out.milc_packed ||
              (can_be_packed(extents) && first.spins == 1 && first.colors == kaon::colors && first.datacount == 1),
          [&] {
            return fmt::format(
                "{} holds packed fields of {} spins and {} colours on {}: those of staggered quarks, "
                "with a multiple of 4 time slices, can be packed",
                path, first.spins, first.colors, kaon::to_string(extents));
          });
  for (const SciDacField& field : contents.fields) {
    const SciDacRecordInfo info = field.info.value_or(SciDacRecordInfo{});
    constexpr int most = 1024, most_fields = 1 << 20;
    require((is_spinor(info) || is_quda(info.datatype)) &&
                (info.precision == 'F' || (info.precision == 'D' && also_64_bits)) &&
                info.precision == first.precision && info.datacount >= 1 && info.datacount <= most_fields &&
                info.spins > 0 && info.colors > 0 && info.spins <= most && info.colors <= most &&
                info.spins == out.shape.spins && info.colors == out.shape.colors &&
                static_cast<std::size_t>(info.typesize) == out.field_bytes(),
            [&] {
              return fmt::format(
                  "{} holds {} ({} of {} bytes at each site, {} spins, {} colours, precision {}), not spinors in {} "
                  "bits, all of one shape",
                  path, info.datatype, info.datacount, info.typesize, info.spins, info.colors, info.precision,
                  also_64_bits ? "32 or 64" : "32");
            });
    const std::uint64_t length = static_cast<std::uint64_t>(volume_of(extents)) / (out.milc_packed ? 2 : 1) *
                                 static_cast<std::uint64_t>(info.datacount) * out.field_bytes();
    require(field.binary.length == length, [&] {
      return fmt::format("{} is damaged: one of its records {} has {} bytes and should have {}", path,
                         field.binary.type, field.binary.length, length);
    });
    out.shape.right_hand_sides += info.datacount;
    require(out.shape.right_hand_sides <= most_fields,
            [&] { return fmt::format("{} holds more than {} fields", path, most_fields); });
  }
  // A file that ends behind a record is whole as a LIME file.
  const Xml xml = contents.file_xml;
  const char* const tag = xml.has("count") ? "count" : "Nvecs";
  const int count = out.shape.right_hand_sides, wanted = xml.has(tag) ? xml.integer(tag) : count;
  require(count == wanted, [&] {
    return fmt::format("{} is truncated or damaged: it states {} spinors and has {}", path, wanted, count);
  });
  return out;
}

SpinorFileInfo file_info(const InputFile& file, const SciDacFile& contents, int count) {
  const Xml xml = contents.file_xml;
  SpinorFileInfo info{.info = xml.first("info"),
                      .eigenvalues = numbers(file, xml, "eigenvalues", count),
                      .residuals = numbers(file, xml, "residuals", count)};
  if (is_milc(xml) && info.eigenvalues.empty()) {
    for (const SciDacField& field : contents.fields) {
      info.eigenvalues.push_back(number_in(field.record, "eigVal", field.record.first("eigVal")));
    }
  }
  if (const std::string plaquette = xml.value("plaq").value_or(""); !plaquette.empty()) {
    info.plaquette = number_in(xml, "plaq", plaquette);
  }
  return info;
}

/// Calls take(k, values) for all fields.
void read_records(const InputFile& file, const SciDacFile& contents, const Contents& expected, const Part& part,
                  const std::function<void(int, std::span<const std::complex<double>>)>& take) {
  const std::size_t field_size = expected.components() * static_cast<std::size_t>(volume_of(part.local_extents));
  int k = 0;
  for (const SciDacField& field : contents.fields) {
    const int count = field.info->datacount;
    Values values = kaon::detail::host_zeros(static_cast<std::size_t>(count) * field_size);
    SiteNumbers numbers = expected.numbers(count, part);
    numbers.imaginary_first = field.info->imaginary_first;
    const Checksum checksum = expected.milc_packed ? read_packed(values, file, field.binary.offset, part, expected.bits)
                                                   : read_sites(values, file, field.binary.offset, part, numbers);
    for (std::size_t at = 0; at < values.size(); at += field_size, ++k) {
      const auto of_field = std::span(values).subspan(at, field_size);
      require_undamaged(file, of_field, checksum, field.checksum);
      take(k, of_field);
    }
  }
}

std::string file_xml(const SpinorFileInfo& info, int count, bool milc, bool packed) {
  XmlElements elements{{"version", "1.0"}, {"count", std::to_string(count)}};
  if (milc) elements.emplace_back("Nvecs", std::to_string(count));
  if (packed) elements.emplace_back("format", "Packed");
  const auto list = [&](const char* tag, const std::vector<double>& values) {
    if (!values.empty()) elements.emplace_back(tag, fmt::format("{:#.17g}", fmt::join(values, " ")));
  };
  if (info.plaquette) elements.emplace_back("plaq", fmt::format("{:#.17g}", *info.plaquette));
  elements.emplace_back("info", info.info);
  list("eigenvalues", info.eigenvalues);
  list("residuals", info.residuals);
  return xml_document("kaonSpinors", elements);
}

std::string quda_datatype(const Contents& contents) {
  return fmt::format("QUDA_{}Ns{}Nc{}_ColorSpinorField", contents.bits == 32 ? 'F' : 'D', contents.shape.spins,
                     contents.shape.colors);
}

/// Returns the record in the format of QUDA's lib/qio_field.cpp, which has all sites; <parity> names a field's parity.
std::string quda_record_xml(const Contents& contents) {
  const SpinorParameters& shape = contents.shape;
  const char* family = shape.components() == 3 ? "Staggered" : shape.components() == 12 ? "Wilson" : "MG";
  const char* parity = shape.subset == Subset::full ? "full" : shape.subset == Subset::even ? "even" : "odd";
  return xml_around(fmt::format("quda{}ColorSpinorField", family),
                    xml_lines({{"version", "BETA"}, {"type", quda_datatype(contents)}}) + "<info>\n" +
                        xml_lines({{"subset", "full"},
                                   {"parity", parity},
                                   {"nColor", std::to_string(shape.colors)},
                                   {"nSpin", std::to_string(shape.spins)}}) +
                        "</info>\n");
}

/// MILC reads kaon's eigenvectors of one spin, too.
bool is_for_milc(const Contents& contents, const SpinorFileInfo& info, bool quda) {
  return !quda && contents.shape.spins == 1 && contents.shape.colors == kaon::colors && !info.eigenvalues.empty() &&
         info.milc_shift.has_value();
}

std::string milc_datatype(const Contents& contents) {
  return contents.bits == 32 ? "USQCD_F3_ColorVector" : "USQCD_D3_ColorVector";
}

std::string milc_record_xml(const SpinorFileInfo& info, std::size_t number) {
  XmlElements elements{{"eigVal", fmt::format("{:.18e}", info.eigenvalues[number] - info.milc_shift.value_or(0.0))}};
  if (!info.residuals.empty()) elements.emplace_back("resid", fmt::format("{:e}", info.residuals[number]));
  return xml_document("info", elements);
}

ScidacCube packed_sites(const Coordinates& extents) {
  ScidacCube cube{.upper = extents};
  cube.upper[3] /= 2;
  for (int& coordinate : cube.upper) --coordinate;
  return cube;
}

std::unique_ptr<OutputFile> prepare_records(const std::filesystem::path& path, const Part& part,
                                            const Contents& contents, const SpinorFileInfo& info, bool quda,
                                            const std::function<Values(int)>& values_of) {
  const int count = contents.shape.right_hand_sides, at_once = quda ? count : 1;
  const bool milc = is_for_milc(contents, info, quda);
  auto file = std::make_unique<OutputFile>(path, part.communicator);
  LimeWriter lime(*file);
  write_scidac_file_records(lime, part.extents, file_xml(info, count, milc, contents.milc_packed));
  for (int first = 0; first < count; first += at_once) {
    Values values;
    for (int k = first; k < first + at_once; ++k) {
      Values of_field = values_of(k);
      require_storable(path, part.communicator, of_field, contents.bits);
      if (at_once == 1) {
        values = std::move(of_field);
      } else {
        values.insert(values.end(), of_field.begin(), of_field.end());
      }
    }
    write_scidac_record_records(lime,
                                {.datatype = quda   ? quda_datatype(contents)
                                             : milc ? milc_datatype(contents)
                                                    : "Lattice",
                                 .precision = contents.bits == 32 ? 'F' : 'D',
                                 .colors = contents.shape.colors,
                                 .spins = milc ? 0 : contents.shape.spins,
                                 .typesize = static_cast<int>(contents.field_bytes()),
                                 .datacount = at_once},
                                quda   ? quda_record_xml(contents)
                                : milc ? milc_record_xml(info, static_cast<std::size_t>(first))
                                       : xml_document("kaonSpinor", {{"number", std::to_string(first)}}),
                                contents.milc_packed ? std::optional(packed_sites(part.extents)) : std::nullopt);
    if (contents.milc_packed) {
      lime.begin("scidac-binary-data",
                 static_cast<std::uint64_t>(volume_of(part.extents)) / 2 * contents.field_bytes());
      finish_scidac_body(lime, write_packed(*file, lime.reserve(), part, values, contents.bits));
    } else {
      write_scidac_body(*file, lime, "scidac-binary-data", part, values, contents.numbers(at_once, part));
    }
  }
  file->flush();
  return file;
}

SciDacFile spinor_records(const InputFile& file) {
  require(is_lime(file),
          [&] { return fmt::format("{} is no LIME file, and no file of spinors", file.path().string()); });
  return scidac_file(file);
}

}  // namespace

void write_spinors(const std::filesystem::path& path, const SpinorField<float>& spinors, const SpinorFileInfo& info) {
  kaon::detail::require_one_slice(spinors, "a file of spinors");
  require(spinors.subset() == Subset::full, [&] {
    return fmt::format("cannot write {}: the spinors are on one parity, not on all sites", path.string());
  });
  prepare_records(path, part_of(spinors.lattice()), {.shape = spinors.parameters(), .bits = 32}, info, false,
                  [&](int k) { return spinors.to_host(k); })
      ->commit();
}

SpinorFile read_spinors(const Lattice& lattice, const std::filesystem::path& path) {
  const kaon::detail::Phase phase(kaon::detail::PhaseName::read);
  const Part part = part_of(lattice);
  const InputFile file(path, part.communicator);
  const SciDacFile records = spinor_records(file);
  const Contents contents = checked_contents(file, records, lattice.extents(), false);
  SpinorFile out{SpinorField<float>(lattice, contents.shape),
                 file_info(file, records, contents.shape.right_hand_sides)};
  read_records(file, records, contents, part,
               [&](int k, std::span<const std::complex<double>> values) { out.spinors.from_host(values, k); });
  return out;
}

template <class T>
std::unique_ptr<OutputFile> prepare_spinor_fields(const std::filesystem::path& path,
                                                  std::span<const SpinorField<T>> fields, const SpinorFileInfo& info,
                                                  const SpinorWriteOptions& options) {
  const auto cannot = [&](const std::string& reason) {
    return fmt::format("cannot write {}: {}", path.string(), reason);
  };
  require(!fields.empty(), [&] { return cannot("there are no fields"); });
  require(options.bits == 32 || options.bits == 64,
          [&] { return cannot(fmt::format("{} bits: numbers of 32 or 64 are possible", options.bits)); });
  SpinorParameters shape = fields.front().parameters();
  kaon::detail::require_one_slice(fields.front(), "a file of spinors");
  for (const SpinorField<T>& field : fields) {
    require(field.parameters() == shape && field.right_hand_sides() == 1 && field.lattice() == fields.front().lattice(),
            [&] { return cannot("the fields have several shapes, lattices or right-hand sides"); });
  }
  for (const std::vector<double>* values : {&info.eigenvalues, &info.residuals}) {
    require(values->empty() || values->size() == fields.size(), [&] {
      return cannot(fmt::format("{} eigenvalues or residuals of {} fields", values->size(), fields.size()));
    });
    require(std::ranges::all_of(*values, [](double value) { return std::isfinite(value); }),
            [&] { return cannot("an eigenvalue or residual is not finite"); });
  }
  require(!options.milc_packed ||
              (!options.quda && shape.spins == 1 && shape.colors == kaon::colors && shape.subset == Subset::even &&
               !info.eigenvalues.empty() && info.milc_shift && can_be_packed(fields.front().lattice().extents())),
          [&] {
            return cannot(
                "MILC packs eigenvectors of staggered quarks, with eigenvalues and 4 m^2 in them, on even sites, on "
                "lattices whose extent in t is a multiple of 4");
          });
  shape.right_hand_sides = static_cast<int>(fields.size());
  return prepare_records(path, part_of(fields.front().lattice()),
                         {.shape = shape, .bits = options.bits, .milc_packed = options.milc_packed}, info, options.quda,
                         [&](int k) { return fields[static_cast<std::size_t>(k)].to_host(); });
}

template <class T>
void write_spinor_fields(const std::filesystem::path& path, std::span<const SpinorField<T>> fields,
                         const SpinorFileInfo& info, const SpinorWriteOptions& options) {
  prepare_spinor_fields(path, fields, info, options)->commit();
}

template <class T>
SpinorFields<T> read_spinor_fields(const Lattice& lattice, const std::filesystem::path& path, Subset sites) {
  const kaon::detail::Phase phase(kaon::detail::PhaseName::read);
  const Part part = part_of(lattice);
  const InputFile file(path, part.communicator);
  const SciDacFile records = spinor_records(file);
  const Contents contents = checked_contents(file, records, lattice.extents(), true);
  SpinorParameters shape{.spins = contents.shape.spins, .colors = contents.shape.colors};
  SpinorFields<T> out{.info = file_info(file, records, contents.shape.right_hand_sides),
                      .bits = contents.bits,
                      .quda = is_quda(records.fields.front().info->datatype)};
  SpinorField<T> whole(lattice, shape);
  shape.subset = sites;
  read_records(file, records, contents, part, [&](int k, std::span<const std::complex<double>> values) {
    require_representable<T>(path, part.communicator, values);
    SpinorField<T>& field = out.fields.emplace_back(lattice, shape);
    field.from_host(values);
    if (sites == Subset::full || is_milc(records.file_xml)) return;
    whole.from_host(values);
    const Parity others = sites == Subset::even ? Parity::odd : Parity::even;
    const double norm2 = blas::norm2(whole.parity(others))[0];
    require(norm2 == 0.0, [&] {
      return fmt::format(
          "{} holds fields on all sites: field {} has |psi|^2 = {:.3g} on {} sites, where it must be zero",
          path.string(), k, norm2, others == Parity::odd ? "odd" : "even");
    });
  });
  return out;
}

template std::unique_ptr<OutputFile> prepare_spinor_fields(const std::filesystem::path&,
                                                           std::span<const SpinorField<double>>, const SpinorFileInfo&,
                                                           const SpinorWriteOptions&);
template void write_spinor_fields(const std::filesystem::path&, std::span<const SpinorField<double>>,
                                  const SpinorFileInfo&, const SpinorWriteOptions&);
template void write_spinor_fields(const std::filesystem::path&, std::span<const SpinorField<float>>,
                                  const SpinorFileInfo&, const SpinorWriteOptions&);
template SpinorFields<double> read_spinor_fields(const Lattice&, const std::filesystem::path&, Subset);
template SpinorFields<float> read_spinor_fields(const Lattice&, const std::filesystem::path&, Subset);

}  // namespace kaon::io
