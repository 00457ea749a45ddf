// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/operator_options.hpp"

#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <variant>

namespace kaon::capi {

double mass_of(const kaon_operator_options& given) {
  const bool mass = !std::isnan(given.mass), kappa = !std::isnan(given.kappa);
  require(mass != kappa,
          mass ? "both mass and kappa are set: set one of them" : "neither mass nor kappa is set: set one of them");
  return mass ? given.mass : mass_from_kappa(given.kappa);
}

namespace {

using Given = kaon_operator_options;
using Field = std::variant<double Given::*, int Given::*>;

/// kaon.h's field of each parameter.
constexpr Field fields[]{&Given::mass,   &Given::kappa, &Given::mu, &Given::csw,          &Given::csw_temporal,
                         &Given::xi0,    &Given::nu,    &Given::u0, &Given::naik_epsilon, &Given::m5,
                         &Given::slices, &Given::b,     &Given::c,  &Given::epsilon};
static_assert(std::size(fields) == family_parameters.size());

/// L_s complex numbers; none of a null pointer or without slices, which operators refuse.
std::vector<std::complex<double>> numbers_of_slices(const double* numbers, int slices) {
  std::vector<std::complex<double>> result;
  for (int s = 0; numbers != nullptr && s < slices; ++s) result.emplace_back(numbers[2 * s], numbers[2 * s + 1]);
  return result;
}

double value_of(const Given& given, const Field& field) {
  return std::visit([&](auto member) { return static_cast<double>(given.*member); }, field);
}

/// No clover term at all is no option that is set.
bool is_set(const FermionParameter& parameter, double value) {
  if (parameter.name.starts_with("csw") && value == 0.0) return false;
  return std::isnan(parameter.initial) ? !std::isnan(value) : value != parameter.initial;
}

}  // namespace

void require_read(const kaon_operator_options& given, std::string_view reader,
                  const std::vector<std::string_view>& read) {
  std::vector<NamedOption> options;
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    options.emplace_back(family_parameters[i].name, is_set(family_parameters[i], value_of(given, fields[i])));
  }
  options.emplace_back("b_of_slices", given.b_of_slices != nullptr);
  options.emplace_back("c_of_slices", given.c_of_slices != nullptr);
  options.emplace_back("lower_mass", !std::isnan(given.lower_mass));
  require_read(reader, read, options);
}

const FermionFamily& family_of(const kaon_operator_options& given) {
  return kaon::family_of(choice<FermionAction>(given.action, static_cast<int>(FermionAction::improved), "action"));
}

void require_read(const kaon_operator_options& given) {
  const FermionFamily& family = family_of(given);
  std::vector<std::string_view> read;
  std::ranges::copy_if(family.parameters, std::back_inserter(read), [](const auto& name) { return !name.empty(); });
  if (family.reads("slices")) read.insert(read.end(), {"b_of_slices", "c_of_slices", "lower_mass"});
  require_read(given, names_of<kaon_action>[static_cast<std::size_t>(given.action)], read);
}

BoundaryAngles boundary_of(const kaon_operator_options& given) {
  BoundaryAngles angles;
  std::copy_n(given.boundary, 4, angles.begin());
  require(std::all_of(angles.begin(), angles.end(),
                      [](double angle) { return std::isfinite(angle) || angle == dirichlet; }),
          [&] {
            return fmt::format("the boundary ({}, {}, {}, {}) is not four angles", angles[0], angles[1], angles[2],
                               angles[3]);
          });
  return angles;
}

std::vector<Argument> members(const kaon_operator_options& given) {
  const std::ptrdiff_t numbers = 2 * static_cast<std::ptrdiff_t>(given.slices);
  std::vector<Argument> all{{"action", given.action},
                            {"boundary", given.boundary, 4},
                            {"b_of_slices", given.b_of_slices, numbers},
                            {"c_of_slices", given.c_of_slices, numbers},
                            {"lower_mass", given.lower_mass}};
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    all.emplace_back(family_parameters[i].name.data(), value_of(given, fields[i]));
  }
  return all;
}

FermionParameters fermion_parameters(const kaon_operator_options& given) {
  FermionParameters parameters{.action = family_of(given).action,
                               .mass = mass_of(given),
                               .boundary = boundary_of(given),
                               .b_of_slices = numbers_of_slices(given.b_of_slices, given.slices),
                               .c_of_slices = numbers_of_slices(given.c_of_slices, given.slices)};
  for (std::size_t i = 0; i < std::size(fields); ++i) {
    const FermionParameter& row = family_parameters[i];
    const double value = value_of(given, fields[i]);
    const bool is_unset = std::isnan(row.initial) && std::isnan(value);  // other numbers may not be NaN
    if (!is_unset) row.set(parameters, value);
  }
  if (!std::isnan(given.lower_mass)) parameters.lower_mass = given.lower_mass;
  check_parameters(parameters);
  return parameters;
}

}  // namespace kaon::capi

extern "C" void kaon_operator_options_init(kaon_operator_options* options) {
  if (options == nullptr) return;
  kaon::capi::clear(options);
  options->action = KAON_WILSON;
  for (std::size_t i = 0; i < std::size(kaon::capi::fields); ++i) {
    std::visit(
        [&]<class Number>(Number kaon_operator_options::*member) {
          options->*member = static_cast<Number>(kaon::family_parameters[i].initial);
        },
        kaon::capi::fields[i]);
  }
  options->lower_mass = kaon::not_set;
  std::copy(kaon::antiperiodic_in_time.begin(), kaon::antiperiodic_in_time.end(), options->boundary);
}
