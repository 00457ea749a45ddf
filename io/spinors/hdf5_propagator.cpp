// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/hdf5_field.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace kaon::io {
namespace {

// PyQUDA (pyquda_comm/hdf5.py of 0ac50a0): /LatticeSpinColorMatrix/LABEL, [t][z][y][x][4][4][3][3], and staggered
// /LatticeColorMatrix/LABEL, [t][z][y][x][3][3]. QDP++ (lib/qdp_hdf5.cc of d8232616), also of lalibe: one data set of
// any name, [t][z][y][x] of arrays [4][4] of arrays [3][3]. The order at a site is that of SciDAC's propagators:
// [sink spin][source spin][sink colour][source colour].

/// The place of a data set's numbers if they are those of a propagator: one without sites.
std::optional<HostPropagator> shape_of(const Hdf5Field& field) {
  constexpr int most = 1024;
  std::vector<int> inner = field.inner;
  if (inner.size() == 2) inner.insert(inner.begin(), 2, 1);
  if (inner.size() != 4 || inner[0] != inner[1] || inner[2] != inner[3] || inner[0] > most || inner[2] > most)
    return {};
  return HostPropagator({}, inner[0], inner[2]);
}

}  // namespace

HostPropagatorFile read_hdf5_propagator(const InputFile& file,
                                        const std::function<void(const Coordinates&)>& check_extents,
                                        const std::function<Part(const Coordinates&)>& choose_part) {
  const std::vector<Hdf5Field> sets = hdf5_fields(file);
  std::vector<Hdf5Field> found;
  for (const Hdf5Field& set : sets) {
    if (shape_of(set)) found.push_back(set);
  }
  require(found.size() == 1, [&] {
    return fmt::format(
        "{} holds {} propagators, not one: kaon reads [t][z][y][x][spins][spins][colours][colours], as PyQUDA and "
        "QDP++ write it, and [t][z][y][x][colours][colours] of staggered quarks. Its data sets of complex numbers are: "
        "{}",
        file.path().string(), found.size(), describe(sets));
  });
  const Hdf5Field& field = found.front();
  check_extents(field.extents);
  const HostPropagator shape = shape_of(field).value();
  HostPropagatorFile out{.bits = field.bits, .info = {}, .checksum = field.checksum, .propagator = {}};
  out.metadata = field.texts;
  for (const auto& [name, text] : field.texts) {
    if (name == "Annotation") out.info = text;
  }
  const Part part = choose_part(field.extents);
  together(file.communicator(),
           [&] { out.propagator = HostPropagator(part.local_extents, shape.spins, shape.colors); });
  SiteNumbers numbers = site_numbers(shape, field.bits);
  numbers.order = field.order;
  const Checksum checksum = read_hdf5_sites(out.propagator.values, file, field, part, numbers);
  require_undamaged(file, out.propagator.values, checksum, field.checksum);
  if (!field.checksum) out.notes.emplace_back("the file states no checksum: none was verified");
  return out;
}

void write_hdf5_propagator(OutputFile& file, const Part& part, const HostPropagator& propagator,
                           const PropagatorWriteOptions& options) {
  const int spins = propagator.spins, colors = propagator.colors;
  const bool is_pyquda = options.format == PropagatorFormat::pyquda;
  std::vector<Hdf5Attribute> attributes;
  NewHdf5Field set{.path = "/propagator", .arrays = {{spins, spins}, {colors, colors}}};
  if (is_pyquda) {
    const std::string group = spins == 1 ? "/LatticeColorMatrix" : "/LatticeSpinColorMatrix";
    set = {.path = group + "/0", .inner = {spins, spins, colors, colors}};
    if (spins == 1) set.inner = {colors, colors};
    attributes = {{group, "Annotation", options.info},
                  {group, "Lattice",
                   fmt::format("{} {} {} {}", part.extents[0], part.extents[1], part.extents[2], part.extents[3])},
                  {group, "Color", fmt::format("{}", colors)}};
    if (spins > 1) attributes.push_back({group, "Spin", fmt::format("{}", spins)});
  } else {
    attributes = {{set.path, "file_xml", xml_document("propagator", {{"info", options.info}})},
                  {set.path, "record_xml", xml_document("propagator", {{"info", options.info}})}};
  }
  const std::uint64_t offset = make_hdf5(file, part.extents, options.bits, std::span(&set, 1)).front();
  SiteNumbers numbers = site_numbers(propagator, options.bits);
  numbers.order = ByteOrder::little;
  const Checksum checksum = write_sites(file, offset, part, propagator.values, numbers, ChecksumKind::pyquda);
  if (is_pyquda) {
    attributes.push_back({set.path, "sum29", fmt::format("{:08x}", checksum.first)});
    attributes.push_back({set.path, "sum31", fmt::format("{:08x}", checksum.second)});
  }
  add_hdf5_attributes(file, attributes);
}

}  // namespace kaon::io
