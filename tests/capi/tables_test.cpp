// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/capi/handles.hpp"

#include <kaon/hmc/integrator.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/quarks/propagator_solver.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// kaon.h, docs/ and the program's help against the tables of families and of solver options.

namespace kaon::test {
namespace KAON_TEST_FILE {

std::string text_of(const std::string& file) {
  std::ifstream stream(std::string(KAON_SOURCES) + "/" + file);
  std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_FALSE(text.empty()) << file;
  return text;
}

/// The text between the braces of a type of kaon.h, without comments.
std::string body_of(const std::string& type) {
  const std::string header =
      std::regex_replace(text_of("include/kaon/kaon.h"), std::regex(R"(/\*[^*]*(\*[^/][^*]*)*\*/)"), "");
  const std::size_t end = header.find("} " + type + ";");
  EXPECT_NE(end, std::string::npos) << type;
  const std::size_t begin = header.rfind('{', end);
  return header.substr(begin + 1, end - begin - 1);
}

/// The names of its fields, except for its size.
std::vector<std::string> fields_of(const std::string& type) {
  std::vector<std::string> fields;
  const std::string body = body_of(type);
  const std::regex field(R"((\w+)(\[\d+\])?\s*[;,])");
  for (std::sregex_iterator at(body.begin(), body.end(), field), end; at != end; ++at) {
    if ((*at)[1] != "size") fields.push_back((*at)[1]);
  }
  return fields;
}

/// "NAME = number" of its enumerators.
std::vector<std::string> enumerators_of(const std::string& type) {
  std::vector<std::string> enumerators;
  const std::string body = body_of(type);
  const std::regex enumerator(R"(KAON_(\w+) = (\d+))");
  for (std::sregex_iterator at(body.begin(), body.end(), enumerator), end; at != end; ++at) {
    enumerators.push_back((*at)[0]);
  }
  return enumerators;
}

std::string enumerator(std::string_view word, std::size_t number) {
  std::string name;
  for (const char letter : word) name += letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  return fmt::format("KAON_{} = {}", name, number);
}

TEST(Tables, OfFamiliesAreThoseOfTheHeader) {
  std::vector<std::string> actions, parameters{"action"};
  for (const FermionFamily& family : fermion_families()) {
    if (family.links != FamilyLinks::given) {
      actions.push_back(enumerator(family.name, static_cast<std::size_t>(family.action)));
    }
    for (const std::string_view parameter : family.parameters) {
      const auto is_it = [&](const FermionParameter& known) { return parameter == known.name; };
      EXPECT_TRUE(parameter.empty() || std::ranges::any_of(family_parameters, is_it)) << parameter;
    }
  }
  EXPECT_EQ(enumerators_of("kaon_action"), actions);
  for (const FermionParameter& parameter : family_parameters) parameters.emplace_back(parameter.name);
  std::vector<std::string> fields = fields_of("kaon_operator_options");
  for (const char* several : {"boundary", "b_of_slices", "c_of_slices", "lower_mass"}) {
    EXPECT_EQ(std::erase(fields, several), 1u);
  }
  EXPECT_EQ(fields, parameters);
}

/// Fields of kaon.h as numbers that a test sets: L_s is -0.5, too.
using Options = kaon_operator_options;
void set(Options& options, std::string_view name, double value) {
  constexpr std::pair<std::string_view, double Options::*> numbers[]{{"mass", &Options::mass},
                                                                     {"kappa", &Options::kappa},
                                                                     {"mu", &Options::mu},
                                                                     {"csw", &Options::csw},
                                                                     {"xi0", &Options::xi0},
                                                                     {"csw_temporal", &Options::csw_temporal},
                                                                     {"nu", &Options::nu},
                                                                     {"u0", &Options::u0},
                                                                     {"m5", &Options::m5},
                                                                     {"naik_epsilon", &Options::naik_epsilon},
                                                                     {"b", &Options::b},
                                                                     {"c", &Options::c},
                                                                     {"epsilon", &Options::epsilon}};
  const auto* const found = std::ranges::find(numbers, name, &std::pair<std::string_view, double Options::*>::first);
  if (name == "slices") {
    options.slices = static_cast<int>(value);
  } else {
    ASSERT_NE(found, std::end(numbers)) << name;
    options.*found->second = value;
  }
}

kaon_operator_options options_of(int action, bool has_mass = true) {
  auto options = defaults(kaon_operator_options_init);
  options.action = action;
  if (has_mass) options.mass = 0.1;
  return options;
}

// Each action with each parameter, and in an action of quarks, too.
TEST(Tables, OfFamiliesHaveTheRangesOfParameters) {
  const Links on({4, 4, 4, 4}, 3);
  OperatorHandle dirac;
  kaon_action_term* term = nullptr;
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given) continue;
    const int action = static_cast<int>(family.action);
    const std::string name = enumerator(family.name, static_cast<std::size_t>(action)),
                      word = name.substr(0, name.find(' '));
    if (!family.has_forces) {
      const kaon_operator_options without = options_of(action);
      expect_refusal(kaon_action_term_create_quarks(&without, nullptr, &term), KAON_INVALID,
                     "no forces of these quarks");
    }
    for (const FermionParameter& parameter : family_parameters) {
      SCOPED_TRACE(fmt::format("{} of {}", parameter.name, family.name));
      for (const double value : {-0.5, 0.3}) {
        kaon_operator_options physics = options_of(action, parameter.name != "kappa");
        if (family.reads("u0")) physics.u0 = 0.9;
        set(physics, parameter.name, value < 0.0 || parameter.name != "slices" ? value : 4.0);
        if (family.reads(parameter.name)) {
          const bool is_possible = value > 0.0 || !parameter.positive;
          EXPECT_EQ(kaon_operator_create(on.gauge, &physics, &dirac) == KAON_OK, is_possible) << kaon_last_error();
          continue;
        }
        const std::string text = fmt::format("{} is set, but {} does not read it: it reads mass", parameter.name, word);
        expect_refusal(kaon_operator_create(on.gauge, &physics, &dirac), KAON_INVALID, text);
        expect_refusal(kaon_action_term_create_quarks(&physics, nullptr, &term), KAON_INVALID, text);
      }
    }
  }
  kaon_operator_options none = options_of(KAON_WILSON);
  none.csw = none.csw_temporal = 0.0;  // no clover term, as it has none
  expect_ok(kaon_operator_create(on.gauge, &none, &dirac));
  for (const FermionParameter& parameter : family_parameters) {
    if (parameter.name == "mass") continue;
    kaon_operator_options given = options_of(KAON_HISQ, parameter.name != "kappa");
    set(given, parameter.name, parameter.name == "slices" ? 4.0 : 0.3);
    expect_refusal(kaon_operator_create_improved(on.gauge, on.gauge, &given, &dirac), KAON_INVALID,
                   fmt::format("{} is set, but an operator of given fat and long links", parameter.name));
  }
  Numbers site_term(72 * 256);
  const kaon_array array = array_of(site_term.data());
  const kaon_operator_options given = options_of(KAON_WILSON_CLOVER);
  expect_refusal(kaon_operator_create_clover(on.gauge, &array, nullptr, &given, &dirac), KAON_INVALID,
                 "mass is set, but an operator with a given site term does not read it: it reads xi0, nu");
}

TEST(Tables, OfSolverOptionsAreThoseOfTheHeader) {
  std::vector<std::string> methods, options;
  for (std::size_t i = 0; i < krylov_methods.size(); ++i) methods.push_back(enumerator(krylov_methods[i].word, i));
  EXPECT_EQ(enumerators_of("kaon_method"), methods);
  for (const SolverOption& option : solver_options) {
    if (option.in_c) options.emplace_back(option.name);
  }
  EXPECT_EQ(fields_of("kaon_solver_options"), options);
}

/// The row that starts so, of a table of Markdown with this head.
std::string row_of(const std::string& document, const std::string& head, const std::string& first) {
  const std::string text = text_of(document);
  const std::size_t begin = text.find("\n| " + first, text.find("\n| " + head));
  EXPECT_NE(begin, std::string::npos) << document << " has no row of " << first;
  return begin == std::string::npos ? std::string() : text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
}

TEST(Tables, OfIntegratorsAreThoseOfTheHeader) {
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < std::size(integrators); ++k) {
    EXPECT_EQ(&scheme_of(static_cast<Integrator>(k)), &integrators[k]);
    rows.push_back(enumerator(integrators[k].word, k));
  }
  EXPECT_EQ(enumerators_of("kaon_integrator"), rows);
  for (const IntegratorScheme& scheme : integrators) {
    const std::string row =
        row_of("docs/conventions.md", "`--integrator` | sequence", fmt::format("`{}` |", scheme.word));
    EXPECT_TRUE(row.starts_with(fmt::format("| `{}` | {} |", scheme.word, scheme.sequence))) << row;
  }
}

TEST(Tables, AreThoseOfTheDocuments) {
  for_each_solver_number([](const SolverOption& option, auto member) {
    const std::string row = row_of("docs/precision.md", "parameter | default", fmt::format("`{}` | ", option.name));
    const auto initial = SolveOptions{}.*member;
    EXPECT_TRUE(row.starts_with(fmt::format("| `{}` | {}", option.name, initial))) << row;
    EXPECT_NE(row.find(fmt::format("`{}`", option.option)), std::string::npos) << row;
  });
  for (const SolvingMethod& method : krylov_methods) {
    EXPECT_NE(text_of("docs/program.md").find(fmt::format("`{}`", method.word)), std::string::npos) << method.word;
    EXPECT_NE(text_of("docs/python.md").find(fmt::format("`{}`", method.word)), std::string::npos) << method.word;
  }
  for (const FermionFamily& family : fermion_families()) {
    const std::string row = row_of("docs/program.md", "action | mass", fmt::format("`{}`", family.program));
    for (const FermionParameter& parameter : family_parameters) {
      if (!family.reads(parameter.name)) continue;
      EXPECT_NE(row.find(fmt::format("`{}`", parameter.option)), std::string::npos)
          << row << " lacks " << parameter.option;
    }
  }
}

// Defaults are those of C++: fields of kaon.h that are never set would be zero.
TEST(Tables, HaveTheDefaultsOfTheHeader) {
  auto physics = defaults(kaon_operator_options_init);
  EXPECT_EQ(physics.action, KAON_WILSON);
  EXPECT_EQ(physics.xi0, 1.0);
  EXPECT_EQ(physics.nu, 1.0);
  EXPECT_EQ(physics.mu, 0.0);
  EXPECT_EQ(physics.naik_epsilon, 0.0);
  const DomainWallParameters wall;
  EXPECT_EQ(physics.m5, wall.m5);
  EXPECT_EQ(physics.slices, wall.slices);
  EXPECT_EQ(physics.b, wall.b);
  EXPECT_EQ(physics.c, wall.c);
  EXPECT_EQ(physics.epsilon, 0.0);
  for (const double unset : {physics.mass, physics.kappa, physics.csw, physics.csw_temporal, physics.u0}) {
    EXPECT_TRUE(std::isnan(unset));
  }
  auto solving = defaults(kaon_solver_options_init);
  const SolveOptions defaults;
  EXPECT_EQ(solving.tolerance, defaults.tolerance);
  EXPECT_EQ(solving.max_iterations, defaults.max_iterations);
  EXPECT_EQ(solving.reliable_delta, defaults.reliable_delta);
  EXPECT_EQ(solving.seed, defaults.multigrid.seed);
  EXPECT_EQ(solving.outer, -1);
  EXPECT_EQ(solving.inner, static_cast<int>(defaults.inner));
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
