// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "io/propagator_body.hpp"
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
void check(const std::filesystem::path& path, const HostPropagator& propagator, const PropagatorWriteOptions& options) {
  const auto sites = static_cast<std::size_t>(volume_of(propagator.extents));
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  require(propagator.values.size() == sites * HostPropagator::values_per_site, [&] {
    return fmt::format("cannot write {}: {} numbers are not a propagator on {} ({})", path.string(),
                       propagator.values.size(), kaon::to_string(propagator.extents),
                       sites * HostPropagator::values_per_site);
  });
  const double largest = options.bits == 32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const auto bad = std::count_if(propagator.values.begin(), propagator.values.end(), [&](std::complex<double> z) {
    return !(std::abs(z.real()) <= largest && std::abs(z.imag()) <= largest);
  });
  require(bad == 0, [&] {
    return fmt::format("refusing to write {}: {} of its {} numbers are NaN, infinite or too large for {} bits",
                       path.string(), bad, propagator.values.size(), options.bits);
  });
}

}  // namespace

void write_propagator(const std::filesystem::path& path, const HostPropagator& propagator,
                      const PropagatorWriteOptions& options) {
  check(path, propagator, options);
  const auto sites = static_cast<std::uint64_t>(volume_of(propagator.extents));
  const std::size_t site_bytes = propagator_site_bytes(options.bits);
  const std::string info = xml_element("info", options.info);

  OutputFile file(path);
  LimeWriter lime(file);
  write_scidac_file_records(
      lime, propagator.extents,
      fmt::format("<usqcdPropFile><version>1.0</version><type>LHPC_DiracPropagator</type>{}</usqcdPropFile>", info));
  write_scidac_record_records(lime,
                              {.datatype = "Lattice",
                               .precision = options.bits == 32 ? 'F' : 'D',
                               .typesize = static_cast<int>(site_bytes),
                               .datacount = 1},
                              4, fmt::format("<usqcdPropInfo><version>1.0</version>{}</usqcdPropInfo>", info));
  lime.begin("scidac-binary-data", sites * site_bytes);
  Checksum checksum{.kind = ChecksumKind::scidac};
  const std::uint64_t step = items_at_once(site_bytes);
  std::vector<std::byte> piece;
  for (std::uint64_t first = 0; first < sites; first += step) {
    const std::uint64_t count = std::min(step, sites - first);
    piece.resize(count * site_bytes);
    for (std::uint64_t k = 0; k < count; ++k) {
      encode_propagator_site(&piece[k * site_bytes], &propagator.values[(first + k) * HostPropagator::values_per_site],
                             options.bits);
    }
    checksum.add(first, piece, site_bytes, ByteOrder::big);
    lime.write(piece);
  }
  lime.end();
  write_scidac_checksum(lime, checksum);
  file.commit();
}

}  // namespace kaon::io
