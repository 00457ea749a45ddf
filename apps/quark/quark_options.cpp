// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/quark/quark_options.hpp"

#include "apps/cli/command.hpp"

#include <kaon/core/parameter_error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <exception>
#include <utility>

namespace kaon::apps {
namespace {

/// The text of an option that may have several numbers; null for other parameters.
template <class Options>
auto text_of(Options& quark, std::string_view parameter) -> decltype(&quark.mass) {
  if (parameter == "mass") return &quark.mass;
  if (parameter == "kappa") return &quark.kappa;
  if (parameter == "naik_epsilon") return &quark.naik_epsilon;
  if (parameter == "b") return &quark.b;
  return parameter == "c" ? &quark.c : nullptr;
}

void add_quark_option(const Command& command, QuarkOptions& quark, const QuarkOption& option) {
  if (option.parameter == "boundary") {
    command.add_option("--boundary", quark.boundary, option.text)->type_name("X,Y,Z,T");
    return;
  }
  const FermionParameter& row = family_parameter(option.parameter);
  const std::string name(option.is_alias ? row.alias : row.option);
  const std::string text(option.text.empty() ? row.text : option.text);
  if (std::string* const several = text_of(quark, row.name)) {
    command.add_option(name, *several, text, option.type.empty() ? number_fault<double> : Check())
        ->type_name(option.type.empty() ? "FLOAT" : option.type);
    return;
  }
  // Zero means that there is no such term.
  const std::string initial = row.initial > 0.0 ? fmt::format("{}", row.initial) : "";
  const auto set = [&quark, &row](double value) { row.set(quark.numbers, value); };
  CLI::Option* const added = command.add_parameter(name, set, row.integer, initial, text);
  if (row.integer) added->check(positive(), "");
}

using Numbers = std::vector<std::complex<double>>;

/// "1.5", or "1.46+0.2i,0.73-0.1i".
Numbers parse_complex_numbers(const std::string& option, const std::string& text) {
  Numbers numbers;
  for (const std::string& word : split(text)) {
    const auto part = [&](const std::string& digits) {
      try {
        return parse_numbers(option, digits).at(0);
      } catch (const std::exception&) {
        throw usage_error(fmt::format("{}: '{}' is no finite number, such as 1.5, 1.46+0.2i or -1i", option, word));
      }
    };
    if (!word.ends_with('i')) {
      numbers.emplace_back(part(word));
      continue;
    }
    std::size_t sign = word.find_last_of("+-");
    while (sign != std::string::npos && sign > 0 && (word[sign - 1] == 'e' || word[sign - 1] == 'E')) {
      sign = word.find_last_of("+-", sign - 1);
    }
    const std::size_t real = sign == std::string::npos ? 0 : sign;
    numbers.emplace_back(real > 0 ? part(word.substr(0, real)) : 0.0, part(word.substr(real, word.size() - real - 1)));
  }
  if (numbers.empty() || text.ends_with(',')) throw usage_error(fmt::format("{}: '{}' lacks a number", option, text));
  return numbers;
}

/// One real number for all slices, or a complex number for each.
void set_numbers(const std::string& option, const std::string& text, int slices, double& one, Numbers& of_slices) {
  const Numbers numbers = parse_complex_numbers(option, text);
  for (const std::complex<double>& number : numbers) require_range(option, std::abs(number));
  if (numbers.size() == 1 && numbers[0].imag() == 0.0) {
    one = numbers[0].real();
    return;
  }
  if (numbers.size() != static_cast<std::size_t>(slices)) {
    throw usage_error(
        fmt::format("{}: '{}' is neither a real number nor one number for each of {} slices: "
                    "1.1-0.2i,0.9+0.1i,...",
                    option, text, slices));
  }
  of_slices = numbers;
}

/// Sets b and c of domain wall quarks: real numbers, or a complex number for each slice. Throws `Failure` for texts
/// that are not numbers, for other counts than one or L_s, and for numbers out of range.
void set_slice_numbers(const QuarkOptions& quark, FermionParameters& parameters) {
  set_numbers("--b", quark.b, parameters.slices, parameters.b, parameters.b_of_slices);
  for (const std::complex<double>& b :
       parameters.b_of_slices.empty() ? Numbers{parameters.b} : parameters.b_of_slices) {
    if (b != 0.0) require_range("--b", 1.0 / std::abs(b), {}, fmt::format("1/{} = ", std::abs(b)));
  }
  set_numbers("--c", quark.c, parameters.slices, parameters.c, parameters.c_of_slices);
}

/// Throws `Failure` unless the clover coefficients are one or two.
void require_one_csw(const QuarkOptions& quark) {
  const bool spatial = quark.has("--csw-s"), temporal = quark.has("--csw-t");
  if (quark.has("--csw") && (spatial || temporal)) {
    throw usage_error("--csw: give either it or both of --csw-s and --csw-t");
  }
  if (spatial != temporal) throw usage_error(spatial ? "--csw-t: needed with --csw-s" : "--csw-s: needed with --csw-t");
}

}  // namespace

QuarkActions::QuarkActions(const std::function<bool(const FermionFamily&)>& has,
                           const std::function<std::string_view(const FermionFamily&)>& word) {
  for (const FermionFamily& family : fermion_families()) {
    if (!has(family)) continue;
    auto found = std::ranges::find(actions_, word(family), &QuarkAction::word);
    if (found == actions_.end()) found = actions_.insert(found, {std::string(word(family)), {}});
    found->families.push_back(&family);
  }
}

std::vector<std::string> QuarkActions::words() const {
  std::vector<std::string> words;
  for (const QuarkAction& action : actions_) words.push_back(action.word);
  return words;
}

const QuarkAction& QuarkActions::operator[](std::string_view word) const {
  return *std::ranges::find(actions_, word, &QuarkAction::word);
}

void QuarkActions::require_reader(const std::string& action, std::string_view option,
                                  const std::function<bool(const FermionFamily&)>& reads) const {
  std::vector<std::string> readers;
  for (const QuarkAction& other : actions_) {
    if (std::ranges::any_of(other.families, [&](const FermionFamily* family) { return reads(*family); })) {
      readers.push_back(other.word);
    }
  }
  if (std::ranges::find(readers, action) != readers.end()) return;
  refuse_without_meaning(option, "with --action " + action, fmt::format("{}", fmt::join(readers, ", ")));
}

const FermionFamily& QuarkActions::family_of(const QuarkOptions& quark) const {
  for (const FermionParameter& row : family_parameters) {
    for (const std::string_view option : {row.option, row.alias}) {
      if (!quark.has(option)) continue;
      require_reader(quark.action, option, [&](const FermionFamily& family) { return family.reads(row.name); });
    }
  }
  require_one_csw(quark);
  // The smallest family that reads all given parameters.
  const auto size = [&](const FermionFamily* family) {
    std::ptrdiff_t unread = 0, all = 0;
    for (const FermionParameter& row : family_parameters) {
      all += family->reads(row.name) ? 1 : 0;
      unread += quark.has(row) && !family->reads(row.name) ? 1 : 0;
    }
    return std::pair(unread, all);
  };
  const QuarkAction& action = (*this)[quark.action];
  const FermionFamily& family = **std::ranges::min_element(action.families, {}, size);
  require_part(family.is_built(), std::string(family.part), "--action", action.word);
  for (const FermionParameter& row : family_parameters) {
    const bool has_own_default = std::isnan(row.initial) && !std::isnan(row.get(quark.numbers));  // of the subcommand
    if (quark.has(row) || has_own_default || !std::ranges::count(family.needed, row.name)) continue;
    throw usage_error(fmt::format("{}: needed with --action {}", row.option, action.word));
  }
  return family;
}

void add_quark_options(const Command& command, QuarkOptions& quark, const std::vector<QuarkOption>& options) {
  for (const QuarkOption& option : options) add_quark_option(command, quark, option);
}

void add_domain_wall_options(const Command& command, QuarkOptions& quark) {
  const std::string of_slices = "; or of each slice: 1.1-0.2i,...", type = "Z[,Z...]";
  add_quark_options(command, quark,
                    {{"m5"},
                     {"slices"},
                     {"b", std::string(family_parameter("b").text) + of_slices, type},
                     {"c", std::string(family_parameter("c").text) + of_slices, type}});
}

const char* mass_option(const QuarkOptions& quark) { return quark.kappa.empty() ? "--mass" : "--kappa"; }

std::vector<double> masses_of(const QuarkOptions& quark, const FermionFamily& family, const NumberRange& range) {
  if (!quark.mass.empty() && !quark.kappa.empty()) {
    throw usage_error("--mass and --kappa are both given: give one of them");
  }
  std::vector<double> masses;
  if (!quark.mass.empty()) masses = parse_numbers("--mass", quark.mass);
  with_value_of(mass_option(quark), [&] {
    if (!quark.kappa.empty()) {
      for (const double kappa : parse_numbers("--kappa", quark.kappa)) masses.push_back(mass_from_kappa(kappa));
    }
    for (const double mass : masses) {
      require_range(mass_option(quark), mass, range, "the mass ");
      FermionParameters parameters{.action = family.action, .mass = mass};
      for (const FermionParameter& row : family_parameters) {  // masses of -4 and below have no kappa
        if (family.reads(row.name)) static_cast<void>(row.get(parameters));
      }
    }
  });
  return masses;
}

std::vector<double> required_masses(const QuarkOptions& quark, const FermionFamily& family, const NumberRange& range) {
  const std::vector<double> masses = masses_of(quark, family, range);
  if (!masses.empty()) return masses;
  throw usage_error(family.reads("kappa") ? "--mass or --kappa must be given"
                                          : "--mass: needed with --action " + quark.action);
}

FermionParameters fermion_parameters(const QuarkOptions& quark, const FermionFamily& family, const NumberRange& range) {
  FermionParameters p = quark.numbers;
  p.action = family.action;
  p.boundary = parse_boundary("--boundary", quark.boundary);
  if (!std::isnan(p.u0)) require_tadpole_factor(p.u0);
  const auto for_each_number = [&](const auto& check) {
    for (const FermionParameter& row : family_parameters) {
      const std::string option(quark.has(row.alias) ? row.alias : row.option);
      if (family.reads(row.name) && !text_of(quark, row.name)) check(row, option, row.get(p));
    }
  };
  for_each_number([](const FermionParameter& row, const std::string& option, double value) {
    if (!row.positive) return;
    require_finite(option, value);
    if (!(value > 0.0)) throw usage_error(fmt::format("{}: {} is not positive", option, value));
  });
  require_range("--xi0", p.anisotropy.spatial_weight(), range,
                fmt::format("nu/xi0 = {}/{} = ", p.anisotropy.nu, p.anisotropy.xi0));
  for_each_number(
      [&](const FermionParameter&, const std::string& option, double value) { require_range(option, value, range); });
  set_slice_numbers(quark, p);
  return p;
}

void require_possible(const QuarkOptions& quark, const FermionParameters& parameters) {
  try {
    check_parameters(parameters);
  } catch (const ParameterError& error) {
    const bool is_mass = error.parameter() == "mass";
    const std::string option(is_mass ? mass_option(quark) : family_parameter(error.parameter()).option);
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
}

std::vector<double> numbers_of_masses(const std::string& option, const std::string& text, std::size_t masses,
                                      double otherwise) {
  std::vector<double> numbers = text.empty() ? std::vector{otherwise} : parse_numbers(option, text);
  if (numbers.size() == 1) numbers.resize(masses, numbers.front());
  if (numbers.size() == masses) return numbers;
  throw usage_error(
      fmt::format("{}: {} values for {} masses: give one, or one for each", option, numbers.size(), masses));
}

}  // namespace kaon::apps
