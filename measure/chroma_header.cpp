// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/xml.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/chroma_header.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

namespace kaon {
namespace {

using io::xml_lines;
using io::XmlElements;

std::string around(std::string_view tag, const std::string& lines) {
  return fmt::format("<{0}>\n{1}</{0}>\n", tag, lines);
}

std::string number(double value) { return fmt::format("{}", value); }

/// Chroma's name of the action if it has this one, else kaon's.
std::string name_of_action(const FermionParameters& quark) {
  const bool isotropic = quark.anisotropy == Anisotropy{};
  if (quark.action == FermionAction::wilson && isotropic) return "WILSON";
  if (quark.action == FermionAction::wilson_clover && isotropic && !quark.csw_temporal) return "CLOVER";
  return fmt::format("KAON {}", family_of(quark.action).program);
}

/// Periodic and antiperiodic boundaries as 1 and -1; Chroma's header has no other angles.
std::string boundary_of(const FermionParameters& quark) {
  std::array<int, 4> signs{};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double angle = std::abs(quark.boundary[mu]);
    if (angle != 0.0 && angle != std::numbers::pi) return {};
    signs[mu] = angle == 0.0 ? 1 : -1;
  }
  const XmlElements simple{{"FermBC", "SIMPLE_FERMBC"}, {"boundary", fmt::format("{}", fmt::join(signs, " "))}};
  return around("FermionBC", xml_lines(simple));
}

std::string action_of(const FermionParameters& quark) {
  XmlElements elements{{"FermAct", name_of_action(quark)}, {"Mass", number(quark.mass)}};
  if (elements[0].second == "CLOVER") elements.emplace_back("clovCoeff", number(quark.csw));
  return around("FermionAction", xml_lines(elements) + boundary_of(quark));
}

std::string source_xml(const SourceParameters& source) {
  const std::string site = fmt::format("{}", fmt::join(source.site, " ")), time = std::to_string(source.site[3]);
  const auto with_place = [&](std::string version, std::string type, XmlElements place) {
    XmlElements elements{{"version", std::move(version)}, {"SourceType", std::move(type)}, {"j_decay", "3"}};
    elements.insert(elements.end(), place.begin(), place.end());
    return xml_lines(elements);
  };
  std::string lines;
  switch (source.kind) {
    case SourceKind::point:
      lines = with_place("1", "POINT_SOURCE", {{"t_srce", site}});
      break;
    case SourceKind::gaussian:
      lines = with_place("2", "SHELL_SOURCE", {{"t_srce", site}}) +
              around("SmearingParam", xml_lines({{"wvf_kind", "GAUGE_INV_GAUSSIAN"},
                                                 {"wvf_param", number(source.width)},
                                                 {"wvfIntPar", std::to_string(source.steps)},
                                                 {"no_smear_dir", "3"}}));
      break;
    case SourceKind::z2_wall:
      lines = with_place("1", "RAND_Z2_WALL_SOURCE", {{"t_source", time}});
      break;
    case SourceKind::wall:
      lines = with_place("1", "WALL_SOURCE", {{"t_source", time}});
      break;
    case SourceKind::corner_wall:
    case SourceKind::even_wall:
      lines = with_place("1", "KAON PART OF WALL", {{"t_source", time}});
  }
  return around("PropSource", xml_lines({{"version", "6"}}) + around("Source", lines));
}

}  // namespace

std::string chroma_header(const FermionParameters& quark, const SourceParameters& source, double tolerance,
                          const std::string& gauge) {
  const FermionFamily& family = family_of(quark.action);
  require(!family.is_staggered(), [&] {
    return fmt::format("Chroma's header is for propagators of 4 spins, and quarks of the action {} have 1",
                       family.program);
  });
  require(std::isfinite(tolerance) && tolerance > 0.0,
          [&] { return fmt::format("the tolerance {} of a solve is not a positive number", tolerance); });
  const std::string solver = around("InvertParam", xml_lines({{"invType", "KAON"}, {"RsdCG", number(tolerance)}}));
  return around("ForwardProp", xml_lines({{"version", "10"}, {"quarkSpinType", "FULL"}, {"obsvP", "false"}}) +
                                   action_of(quark) + solver) +
         source_xml(source) + xml_lines({{"Config_info", gauge}});
}

}  // namespace kaon
