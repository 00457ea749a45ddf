// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"
#include "capi/operator_options.hpp"

#include <kaon/io/propagator.hpp>
#include <kaon/measure/chroma_header.hpp>
#include <kaon/measure/correlator.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>

using namespace kaon::capi;

namespace {

std::vector<double> pion_correlator(const kaon_spinor& propagator, const kaon_correlator_options* options, int length) {
  const kaon_correlator_options& given = options_or_defaults(options);
  kaon::CorrelatorParameters parameters{.direction = given.direction};
  std::copy_n(given.source_site, 4, parameters.source_site.begin());
  std::vector<double> values =
      std::visit([&](const auto& field) { return kaon::pion_correlator(field, parameters); }, propagator.field);
  kaon::require(static_cast<std::size_t>(length) == values.size(), [&] {
    return fmt::format("length = {}, but the lattice has {} sites in direction {}", length, values.size(),
                       given.direction);
  });
  return values;
}

static_assert(static_cast<int>(kaon::io::PropagatorFormat::usqcd_scalar_source) ==
                  KAON_PROPAGATOR_USQCD_SCALAR_SOURCE &&
              static_cast<int>(kaon::io::PropagatorFormat::qdpxx) == KAON_PROPAGATOR_QDPXX);
/// The format of files, which C++ and kaon.h count alike.
kaon::io::PropagatorFormat propagator_format(const kaon_propagator_options& given) {
  return static_cast<kaon::io::PropagatorFormat>(choice<kaon_propagator_format>(given.format, "format"));
}

kaon::SourceKind source_kind(int kind) {
  switch (choice<kaon_source_kind>(kind, "kind of a source")) {
    case KAON_POINT_SOURCES:
      return kaon::SourceKind::point;
    case KAON_Z2_WALL_SOURCE:
      return kaon::SourceKind::z2_wall;
    case KAON_WALL_SOURCES:
      return kaon::SourceKind::wall;
    case KAON_EVEN_WALL_SOURCES:
      return kaon::SourceKind::even_wall;
    case KAON_CORNER_WALL_SOURCES:
      return kaon::SourceKind::corner_wall;
    default:
      throw kaon::Error(fmt::format("kind = {} of a source: a propagator has point sources or those of a wall", kind));
  }
}

kaon::SourceParameters source_parameters(const kaon_source_options& given, const kaon_quark_smear_options* smearing) {
  kaon::SourceParameters source{.kind = source_kind(given.kind), .seed = given.seed};
  std::copy_n(given.site, 4, source.site.begin());
  if (smearing == nullptr) return source;
  checked(*smearing);
  kaon::require(source.kind == kaon::SourceKind::point, "smearing is for point sources");
  source.kind = kaon::SourceKind::gaussian;
  source.width = smearing->width;
  source.steps = smearing->steps;
  return source;
}

}  // namespace

extern "C" {

void kaon_correlator_options_init(kaon_correlator_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_correlator_options), {0, 0, 0, 0}, 3};
}

void kaon_propagator_options_init(kaon_propagator_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_propagator_options), KAON_PROPAGATOR_SCIDAC, 0, 0, nullptr, nullptr};
}

kaon_status kaon_propagator_write(const kaon_spinor* propagator, const kaon_spinor* sources, const char* path,
                                  const kaon_propagator_options* options) {
  const Arguments arguments{{"propagator", propagator},
                            Argument::optional({"sources", sources}),
                            {"path", path},
                            {"options", options, or_defaults}};
  return collective(__func__, arguments, [&](Call& call) {
    const auto given = options_or_defaults(options);
    const kaon::io::PropagatorFormat format = propagator_format(given);
    call.failure = KAON_FILE;
    const auto write = [&]<class T>(const kaon::SpinorField<T>& field) {
      kaon::io::PropagatorWriteOptions writing{
          .bits = given.bits == 0 ? 8 * static_cast<int>(sizeof(T)) : given.bits,
          .info = given.info != nullptr ? given.info : "",
          .format = format,
          .milc_projectors = given.milc_projectors != 0,
          .chroma_header = given.chroma_header != nullptr ? given.chroma_header : ""};
      kaon::require(sources == nullptr || format != kaon::io::PropagatorFormat::scidac,
                    "sources were given, which only the formats of USQCD have");
      if (sources == nullptr) return kaon::io::write_propagator(path, field, writing);
      const auto* of_columns = std::get_if<kaon::SpinorField<T>>(&sources->field);
      kaon::require(of_columns != nullptr, "propagator and sources have two precisions");
      kaon::io::write_propagator(path, field, *of_columns, writing);
    };
    std::visit(write, propagator->field);
  });
}

kaon_status kaon_propagator_read(const char* path, const kaon_lattice* lattice, kaon_precision precision,
                                 const kaon_propagator_options* options, kaon_spinor** propagator) {
  const Arguments arguments{{"path", path},
                            {"lattice", lattice},
                            {"precision", precision},
                            {"options", options, or_defaults},
                            {"propagator", propagator}};
  return collective(__func__, arguments, [&](Call& call) {
    const auto given = options_or_defaults(options);
    propagator_format(given);
    with_precision(precision, [&]<class T>(T) {
      call.failure = KAON_FILE;
      *propagator = new kaon_spinor{
          lattice->place,
          kaon::io::read_propagator<T>(lattice->lattice, path, {.milc_projectors = given.milc_projectors != 0})};
    });
  });
}

kaon_status kaon_chroma_header(const kaon_operator_options* quark, const kaon_source_options* source,
                               const kaon_quark_smear_options* smearing, double tolerance, const char* gauge,
                               const char** text) {
  return guard(__func__, [&] {
    const auto& of_quark = checked(needed(quark, "quark"));
    const auto& of_source = checked(needed(source, "source"));
    needed(text, "text") = nullptr;
    require_read(of_quark);
    thread_local std::string header;
    header = kaon::chroma_header(fermion_parameters(of_quark), source_parameters(of_source, smearing), tolerance,
                                 gauge != nullptr ? gauge : "");
    *text = header.c_str();
  });
}

kaon_status kaon_pion_correlator(const kaon_spinor* propagator, const kaon_correlator_options* options, int length,
                                 double* correlator) {
  const Arguments arguments{
      {"propagator", propagator}, {"options", options, or_defaults}, {"length", length}, {"correlator", correlator}};
  return collective(__func__, arguments,
                    [&] { std::ranges::copy(pion_correlator(*propagator, options, length), correlator); });
}

kaon_status kaon_residual_mass(const kaon_spinor* midpoint, const kaon_spinor* q,
                               const kaon_correlator_options* options, int length, double* m_res) {
  const Arguments arguments{
      {"midpoint", midpoint}, {"q", q}, {"options", options, or_defaults}, {"length", length}, {"m_res", m_res}};
  return collective(__func__, arguments, [&] {
    const std::vector<double> middle = pion_correlator(*midpoint, options, length);
    std::ranges::copy(kaon::residual_mass(middle, pion_correlator(*q, options, length)), m_res);
  });
}

kaon_status kaon_effective_mass(kaon_correlator_form form, int length, const double* correlator, double* masses) {
  return guard(__func__, [&] {
    const std::span values(&needed(correlator, "correlator"), static_cast<std::size_t>(std::max(0, length)));
    needed(masses, "masses");
    const bool oscillating = choice<kaon_correlator_form>(form, "form") == KAON_OSCILLATING_COSH;
    const auto found = oscillating ? kaon::oscillating_effective_mass(values) : kaon::effective_mass(values);
    std::ranges::transform(found, masses, [](const std::optional<double>& mass) {
      return mass.value_or(std::numeric_limits<double>::quiet_NaN());
    });
  });
}
}
