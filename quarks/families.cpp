// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/families.hpp"

#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace kaon {
namespace {

using Given = FermionParameters;

template <double Given::*member>
constexpr auto get = [](const Given& p) { return p.*member; };
template <double Given::*member>
constexpr auto set = [](Given& p, double value) { p.*member = value; };

/// "1.5", or "1.46+0.2i, 0.73-0.1i".
std::string describe(double one, const std::vector<std::complex<double>>& of_slices) {
  if (of_slices.empty()) return fmt::format("{}", one);
  std::vector<std::string> words;
  for (const std::complex<double>& z : of_slices) words.push_back(fmt::format("{}{:+}i", z.real(), z.imag()));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

constinit const std::array<FermionParameter, 14> family_parameters{{
    {"mass", "--mass", not_set, false, "Bare mass m", get<&Given::mass>, set<&Given::mass>},
    {"kappa", "--kappa", not_set, true, "Instead of the mass: m = 1/(2 kappa) - 4",
     [](const Given& p) { return p.kappa ? *p.kappa : kappa_from_mass(p.mass); },
     [](Given& p, double value) {
       p.mass = mass_from_kappa(value);
       p.kappa = value;
     }},
    {"mu", "--mu", 0.0, false, "Twisted mass", get<&Given::mu>, set<&Given::mu>},
    {"csw", "--csw", not_set, false, "Coefficient of the clover term", get<&Given::csw>, set<&Given::csw>, "csw = {}",
     false, "--csw-s"},
    {"csw_temporal", "--csw-t", not_set, false, "The same in planes with t",
     [](const Given& p) { return p.csw_temporal.value_or(p.csw); },
     [](Given& p, double value) { p.csw_temporal = value; }},
    {"xi0", "--xi0", 1.0, true, "Bare anisotropy", [](const Given& p) { return p.anisotropy.xi0; },
     [](Given& p, double value) { p.anisotropy.xi0 = value; }},
    {"nu", "--nu", 1.0, true, "Bare fermion speed", [](const Given& p) { return p.anisotropy.nu; },
     [](Given& p, double value) { p.anisotropy.nu = value; }},
    {"u0", "--u0", not_set, true, "Tadpole factor", get<&Given::u0>, set<&Given::u0>, "u0 = {}"},
    {"naik_epsilon", "--naik-epsilon", 0.0, false, "Naik epsilon", get<&Given::naik_epsilon>, set<&Given::naik_epsilon>,
     "Naik epsilon {}"},
    {"m5", "--m5", 1.8, true, "Domain wall: its height M5", get<&Given::m5>, set<&Given::m5>, "M5 = {}"},
    {"slices", "--ls", 16.0, true, "Domain wall: L_s, the number of slices",
     [](const Given& p) { return static_cast<double>(p.slices); },
     [](Given& p, double value) { p.slices = static_cast<int>(value); }, "{} slices", true},
    {"b", "--b", 1.0, false, "Domain wall: b of Moebius", get<&Given::b>, set<&Given::b>, "b = {}"},
    {"c", "--c", 0.0, false, "Domain wall: c of Moebius; 0: Shamir", get<&Given::c>, set<&Given::c>, "c = {}"},
    {"epsilon", "--epsilon", 0.0, false, "Doublet: its splitting epsilon", get<&Given::epsilon>, set<&Given::epsilon>},
}};

const FermionParameter& family_parameter(std::string_view name) {
  const auto* const row = std::ranges::find(family_parameters, name, &FermionParameter::name);
  require(row != family_parameters.end(), [&] { return fmt::format("{} is no parameter of quarks", name); });
  return *row;
}

bool FermionFamily::reads(std::string_view parameter) const {
  return std::ranges::find(parameters, parameter) != parameters.end();
}

bool FermionFamily::is_built() const {
  if (part == "staggered") return detail::Parts::staggered;
  if (part == "twisted_mass") return detail::Parts::twisted_mass;
  return part != "domain_wall" || detail::Parts::domain_wall;
}

std::span<const FermionFamily> fermion_families() {
  static const std::vector<FermionFamily> families = [] {
    std::vector<FermionFamily> all;
    for (const auto& of_file : {detail::wilson_families(), detail::twisted_families(), detail::domain_wall_families(),
                                detail::staggered_families()}) {
      all.insert(all.end(), of_file.begin(), of_file.end());
    }
    std::ranges::sort(all, {}, &FermionFamily::action);
    return all;
  }();
  return families;
}

const FermionFamily& family_of(FermionAction action) {
  const std::span<const FermionFamily> families = fermion_families();
  const auto number = static_cast<std::size_t>(action);
  require(number < families.size(), "this is no family of operators: name one of FermionAction");
  return families[number];
}

void check_parameters(const FermionParameters& parameters) {
  constexpr double largest = 1e70;  // squares of residuals of M^dag M have fourth powers
  const FermionFamily& family = family_of(parameters.action);
  if (family.check != nullptr) family.check(parameters);
  for (const FermionParameter& row : family_parameters) {
    if (!family.reads(row.name) || row.name == "kappa") continue;
    const double value = row.get(parameters);
    const auto require_value = [&](bool holds, const std::string& problem) {
      if (!holds) throw ParameterError(std::string(row.name), fmt::format("{} {}", row.name, problem));
    };
    require_value(!(std::isnan(value) && std::isnan(row.initial)), "is not set");
    require_value(std::isfinite(value), fmt::format("{} is not a finite number", value));
    require_value(!row.positive || value > 0.0, fmt::format("{} is not positive", value));
    require_value(std::abs(value) <= largest,
                  fmt::format("{} is too large: squares of residuals overflow; give at most {}", value, largest));
  }
  if (family.reads("kappa") && !(parameters.mass > -4.0)) {
    throw ParameterError("mass", fmt::format("mass {} has no kappa: it must be above -4", parameters.mass));
  }
}

std::string describe_action(std::span<const FermionParameters> quarks) {
  const FermionParameters& first = quarks.front();
  const FermionFamily& family = family_of(first.action);
  std::string text(family.title);
  for (const FermionParameter& row : family_parameters) {
    if (row.phrase.empty() || !family.reads(row.name)) continue;
    std::vector<std::string> words;
    for (const FermionParameters& quark : quarks) {
      words.push_back(row.name == "b"   ? describe(quark.b, quark.b_of_slices)
                      : row.name == "c" ? describe(quark.c, quark.c_of_slices)
                                        : fmt::format("{}", row.get(quark)));
    }
    if (std::ranges::count(words, words.front()) == std::ssize(words)) words.resize(1);
    text += ", " + fmt::format(fmt::runtime(row.phrase), fmt::format("{}", fmt::join(words, ", ")));
    if (row.name == "csw" && first.csw_temporal) {
      text += fmt::format(" in spatial and {} in temporal planes", *first.csw_temporal);
    }
  }
  return text;
}

std::string describe_masses(std::span<const FermionParameters> quarks) {
  const FermionParameters& first = quarks.front();
  std::vector<std::string> masses;
  for (const FermionParameters& quark : quarks) masses.push_back(fmt::format("{:.10g}", quark.mass));
  std::string text = fmt::format("{}", fmt::join(masses, ", "));
  for (const char* name : {"kappa", "mu", "epsilon"}) {
    if (!family_of(first.action).reads(name)) continue;
    text += fmt::format(", {} {:.10g}", name, family_parameter(name).get(first));
  }
  return text;
}

template <class T>
Quark<T> make_quark(const GaugeField<T>& links, const FermionParameters& parameters) {
  const FermionFamily& family = family_of(parameters.action);
  if (!family.is_built()) detail::refuse_part(std::string(family.part));
  check_parameters(parameters);
  if constexpr (std::is_same_v<T, double>) {
    return family.make.in_double(links, parameters);
  } else {
    return family.make.in_single(links, parameters);
  }
}

template Quark<double> make_quark(const GaugeField<double>&, const FermionParameters&);
template Quark<float> make_quark(const GaugeField<float>&, const FermionParameters&);

}  // namespace kaon
