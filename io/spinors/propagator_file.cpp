// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"
#include "io/collective.hpp"
#include "io/grid_format.hpp"
#include "io/hdf5_field.hpp"
#include "io/header_text.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

namespace kaon::io {

SiteNumbers site_numbers(const HostPropagator& shape, int bits) {
  SiteNumbers numbers{.stride = shape.values_per_site(), .bits = bits};
  for (int sink_spin = 0; sink_spin < shape.spins; ++sink_spin) {
    for (int source_spin = 0; source_spin < shape.spins; ++source_spin) {
      for (int sink_color = 0; sink_color < shape.colors; ++sink_color) {
        for (int source_color = 0; source_color < shape.colors; ++source_color) {
          numbers.places.push_back(shape.index(0, sink_spin, sink_color, source_spin, source_color));
        }
      }
    }
  }
  return numbers;
}

namespace {

constexpr std::string_view readable =
    "kaon reads one SciDAC record of 4x4 spins and 3x3 colours, as QDP++ and Grid write it, or of as many as it "
    "states, "
    "propagators in SciDAC records of Dirac fermions or colour vectors, tmLQCD's NAME.00 to NAME.11, and staggered "
    "ones "
    "in MILC's format before 2018";

/// The place of the record's numbers if they are those of a propagator of the spins and colours that it states, or of a
/// Dirac propagator regardless of its statements: one without sites.
std::optional<HostPropagator> propagator_shape(const SciDacRecordInfo& info, int bits) {
  for (const auto& [spins, colors] : {std::pair(info.spins, info.colors), std::pair(4, kaon::colors)}) {
    constexpr int most = 1024;
    if (spins < 1 || colors < 1 || spins > most || colors > most) continue;
    HostPropagator shape({}, spins, colors);
    if (static_cast<std::size_t>(info.typesize) == site_numbers(shape, bits).bytes()) return shape;
  }
  return std::nullopt;
}

/// QDP++'s name of any field, Grid's of a LatticePropagator, which is GRID_D_SpinMatrix4_ColourMatrix3 in double, or
/// gpt's. Spin basis and order of the numbers are the same; QDP/C uses the name DiracPropagator for another order.
bool is_propagator(const SciDacRecordInfo& info) {
  const std::string name = capitals(info.datatype);
  return name == "LATTICE" || name == fmt::format("OT_MATRIX_SPIN_COLOR({},{})", info.spins, info.colors) ||
         name == fmt::format("GRID_{}_SPINMATRIX{}_COLOURMATRIX{}", info.precision, info.spins, info.colors);
}

int bits_of(const SciDacRecordInfo& info) { return info.precision == 'F' ? 32 : info.precision == 'D' ? 64 : 0; }

/// The only field of the file, made sure to be a propagator.
const SciDacField& propagator_field(const InputFile& file, const SciDacFile& contents) {
  require(contents.fields.size() == 1 && contents.fields.front().info && contents.extents, [&] {
    return fmt::format("{} is a LIME file with {} binary records, not one SciDAC field: {}", file.path().string(),
                       contents.fields.size(), readable);
  });
  const SciDacField& field = contents.fields.front();
  const SciDacRecordInfo& info = *field.info;
  const int bits = bits_of(info);
  require(bits != 0 && is_propagator(info) && info.datacount == 1 && propagator_shape(info, bits), [&] {
    return fmt::format("{} holds {} ({} of {} bytes at each site, precision {}), not a propagator: {}",
                       file.path().string(), info.datatype, info.datacount, info.typesize, info.precision, readable);
  });
  return field;
}

Coordinates checked_extents(const InputFile& file, const Coordinates& extents, const PropagatorReadOptions& options) {
  require(has_possible_volume(extents), [&] {
    return fmt::format("{} has extents {} (x, y, z, t): each must be at least 1, for at most 2^40 sites",
                       file.path().string(), kaon::to_string(extents));
  });
  require(!options.extents || *options.extents == extents, [&] {
    return fmt::format("{} has extents {} (x, y, z, t), but the lattice has {}", file.path().string(),
                       kaon::to_string(extents), kaon::to_string(*options.extents));
  });
  return extents;
}

/// A propagator in one record.
HostPropagatorFile read_one_record(const InputFile& file, const SciDacFile& contents,
                                   const PropagatorReadOptions& options,
                                   const std::function<Part(const Coordinates&)>& choose_part) {
  const SciDacField& field = propagator_field(file, contents);

  HostPropagatorFile out{.bits = bits_of(*field.info),
                         .info = field.record.first("info"),
                         .checksum = field.checksum,
                         .metadata = contents.texts,
                         .notes = contents.notes,
                         .propagator = {}};
  const Coordinates extents = checked_extents(file, *contents.extents, options);
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  const HostPropagator shape = propagator_shape(*field.info, out.bits).value();
  SiteNumbers numbers = site_numbers(shape, out.bits);
  numbers.imaginary_first = field.info->imaginary_first;
  const std::size_t site_bytes = numbers.bytes();
  require(field.binary.length == sites * site_bytes, [&] {
    return fmt::format("{} is {}: its record {} has {} bytes and should have {} ({} sites of {} bytes)",
                       file.path().string(), field.binary.length < sites * site_bytes ? "truncated" : "too long",
                       field.binary.type, field.binary.length, sites * site_bytes, sites, site_bytes);
  });

  const Part part = choose_part(extents);
  together(file.communicator(),
           [&] { out.propagator = HostPropagator(part.local_extents, shape.spins, shape.colors); });
  std::vector<std::complex<double>>& values = out.propagator.values;
  const Checksum checksum = read_sites(values, file, field.binary.offset, part, numbers);
  require_undamaged(file, values, checksum, field.checksum);
  if (!field.checksum) out.notes.emplace_back("the file states no checksum: none was verified");
  return out;
}

}  // namespace

HostPropagator::HostPropagator(const Coordinates& lattice_extents, int spin_count, int color_count)
    : extents(lattice_extents),
      spins(spin_count),
      colors(color_count),
      values(kaon::detail::host_zeros(static_cast<std::size_t>(volume_of(lattice_extents)) * values_per_site())) {}

void require_whole(const HostPropagator& propagator, std::string_view failing) {
  const auto wanted = static_cast<std::size_t>(volume_of(propagator.extents)) * propagator.values_per_site();
  require(propagator.values.size() == wanted, [&] {
    return fmt::format("{}: {} numbers are not a propagator on {} ({})", failing, propagator.values.size(),
                       kaon::to_string(propagator.extents), wanted);
  });
}

namespace {

HostPropagatorFile read_any(const Communicator& communicator, const std::filesystem::path& path,
                            const PropagatorReadOptions& options,
                            const std::function<Part(const Coordinates&)>& choose_part) {
  const auto checked = [&](const InputFile& file, const Coordinates& extents) {
    return checked_extents(file, extents, options);
  };
  const auto exists = [](const std::filesystem::path& name) {
    std::error_code ignored;
    return std::filesystem::exists(name, ignored);
  };
  if (communicator.any(!exists(path) && exists(path.string() + ".00"))) {
    return read_tmlqcd_files(communicator, path, checked, choose_part);
  }
  const InputFile file(path, communicator);
  if (is_milc_propagator(file)) {
    const auto check = [&](const Coordinates& extents) { checked_extents(file, extents, options); };
    return read_milc_propagator(file, check, choose_part);
  }
  if (is_hdf5(file)) {
    const auto check = [&](const Coordinates& extents) { checked_extents(file, extents, options); };
    return read_hdf5_propagator(file, check, choose_part);
  }
  require(is_lime(file), [&] { return fmt::format("{} is no LIME file: {}", path.string(), readable); });
  const SciDacFile contents = scidac_file(file);
  // Three vectors without spin, MILC's eigenvectors too, would be the colour vectors of a propagator.
  require(!contents.file_xml.has("kaonSpinors") && !contents.file_xml.has("Nvecs"),
          [&] { return fmt::format("{} holds spinor fields, not a propagator: {}", path.string(), readable); });
  if (const auto name = tmlqcd_name(file, contents))
    return read_tmlqcd_files(communicator, *name, checked, choose_part);
  if (!contents.extents || !is_column_file(contents)) return read_one_record(file, contents, options, choose_part);
  return read_columns(file, contents, checked(file, *contents.extents), choose_part);
}

}  // namespace

HostPropagatorFile read_propagator_parts(const Communicator& communicator, const std::filesystem::path& path,
                                         const PropagatorReadOptions& options,
                                         const std::function<Part(const Coordinates&)>& choose_part) {
  HostPropagatorFile out = read_any(communicator, path, options, choose_part);
  if (!options.milc_projectors) return out;
  require(out.propagator.spins == 4,
          [&] { return fmt::format("{}: milc_projectors is for propagators of 4 spins", path.string()); });
  multiply_by_gamma5(out.propagator);
  return out;
}

HostPropagatorFile read_propagator(const std::filesystem::path& path, const PropagatorReadOptions& options) {
  return read_propagator_parts({}, path, options, whole_part);
}

namespace {

bool has_sources(PropagatorFormat format) {
  return format == PropagatorFormat::usqcd_pairs || format == PropagatorFormat::usqcd_scalar_source;
}

bool has_any_shape(PropagatorFormat format) {
  return format == PropagatorFormat::scidac || format == PropagatorFormat::pyquda || format == PropagatorFormat::qdpxx;
}

/// Whether a format has propagators of so many spins.
bool has_spins(PropagatorFormat format, int spins) {
  if (format == PropagatorFormat::milc) return spins == 1;
  if (format == PropagatorFormat::grid) return spins == 4;
  return has_any_shape(format) || spins == 1 || spins == 4;
}

/// Checks everything that could make the file useless before any of it is written.
void check(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
           const HostPropagator* sources, const PropagatorWriteOptions& options) {
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  require(options.format != PropagatorFormat::milc || options.bits == 32,
          [&] { return fmt::format("cannot write {} with 64 bits: MILC's format has 32", path.string()); });
  const bool has_shape = has_spins(options.format, propagator.spins) &&
                         (has_any_shape(options.format) || propagator.colors == kaon::colors);
  require(has_shape, [&] {
    const char* spins = options.format == PropagatorFormat::milc ? "1" : has_sources(options.format) ? "1 or 4" : "4";
    return fmt::format("cannot write {}: a propagator of {} spins and {} colours, but the format is one of {} and {}",
                       path.string(), propagator.spins, propagator.colors, spins, kaon::colors);
  });
  require(!options.milc_projectors || propagator.spins == 4,
          [&] { return fmt::format("cannot write {}: milc_projectors is for propagators of 4 spins", path.string()); });
  require(options.chroma_header.empty() || (options.format == PropagatorFormat::scidac && propagator.spins == 4), [&] {
    return fmt::format("cannot write {}: chroma_header is for propagators of 4 spins in the format scidac",
                       path.string());
  });
  require(has_sources(options.format) == (sources != nullptr), [&] {
    return fmt::format("cannot write {}: {}", path.string(),
                       sources == nullptr ? "the format has sources with the propagator, and none were given"
                                          : "sources were given, which only the formats of USQCD have");
  });
  require_storable(path, part.communicator, propagator.values, options.bits);
  if (!sources) return;
  require(sources->spins == propagator.spins && sources->colors == propagator.colors &&
              sources->extents == propagator.extents,
          [&] { return fmt::format("cannot write {}: sources and propagator have two shapes", path.string()); });
  require_storable(path, part.communicator, sources->values, options.bits);
}

/// The record of the user, which Chroma's header makes one of Chroma (lib/io/qprop_io.cc of 91c587d8).
std::string record_xml(const std::filesystem::path& path, const PropagatorWriteOptions& options) {
  if (options.chroma_header.empty()) {
    return xml_document("usqcdPropInfo", {{"version", "1.0"}, {"info", options.info}});
  }
  const std::string text =
      xml_around("Propagator", xml_lines({{"version", "1"}, {"info", options.info}}) + options.chroma_header);
  const Xml checked(path, "scidac-record-xml", text);
  return text;
}

/// One record of all spins and colours.
void write_one_record(OutputFile& file, const Part& part, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options) {
  const SiteNumbers numbers = site_numbers(propagator, options.bits);
  LimeWriter lime(file);
  XmlElements elements{{"version", "1.0"}};
  // USQCD names a type of file for Dirac propagators alone.
  if (propagator.spins == 4 && propagator.colors == kaon::colors) elements.emplace_back("type", "LHPC_DiracPropagator");
  elements.emplace_back("info", options.info);
  write_scidac_file_records(lime, part.extents, xml_document("usqcdPropFile", elements));
  write_scidac_record_records(lime,
                              {.datatype = "Lattice",
                               .precision = options.bits == 32 ? 'F' : 'D',
                               .colors = propagator.colors,
                               .spins = propagator.spins,
                               .typesize = static_cast<int>(numbers.bytes()),
                               .datacount = 1},
                              record_xml(file.path(), options));
  write_scidac_body(file, lime, "scidac-binary-data", part, propagator.values, numbers);
}

void write_grid_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator,
                           const PropagatorWriteOptions& options) {
  const SiteNumbers numbers = site_numbers(propagator, options.bits);
  LimeWriter lime(file);
  write_grid_records(lime, part.extents,
                     {.datatype = fmt::format("GRID_{}_SpinMatrix4_ColourMatrix3", options.bits == 32 ? 'F' : 'D'),
                      .precision = options.bits == 32 ? 'F' : 'D',
                      .colors = propagator.colors,
                      .spins = propagator.spins,
                      .typesize = static_cast<int>(numbers.bytes()),
                      .datacount = 1},
                     {.info = options.info});
  write_scidac_body(file, lime, "ildg-binary-data", part, propagator.values, numbers);
}

/// Writes the numbers as they are. Formats of USQCD need `sources`.
void write_in_format(OutputFile& file, const Part& part, const HostPropagator& propagator,
                     const HostPropagator* sources, const PropagatorWriteOptions& options) {
  switch (options.format) {
    case PropagatorFormat::scidac:
      write_one_record(file, part, propagator, options);
      break;
    case PropagatorFormat::usqcd_pairs:
    case PropagatorFormat::usqcd_scalar_source:
      write_columns(file, part, propagator, *sources, options);
      break;
    case PropagatorFormat::grid:
      write_grid_propagator(file, part, propagator, options);
      break;
    case PropagatorFormat::milc:
      write_milc_propagator(file, part, propagator);
      break;
    case PropagatorFormat::pyquda:
    case PropagatorFormat::qdpxx:
      write_hdf5_propagator(file, part, propagator, options);
      break;
  }
}

}  // namespace

std::unique_ptr<OutputFile> prepare_propagator_parts(const std::filesystem::path& path, const Part& part,
                                                     const HostPropagator& propagator, const HostPropagator* sources,
                                                     const PropagatorWriteOptions& options) {
  check(path, part, propagator, sources, options);
  auto file = std::make_unique<OutputFile>(path, part.communicator);
  if (options.milc_projectors) {
    HostPropagator turned = propagator, turned_sources = sources ? *sources : HostPropagator();
    multiply_by_gamma5(turned);
    if (sources) multiply_by_gamma5(turned_sources);
    write_in_format(*file, part, turned, &turned_sources, options);
  } else {
    write_in_format(*file, part, propagator, sources, options);
  }
  file->flush();
  return file;
}

PropagatorWriteOptions with_sources(PropagatorWriteOptions options) {
  if (options.format == PropagatorFormat::scidac) options.format = PropagatorFormat::usqcd_pairs;
  return options;
}

void write_propagator_parts(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
                            const HostPropagator* sources, const PropagatorWriteOptions& options) {
  prepare_propagator_parts(path, part, propagator, sources, options)->commit();
}

void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options) {
  require_whole(propagator, fmt::format("cannot write {}", path.string()));
  write_propagator_parts(path, whole_part(propagator.extents), propagator, nullptr, options);
}

void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const HostPropagator& sources, const PropagatorWriteOptions& options) {
  for (const HostPropagator* given : {&propagator, &sources}) {
    require_whole(*given, fmt::format("cannot write {}", path.string()));
  }
  write_propagator_parts(path, whole_part(propagator.extents), propagator, &sources, with_sources(options));
}

}  // namespace kaon::io
