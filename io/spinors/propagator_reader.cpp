// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/header_text.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/spinors/color_vectors.hpp"
#include "io/spinors/milc_propagator.hpp"
#include "io/spinors/propagator_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

namespace kaon::io {
namespace {

constexpr std::string_view readable =
    "kaon reads one SciDAC record of 4x4 spins and 3x3 colours, as QDP++ and Grid write it, or of as many as it "
    "states, "
    "and staggered propagators in SciDAC records of colour vectors or in MILC's format";

/// The place of the record's numbers if they are those of a propagator of the spins and colours that it states, or of a
/// Dirac propagator regardless of its statements: one without sites.
std::optional<HostPropagator> propagator_shape(const SciDacRecordInfo& info, int bits) {
  for (const auto& [spins, colors] : {std::pair(info.spins, info.colors), std::pair(4, kaon::colors)}) {
    constexpr int most = 1024;
    if (spins < 1 || colors < 1 || spins > most || colors > most) continue;
    HostPropagator shape({}, spins, colors);
    if (static_cast<std::size_t>(info.typesize) == propagator_site_bytes(shape.values_per_site(), bits)) return shape;
  }
  return std::nullopt;
}

/// QDP++'s name of any field, or Grid's of a LatticePropagator, which is GRID_D_SpinMatrix4_ColourMatrix3 in double.
/// Spin basis and order of the numbers are the same; QDP/C uses the name DiracPropagator for another order.
bool is_propagator(const SciDacRecordInfo& info) {
  const std::string name = capitals(info.datatype);
  return name == "LATTICE" ||
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
                         .info = xml_of_record(file, field).value("info").value_or(""),
                         .checksum = field.checksum,
                         .metadata = contents.texts,
                         .propagator = {}};
  const Coordinates extents = checked_extents(file, *contents.extents, options);
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  const HostPropagator shape = propagator_shape(*field.info, out.bits).value();
  const std::size_t site_values = shape.values_per_site(), site_bytes = propagator_site_bytes(site_values, out.bits);
  require(field.binary.length == sites * site_bytes, [&] {
    return fmt::format("{} is {}: its record {} has {} bytes and should have {} ({} sites of {} bytes)",
                       file.path().string(), field.binary.length < sites * site_bytes ? "truncated" : "too long",
                       field.binary.type, field.binary.length, sites * site_bytes, sites, site_bytes);
  });

  const Part part = choose_part(extents);
  together(file.communicator(),
           [&] { out.propagator = HostPropagator(part.local_extents, shape.spins, shape.colors); });
  std::vector<std::complex<double>>& values = out.propagator.values;
  const Checksum checksum =
      read_sites(file, field.binary.offset, part, site_bytes, [&](std::size_t site, const std::byte* from) {
        decode_propagator_site(&values[site * site_values], from, shape, out.bits);
      });
  require_undamaged(file, values, checksum, field.checksum);
  if (!field.checksum) out.notes.emplace_back("the file states no checksum: none was verified");
  return out;
}

}  // namespace

HostPropagatorFile read_propagator_parts(const Communicator& communicator, const std::filesystem::path& path,
                                         const PropagatorReadOptions& options,
                                         const std::function<Part(const Coordinates&)>& choose_part) {
  const InputFile file(path, communicator);
  if (is_milc_propagator(file)) {
    const auto check = [&](const Coordinates& extents) { checked_extents(file, extents, options); };
    return read_milc_propagator(file, check, choose_part);
  }
  require(is_lime(file), [&] { return fmt::format("{} is no LIME file: {}", path.string(), readable); });
  const SciDacFile contents = scidac_file(file);
  // Three of them, without spin, would be the colour vectors of a propagator.
  require(!xml_of_file(file, contents).has("kaonSpinors"),
          [&] { return fmt::format("{} holds spinor fields, not a propagator: {}", path.string(), readable); });
  if (!contents.extents || !is_color_vector_file(contents))
    return read_one_record(file, contents, options, choose_part);
  return read_color_vectors(file, contents, checked_extents(file, *contents.extents, options), choose_part);
}

HostPropagatorFile read_propagator(const std::filesystem::path& path, const PropagatorReadOptions& options) {
  return read_propagator_parts({}, path, options, whole_part);
}

}  // namespace kaon::io
