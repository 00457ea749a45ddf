// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/propagator_body.hpp"
#include "io/propagator_parts.hpp"
#include "io/scidac.hpp"
#include "io/site_body.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

namespace kaon::io {
namespace {

/// Checks everything that could make the file useless before any of it is written.
void check(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
           const PropagatorWriteOptions& options) {
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  require_storable(path, part.communicator, propagator.values, options.bits);
}

}  // namespace

void write_propagator_parts(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
                            const PropagatorWriteOptions& options) {
  check(path, part, propagator, options);
  const auto sites = static_cast<std::uint64_t>(volume_of(part.extents));
  const std::size_t site_bytes = propagator_site_bytes(propagator.values_per_site(), options.bits);
  const std::string info = xml_element("info", options.info);

  OutputFile file(path, part.communicator);
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
  file.commit();
}

void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options) {
  const auto sites = static_cast<std::size_t>(volume_of(propagator.extents));
  require(propagator.values.size() == sites * propagator.values_per_site(), [&] {
    return fmt::format("cannot write {}: {} numbers are not a propagator on {} ({})", path.string(),
                       propagator.values.size(), kaon::to_string(propagator.extents),
                       sites * propagator.values_per_site());
  });
  write_propagator_parts(path, whole_part(propagator.extents), propagator, options);
}

}  // namespace kaon::io
