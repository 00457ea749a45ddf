// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/gauge_format_writers.hpp"
#include "io/gauge_parts.hpp"
#include "io/link_examination.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/gauge_writer.hpp>

#include <fmt/format.h>

namespace kaon::io {
namespace {

void check_options(const std::filesystem::path& path, const WriteOptions& options) {
  require(options.format == GaugeFormat::nersc || options.format == GaugeFormat::ildg ||
              options.format == GaugeFormat::scidac,
          [&] {
            return fmt::format("cannot write {} as {}: kaon writes NERSC archive, ILDG (LIME) and SciDAC (LIME)",
                               path.string(), to_string(options.format));
          });
  require(options.bits == 32 || options.bits == 64,
          [&] { return fmt::format("cannot write {} with {} bits: use 32 or 64", path.string(), options.bits); });
  require(options.rows == 3 || (options.rows == 2 && options.format == GaugeFormat::nersc), [&] {
    return fmt::format("cannot write {} with {} rows a link: use 3, or 2 in a NERSC archive", path.string(),
                       options.rows);
  });
  require(options.require_special_unitary || options.format == GaugeFormat::scidac, [&] {
    return fmt::format("cannot write {} as {}: links that need not be in SU(3) are written as SciDAC (LIME)",
                       path.string(), to_string(options.format));
  });
  require((options.ensemble_id + options.ensemble_label).find('\n') == std::string::npos,
          [&] { return fmt::format("cannot write {}: a line break in the ensemble's id or label", path.string()); });
}

}  // namespace

std::unique_ptr<OutputFile> prepare_parts(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                                          const WriteOptions& options, Checksum& checksum) {
  constexpr double tolerance = 1e-5;
  check_options(path, options);
  const LinkExamination examination = examine(part, field, tolerance);
  const bool refused = examination.not_finite || (options.require_special_unitary && examination.not_special_unitary);
  require(!refused, [&] {
    return fmt::format("refusing to write {}: {}", path.string(), describe(examination, part.extents, tolerance));
  });
  const Measured measured{.plaquette = plaquette(part, field), .link_trace = link_trace(part, field)};
  auto file = std::make_unique<OutputFile>(path, part.communicator);
  const auto write = options.format == GaugeFormat::nersc ? write_nersc : write_lime;
  checksum = write(*file, part, field, measured, options);
  file->flush();
  return file;
}

Checksum write_parts(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                     const WriteOptions& options) {
  Checksum checksum{};
  prepare_parts(path, part, field, options, checksum)->commit();
  return checksum;
}

Checksum write_links(const std::filesystem::path& path, const HostLinks& field, const WriteOptions& options) {
  require(field.links.size() == static_cast<std::size_t>(volume_of(field.extents)) * 36, [&] {
    return fmt::format("cannot write {}: {} numbers are not the links of a {} lattice ({})", path.string(),
                       field.links.size(), kaon::to_string(field.extents), volume_of(field.extents) * 36);
  });
  return write_parts(path, whole_part(field.extents), field, options);
}

}  // namespace kaon::io
