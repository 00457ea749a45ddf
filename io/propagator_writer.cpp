// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/output_file.hpp"
#include "io/propagator_body.hpp"
#include "io/propagator_parts.hpp"
#include "io/scidac.hpp"
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kaon::io {
namespace {

/// Checks everything that could make the file useless before any of it is written.
void check(const std::filesystem::path& path, const Part& part, const HostPropagator& propagator,
           const PropagatorWriteOptions& options) {
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  const double largest = options.bits == 32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  auto bad = static_cast<double>(std::count_if(
      propagator.values.begin(), propagator.values.end(),
      [&](std::complex<double> z) { return !(std::abs(z.real()) <= largest && std::abs(z.imag()) <= largest); }));
  part.communicator.sum(std::span(&bad, 1));
  require(bad == 0, [&] {
    return fmt::format("refusing to write {}: {:.0f} of its {} numbers are NaN, infinite or too large for {} bits",
                       path.string(), bad,
                       static_cast<std::size_t>(volume_of(part.extents)) * propagator.values_per_site(), options.bits);
  });
}

/// Writes this process' sites to their places behind `offset`; returns the checksum of all.
Checksum write_sites(OutputFile& file, std::uint64_t offset, const Part& part, const HostPropagator& propagator,
                     int bits) {
  const std::size_t site_bytes = propagator_site_bytes(propagator.values_per_site(), bits);
  Checksum checksum{.kind = ChecksumKind::scidac};
  together(part.communicator, [&] {
    const std::complex<double>* values = propagator.values.data();
    std::vector<std::byte> piece;
    for_each_run(part, items_at_once(site_bytes), [&](const Run& run) {
      piece.resize(run.count * site_bytes);
      for (std::uint64_t k = 0; k < run.count; ++k, values += propagator.values_per_site()) {
        encode_propagator_site(&piece[k * site_bytes], values, propagator, bits);
      }
      checksum.add(run.first, piece, site_bytes, ByteOrder::big);
      file.write_own(offset + run.first * site_bytes, piece);
    });
  });
  return combine(part.communicator, checksum);
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
  const Checksum checksum = write_sites(file, offset, part, propagator, options.bits);
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
