// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/header_text.hpp"
#include "io/host_threads.hpp"
#include "io/site_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace kaon::io {
namespace {

/// The numbers of a column, a field of one source spin and colour.
struct ColumnType {
  int spins = 0, bits = 0;

  bool operator==(const ColumnType&) const = default;
  int columns() const { return spins * kaon::colors; }
  int bytes() const { return columns() * 2 * bits / 8; }
  std::string name() const { return spins == 1 ? "colour vectors" : "Dirac fermions"; }
};

/// The numbers of a site of one column in a file.
SiteNumbers column_numbers(const HostPropagator& shape, int source_spin, int source_color, int bits) {
  SiteNumbers numbers{.stride = shape.values_per_site(), .bits = bits};
  for (int spin = 0; spin < shape.spins; ++spin) {
    for (int color = 0; color < kaon::colors; ++color) {
      numbers.places.push_back(shape.index(0, spin, color, source_spin, source_color));
    }
  }
  return numbers;
}

/// The type of the columns in a field; nothing for a field of another kind.
std::optional<ColumnType> column_type(const SciDacField& field) {
  if (!field.info || field.info->datacount != 1) return std::nullopt;
  const SciDacRecordInfo& info = *field.info;
  const std::string name = capitals(info.datatype);
  for (const ColumnType type : {ColumnType{1, 32}, ColumnType{1, 64}, ColumnType{4, 32}, ColumnType{4, 64}}) {
    const bool named = name.find(type.spins == 1 ? "COLORVECTOR" : "DIRACFERMION") != name.npos;
    const bool shaped =
        info.spins == type.spins && info.colors == kaon::colors && (type.spins == 1 || name == "LATTICE");
    const bool precise = info.precision == (type.bits == 32 ? 'F' : 'D');
    if ((named || shaped) && precise && info.typesize == type.bytes()) return type;
  }
  return std::nullopt;
}

bool is_tmlqcd(const SciDacField& field) { return field.info && field.info->datatype == tmlqcd_datatype; }

/// A column and the file that it is in.
struct Column {
  const InputFile* file = nullptr;
  const SciDacField* field = nullptr;
};

std::vector<Column> columns_in(const InputFile& file, const SciDacFile& contents) {
  std::vector<Column> columns;
  for (const SciDacField& field : contents.fields) {
    if (column_type(field)) columns.push_back({&file, &field});
  }
  return columns;
}

/// The columns of source spins and colours: those whose records state these, or all in their order if none does.
std::vector<Column> sorted_columns(const InputFile& file, const SciDacFile& contents) {
  const std::vector<Column> all = columns_in(file, contents);
  std::vector<Column> stated;
  std::ranges::copy_if(all, std::back_inserter(stated), [](const Column& column) {
    const Xml& record = column.field->record;
    return record.has("usqcdKSPropInfo") || record.has("usqcdPropInfo") ||
           (record.has("spin") && record.has("color") && !record.has("usqcdSourceInfo"));
  });
  const std::vector<Column>& found = stated.empty() ? all : stated;
  const ColumnType type = *column_type(*found.front().field);
  const auto count = static_cast<std::size_t>(type.columns());
  require(found.size() == count, [&] {
    return fmt::format("{} holds {} {}{}: a propagator of {} has {}, one for each source {}colour",
                       file.path().string(), found.size(), type.name(), stated.empty() ? "" : " of a propagator",
                       type.spins == 1 ? "one spin" : "4 spins", count, type.spins == 1 ? "" : "spin and ");
  });
  std::vector<Column> columns(count);
  for (std::size_t place = 0; place < count; ++place) {
    const Xml& record = found[place].field->record;
    const int color = stated.empty() ? static_cast<int>(place) % kaon::colors : record.integer("color");
    const int spin = stated.empty()    ? static_cast<int>(place) / kaon::colors
                     : type.spins == 1 ? 0
                                       : record.integer("spin");
    const bool in_range = color >= 0 && color < kaon::colors && spin >= 0 && spin < type.spins;
    const auto number = static_cast<std::size_t>(in_range ? kaon::colors * spin + color : 0);
    require(in_range && columns[number].file == nullptr, [&] {
      return fmt::format("{} is damaged: its {} state the source {}colour {} out of range or twice",
                         file.path().string(), type.name(),
                         type.spins == 1 ? std::string() : fmt::format("spin {} and ", spin), color);
    });
    columns[number] = found[place];
  }
  return columns;
}

/// Calls change(element) for the spin matrices of all sites and colours, element(sink spin, source spin).
template <class Change>
void for_each_spin_matrix(HostPropagator& propagator, const Change& change) {
  const std::size_t sites = propagator.values.size() / propagator.values_per_site();
  for_each_range_on_threads(sites, 1 << 9, [&](std::size_t begin, std::size_t end) {
    for (std::size_t site = begin; site < end; ++site) {
      for (int color = 0; color < kaon::colors; ++color) {
        for (int source_color = 0; source_color < kaon::colors; ++source_color) {
          change([&](int sink, int source) -> std::complex<double>& {
            return propagator
                .values[propagator.index(static_cast<std::ptrdiff_t>(site), sink, color, source, source_color)];
          });
        }
      }
    }
  });
}

/// S = V S V^dag from tmLQCD's basis, `SpinBasis::chiral`: V has -1, 1, 1, -1 on its other diagonal.
void take_from_tmlqcd_basis(HostPropagator& propagator) {
  constexpr std::array<double, 4> v{-1.0, 1.0, 1.0, -1.0};
  for_each_spin_matrix(propagator, [&](const auto& element) {
    std::array<std::array<std::complex<double>, 4>, 4> theirs;
    for (int sink = 0; sink < 4; ++sink) {
      for (int source = 0; source < 4; ++source) theirs[3 - sink][3 - source] = element(sink, source);
    }
    for (int sink = 0; sink < 4; ++sink) {
      for (int source = 0; source < 4; ++source) element(sink, source) = v[sink] * v[source] * theirs[sink][source];
    }
  });
}

/// Reads the columns of one propagator, in the order of source spins and colours.
HostPropagatorFile read_columns(const std::vector<Column>& columns, const Coordinates& extents,
                                const std::function<Part(const Coordinates&)>& choose_part) {
  HostPropagatorFile out;
  const ColumnType type = *column_type(*columns.front().field);
  out.bits = type.bits;
  const auto sites = static_cast<std::uint64_t>(volume_of(extents));
  for (const Column& column : columns) {
    const std::uint64_t length = sites * static_cast<std::uint64_t>(type.bytes());
    require(column.field->binary.length == length && column_type(*column.field) == type, [&] {
      return fmt::format(
          "{} is damaged: a record {} of it has {} bytes in {} bits; {} of {} sites have {} and all the same bits",
          column.file->path().string(), column.field->binary.type, column.field->binary.length,
          column_type(*column.field)->bits, type.name(), sites, length);
    });
  }
  const Part part = choose_part(extents);
  together(columns.front().file->communicator(),
           [&] { out.propagator = HostPropagator(part.local_extents, type.spins, kaon::colors); });
  for (int number = 0; number < type.columns(); ++number) {
    const auto& [file, field] = columns[static_cast<std::size_t>(number)];
    const int spin = number / kaon::colors, color = number % kaon::colors;
    const Checksum checksum = read_sites(out.propagator.values, *file, field->binary.offset, part,
                                         column_numbers(out.propagator, spin, color, out.bits));
    // All columns lie between each other: the last one looks for numbers that are not finite.
    const bool is_last = number + 1 == type.columns();
    require_undamaged(
        *file, is_last ? std::span(std::as_const(out.propagator.values)) : std::span<const std::complex<double>>(),
        checksum, field->checksum);
    if (!field->checksum) {
      out.notes.push_back(fmt::format("{} states no checksum of column {}: none was verified",
                                      file->path().filename().string(), number));
    }
  }
  if (is_tmlqcd(*columns.front().field)) take_from_tmlqcd_basis(out.propagator);
  return out;
}

std::string datatype_of(const ColumnType& type) {
  return fmt::format("USQCD_{}3_{}", type.bits == 32 ? 'F' : 'D', type.spins == 1 ? "ColorVector" : "DiracFermion");
}

void write_column(OutputFile& file, const Part& part, const HostPropagator& from, int spin, int color, int bits,
                  const std::string& record_xml) {
  LimeWriter lime(file);
  const ColumnType type{from.spins, bits};
  write_scidac_record_records(lime,
                              {.datatype = datatype_of(type),
                               .precision = bits == 32 ? 'F' : 'D',
                               .colors = kaon::colors,
                               .spins = from.spins == 1 ? 0 : from.spins,
                               .typesize = type.bytes(),
                               .datacount = 1},
                              record_xml);
  write_scidac_body(file, lime, "scidac-binary-data", part, from.values, column_numbers(from, spin, color, bits));
}

/// Writes the field f of sources f(x) delta, which are those of the columns.
void write_scalar_source(OutputFile& file, const Part& part, const HostPropagator& sources, int bits,
                         const std::string& record_xml) {
  LimeWriter lime(file);
  const SiteNumbers numbers{.places = {0}, .stride = sources.values_per_site(), .bits = bits};
  write_scidac_record_records(lime,
                              {.datatype = bits == 32 ? "USQCD_F_Complex" : "USQCD_D_Complex",
                               .precision = bits == 32 ? 'F' : 'D',
                               .typesize = static_cast<int>(numbers.bytes()),
                               .datacount = 1},
                              record_xml);
  write_scidac_body(file, lime, "scidac-binary-data", part, sources.values, numbers);
}

/// Whether the sources are f(x) delta, on all processes.
bool are_scalar(const Part& part, const HostPropagator& sources) {
  const std::size_t columns = static_cast<std::size_t>(sources.columns()), per_site = sources.values_per_site();
  const auto differ = for_pieces_on_threads<char>(sources.values.size() / per_site, 1 << 12, [&](auto begin, auto end) {
    for (std::size_t site = begin; site < end; ++site) {
      const std::complex<double>* const at = &sources.values[site * per_site];
      for (std::size_t k = 0; k < per_site; ++k) {
        if (at[k] != (k % (columns + 1) == 0 ? at[0] : 0.0)) return char{1};
      }
    }
    return char{0};
  });
  return !part.communicator.any(std::ranges::find(differ, 1) != differ.end());
}

}  // namespace

bool is_column_file(const SciDacFile& contents) {
  return std::ranges::any_of(contents.fields, [](const SciDacField& field) { return column_type(field).has_value(); });
}

HostPropagatorFile read_columns(const InputFile& file, const SciDacFile& contents, const Coordinates& extents,
                                const std::function<Part(const Coordinates&)>& choose_part) {
  HostPropagatorFile out = read_columns(sorted_columns(file, contents), extents, choose_part);
  out.metadata = contents.texts;
  out.notes.insert(out.notes.begin(), contents.notes.begin(), contents.notes.end());
  out.info = contents.file_xml.first("info");
  return out;
}

std::optional<std::filesystem::path> tmlqcd_name(const InputFile& file, const SciDacFile& contents) {
  const std::string name = file.path().string();
  const std::size_t count = contents.fields.size();
  const bool is_first = name.ends_with(".00") && count > 0 && count < 12 && is_tmlqcd(contents.fields.front());
  return is_first ? std::optional<std::filesystem::path>(name.substr(0, name.size() - 3)) : std::nullopt;
}

HostPropagatorFile read_tmlqcd_files(
    const Communicator& communicator, const std::filesystem::path& name,
    const std::function<Coordinates(const InputFile&, const Coordinates&)>& check_extents,
    const std::function<Part(const Coordinates&)>& choose_part) {
  constexpr std::size_t count = 12;
  std::vector<std::unique_ptr<InputFile>> files;
  std::vector<SciDacFile> contents;
  contents.reserve(count);
  std::vector<Column> columns;
  while (columns.size() < count) {
    files.push_back(std::make_unique<InputFile>(fmt::format("{}.{:02}", name.string(), columns.size()), communicator));
    const InputFile& file = *files.back();
    const std::string path = file.path().string();
    require(is_lime(file), [&] { return fmt::format("{} is no LIME file", path); });
    contents.push_back(scidac_file(file));
    const std::vector<Column> in_file = columns_in(file, contents.back());
    require(!in_file.empty() && in_file.size() == contents.back().fields.size() && is_tmlqcd(*in_file.front().field),
            [&] { return fmt::format("{} holds no column of a propagator of tmLQCD", path); });
    require(contents.back().extents == contents.front().extents,
            [&] { return fmt::format("{} has other extents than {}", path, files.front()->path().string()); });
    columns.insert(columns.end(), in_file.begin(), in_file.end());
  }
  require(columns.size() == count, [&] {
    return fmt::format("{}.00 and others hold {} columns: a propagator has {}", name.string(), columns.size(), count);
  });
  HostPropagatorFile out =
      read_columns(columns, check_extents(*files.front(), contents.front().extents.value()), choose_part);
  out.metadata = contents.front().texts;
  return out;
}

void write_columns(OutputFile& file, const Part& part, const HostPropagator& propagator, const HostPropagator& sources,
                   const PropagatorWriteOptions& options) {
  const bool staggered = propagator.spins == 1, pairs = options.format == PropagatorFormat::usqcd_pairs;
  require(pairs || are_scalar(part, sources), [&] {
    return fmt::format(
        "cannot write {}: the format has one complex source, but the sources have other numbers than "
        "f(x) on the diagonal of spins and colours: use pairs",
        file.path().string());
  });
  const std::string_view kind = staggered ? "ColorVector" : "DiracFermion", form = pairs ? "Source_Sink_Pairs"
                                                                                   : staggered
                                                                                       ? "ScalarSource_ThreeSink"
                                                                                       : "ScalarSource_TwelveSink";
  LimeWriter lime(file);
  write_scidac_file_records(
      lime, part.extents,
      xml_document(staggered ? "usqcdKSPropFile" : "usqcdPropFile",
                   {{"version", "1.0"}, {"type", fmt::format("USQCD_{}_{}", kind, form)}, {"info", options.info}}));
  if (!pairs) {
    write_scalar_source(file, part, sources, options.bits,
                        xml_document("usqcdSourceInfo", {{"version", "1.0"}, {"info", options.info}}));
  }
  for (int number = 0; number < propagator.columns(); ++number) {
    // The spin of the source is outside, for Chroma and PyQUDA; the colour for MILC, which ignores what a record states
    // (reload_wprop_to_wp_field of generic_wilson/io_helpers_w.c, 1e11e121).
    const int spin = options.milc_projectors ? number % propagator.spins : number / kaon::colors;
    const int color = options.milc_projectors ? number / propagator.spins : number % kaon::colors;
    XmlElements elements{{"version", "1.0"}};
    if (!staggered) elements.emplace_back("spin", std::to_string(spin));
    elements.emplace_back("color", std::to_string(color));
    elements.emplace_back("info", options.info);
    if (pairs) write_column(file, part, sources, spin, color, options.bits, xml_document("usqcdSourceInfo", elements));
    write_column(file, part, propagator, spin, color, options.bits,
                 xml_document(staggered ? "usqcdKSPropInfo" : "usqcdPropInfo", elements));
  }
}

void multiply_by_gamma5(HostPropagator& propagator) {
  for_each_spin_matrix(propagator, [](const auto& element) {
    for (int sink = 0; sink < 4; ++sink) {
      for (int source = 0; source < 4; ++source) {
        if ((sink < 2) != (source < 2)) element(sink, source) = -element(sink, source);
      }
    }
  });
}

}  // namespace kaon::io
