// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/gauge/gauge_formats.hpp"
#include "io/gauge/gauge_parts.hpp"
#include "io/gauge/link_examination.hpp"
#include "io/lime.hpp"
#include "io/site_body.hpp"
#include "su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace kaon::io {
namespace {

void check_options(const std::filesystem::path& path, const WriteOptions& options) {
  constexpr GaugeFormat written[] = {GaugeFormat::nersc, GaugeFormat::ildg,   GaugeFormat::scidac,
                                     GaugeFormat::grid,  GaugeFormat::pyquda, GaugeFormat::qdpxx};
  require(std::ranges::find(written, options.format) != std::end(written), [&] {
    return fmt::format(
        "cannot write {} as {}: kaon writes NERSC archive, ILDG (LIME), SciDAC (LIME) also for Grid, and HDF5 as "
        "PyQUDA and QDP++ do",
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
  require(is_text(options.ensemble_id + options.ensemble_label), [&] {
    return fmt::format("cannot write {}: control characters in the ensemble's id or label", path.string());
  });
}

void require_readable(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                      const WriteOptions& options) {
  const double allowed = allowed_deviation(options.bits);
  const LinkExamination examination = examine(part, field, allowed);
  const bool refused = examination.not_finite || (options.require_special_unitary && examination.not_special_unitary);
  require(!refused, [&] {
    return fmt::format("refusing to write {}: {}", path.string(), describe(examination, part.extents, allowed));
  });
  if (!options.require_special_unitary) require_storable(path, part.communicator, field.links, options.bits);
}

/// The links that readers make of two rows; none if they are those of `field`, to rounding.
std::optional<HostLinks> completed_from_two_rows(const Part& part, const HostLinks& field) {
  constexpr double rounding = 1e-13;
  bool differs = false;
  for (std::size_t link = 0; link < field.links.size() && !differs; link += 9) {
    const Complex* const u = &field.links[link];
    std::array<Complex, 9> completed;
    std::copy_n(u, 6, completed.begin());
    complete_third_row(completed.data());
    for (std::size_t k = 6; k < 9; ++k) differs = differs || std::abs(completed[k] - u[k]) > rounding;
  }
  if (!part.communicator.any(differs)) return std::nullopt;
  HostLinks completed = field;
  for (std::size_t link = 0; link < field.links.size(); link += 9) complete_third_row(&completed.links[link]);
  return completed;
}

}  // namespace

StartedGauge start_gauge(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                         const WriteOptions& options) {
  check_options(path, options);
  require_readable(path, part, field, options);
  std::optional<HostLinks> completed;
  if (options.rows == 2) completed = completed_from_two_rows(part, field);
  if (completed) require_readable(path, part, *completed, options);
  const HostLinks& stated = completed ? *completed : field;
  const Measured measured{.plaquette = plaquette(part, stated).average, .link_trace = link_trace(part, stated)};
  auto file = std::make_unique<OutputFile>(path, part.communicator);
  const bool is_hdf5 = options.format == GaugeFormat::pyquda || options.format == GaugeFormat::qdpxx;
  const auto start = options.format == GaugeFormat::nersc ? start_nersc : is_hdf5 ? start_hdf5 : start_lime;
  StartedBody body = start(*file, part, measured, options);
  return {std::move(file), std::move(body)};
}

std::vector<Checksum> write_own_links(const StartedGauge& started, const Part& part, const HostLinks& field) {
  std::vector<Checksum> checksums;
  for (const StartedBody::Piece& piece : started.body.pieces) {
    checksums.push_back(
        write_own_sites(*started.file, piece.offset, part, field.links, piece.numbers, started.body.kind));
  }
  return checksums;
}

Checksum finish_gauge(const StartedGauge& started, const Communicator& communicator, std::vector<Checksum> checksums) {
  Checksum all{.kind = started.body.kind};
  for (Checksum& checksum : checksums) {
    checksum = combine(communicator, checksum);
    all.combine(checksum);
  }
  started.body.finish(checksums);
  return all;
}

std::unique_ptr<OutputFile> prepare_parts(const std::filesystem::path& path, const Part& part, const HostLinks& field,
                                          const WriteOptions& options, Checksum& checksum) {
  StartedGauge started = start_gauge(path, part, field, options);
  std::vector<Checksum> own;
  together(part.communicator, [&] { own = write_own_links(started, part, field); });
  checksum = finish_gauge(started, part.communicator, std::move(own));
  started.file->flush();
  return std::move(started.file);
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
