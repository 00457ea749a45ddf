// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/spinors/color_vectors.hpp"
#include "io/spinors/milc_propagator.hpp"
#include "io/spinors/propagator_body.hpp"
#include "io/spinors/propagator_parts.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

namespace kaon::io {
namespace {

/// Checks everything that could make the file useless before any of it is written.
void check(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
           const HostPropagator* sources, const PropagatorWriteOptions& options) {
  const bool pairs = options.format == PropagatorFormat::usqcd_pairs;
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  require(options.format != PropagatorFormat::milc || options.bits == 32,
          [&] { return fmt::format("cannot write {} with 64 bits: MILC's format has 32", path.string()); });
  require(options.format == PropagatorFormat::scidac || (propagator.spins == 1 && propagator.colors == kaon::colors),
          [&] {
            return fmt::format(
                "cannot write {}: a propagator of {} spins and {} colours, but the format is one of 1 and {}",
                path.string(), propagator.spins, propagator.colors, kaon::colors);
          });
  require(pairs == (sources != nullptr), [&] {
    return fmt::format("cannot write {}: {}", path.string(),
                       pairs ? "the format has a source with each colour vector, and none was given"
                             : "sources were given, which only the format of pairs has");
  });
  require_storable(path, part.communicator, propagator.values, options.bits);
  if (!sources) return;
  require(sources->spins == propagator.spins && sources->colors == propagator.colors &&
              sources->extents == propagator.extents,
          [&] { return fmt::format("cannot write {}: sources and propagator have two shapes", path.string()); });
  require_storable(path, part.communicator, sources->values, options.bits);
}

/// One record of all spins and colours.
void write_one_record(OutputFile& file, const Part& part, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options) {
  const auto sites = static_cast<std::uint64_t>(volume_of(part.extents));
  const std::size_t site_bytes = propagator_site_bytes(propagator.values_per_site(), options.bits);
  const std::string info = xml_element("info", options.info);
  LimeWriter lime(file);
  // USQCD names a type of file for Dirac propagators alone.
  const std::string type =
      propagator.spins == 4 && propagator.colors == kaon::colors ? xml_element("type", "LHPC_DiracPropagator") : "";
  write_scidac_file_records(lime, part.extents,
                            fmt::format("<usqcdPropFile><version>1.0</version>{}{}</usqcdPropFile>", type, info));
  write_scidac_record_records(lime,
                              {.datatype = "Lattice",
                               .precision = options.bits == 32 ? 'F' : 'D',
                               .colors = propagator.colors,
                               .spins = propagator.spins,
                               .typesize = static_cast<int>(site_bytes),
                               .datacount = 1},
                              fmt::format("<usqcdPropInfo><version>1.0</version>{}</usqcdPropInfo>", info));
  lime.begin("scidac-binary-data", sites * site_bytes);
  const std::uint64_t offset = lime.reserve();
  const Checksum checksum = write_sites(file, offset, part, site_bytes, [&](std::byte* to, std::size_t site) {
    encode_propagator_site(to, &propagator.values[site * propagator.values_per_site()], propagator, options.bits);
  });
  lime.end();
  write_scidac_checksum(lime, checksum);
}

}  // namespace

std::unique_ptr<OutputFile> prepare_propagator_parts(const std::filesystem::path& path, const Part& part,
                                                     const HostPropagator& propagator, const HostPropagator* sources,
                                                     const PropagatorWriteOptions& options) {
  check(path, part, propagator, sources, options);
  auto file = std::make_unique<OutputFile>(path, part.communicator);
  switch (options.format) {
    case PropagatorFormat::scidac:
      write_one_record(*file, part, propagator, options);
      break;
    case PropagatorFormat::usqcd_pairs:
      write_color_vector_pairs(*file, part, propagator, *sources, options);
      break;
    case PropagatorFormat::milc:
      write_milc_propagator(*file, part, propagator);
      break;
  }
  file->flush();
  return file;
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
  PropagatorWriteOptions pairs = options;
  pairs.format = PropagatorFormat::usqcd_pairs;
  write_propagator_parts(path, whole_part(propagator.extents), propagator, &sources, pairs);
}

}  // namespace kaon::io
