// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/keys.hpp"

#include "core/base/nearest_word.hpp"

#include <kaon/campaign/measurement_input.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

namespace kaon {
namespace {

using detail::Document;
using detail::Json;
using detail::key_of;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double most = std::numeric_limits<int>::max();
constexpr double least_positive = std::numeric_limits<double>::min();

InputKey word(std::string table, std::string name, std::string initial, std::vector<std::string> choices,
              std::string text) {
  return {std::move(table), std::move(name), "word", std::move(initial), 0, 0, std::move(choices), std::move(text)};
}

InputKey number(std::string table, std::string name, std::string initial, double lowest, std::string text,
                double highest = unbounded) {
  return {std::move(table), std::move(name), "number", std::move(initial), lowest, highest, {}, std::move(text)};
}

InputKey integer(std::string table, std::string name, std::string initial, double lowest, std::string text) {
  return {std::move(table), std::move(name), "integer", std::move(initial), lowest, most, {}, std::move(text)};
}

InputKey other(std::string table, std::string name, std::string type, std::string initial, std::string text,
               double lowest = 0.0) {
  return {std::move(table), std::move(name), std::move(type), std::move(initial), lowest, most, {}, std::move(text)};
}

/// Quarks have the parameters of the families that make links of the gauge field.
void add_quark_keys(std::vector<InputKey>& keys) {
  std::vector<std::string> actions;
  std::set<std::string_view> parameters;
  for (const FermionFamily& family : fermion_families()) {
    if (family.links == FamilyLinks::given) continue;
    for (const std::string_view name : family.parameters) parameters.insert(name);
    const std::string name(family.program);
    if (std::ranges::find(actions, name) == actions.end()) actions.push_back(name);
  }
  keys.push_back(word("quark.NAME", "action", "", actions, "Family of the quark; it must be given."));
  keys.push_back(other("quark.NAME", "momentum", "momentum", "",
                       "Momentum p of its source, which has the phases exp(i p.(x - x0)); without it: zero.", -most));
  for (const FermionParameter& row : family_parameters) {
    if (!parameters.contains(row.name)) continue;
    const double lowest = row.positive ? least_positive : -unbounded;
    keys.push_back({"quark.NAME",
                    std::string(row.name),
                    row.integer ? "integer" : "number",
                    "",
                    row.integer ? 1.0 : lowest,
                    row.integer ? most : unbounded,
                    {},
                    std::string(row.text) + "."});
  }
}

void add_solver_keys(std::vector<InputKey>& keys) {
  std::vector<std::string> methods;
  for (const SolvingMethod& method : krylov_methods) methods.emplace_back(method.word);
  keys.push_back(word("solver", "method", "\"auto\"", methods, "Method of the solves, as --solver of the program."));
  const SolveOptions initial;
  for_each_solver_number([&](const SolverOption& option, auto member) {
    constexpr bool is_integer = std::is_same_v<decltype(member), int SolveOptions::*>;
    keys.push_back({"solver",
                    std::string(option.name),
                    is_integer ? "integer" : "number",
                    fmt::format("{}", initial.*member),
                    is_integer ? option.lowest : std::max(least_positive, option.lowest),
                    is_integer ? most : std::nextafter(option.highest, 0.0),
                    {},
                    std::string(option.text) + "."});
  });
}

/// Keys of all hadrons: momenta and sinks.
void add_projection_keys(std::vector<InputKey>& keys, const char* table,
                         const char* momenta = "Momenta in units of 2 pi/L; without any: zero.") {
  keys.push_back(other(table, "momenta", "momenta", "", momenta, -most));
  keys.push_back(integer(table, "momentum_squared", "", 0, "All momenta whose square is at most this number."));
  keys.push_back(other(table, "sinks", "words", "[\"point\"]", "\"point\" and names of sinks."));
}

std::vector<InputKey> make_keys() {
  std::vector<std::string> kinds;
  for (const SourceWord& kind : source_kinds) kinds.emplace_back(kind.word);
  std::vector<InputKey> keys{
      other("", "boundary", "boundary", R"(["periodic", "periodic", "periodic", "antiperiodic"])",
            "Boundary condition of the quarks in x, y, z and t: periodic, antiperiodic, dirichlet or an angle in "
            "radians."),
      word("links", "smearing", "\"none\"", {"none", "stout", "ape", "hyp"},
           "Smearing of the links by which sources and sinks are smeared."),
      number("links", "strength", "0.1", least_positive, "rho of stout and alpha of APE; HYP has its usual numbers.",
             1.0),
      integer("links", "steps", "1", 1, "Steps of the smearing of links."),
      word("links", "directions", "\"space\"", {"space", "all"}, "Directions of the smeared links and their staples."),
      other("links", "quarks", "flag", "false", "The operators of quarks have the smeared links, too."),
  };
  add_quark_keys(keys);
  keys.push_back(
      word("current.NAME", "quark", "", {}, "A quark, in whose propagator the current is; it must be given."));
  keys.push_back(word("current.NAME", "gamma", "", {}, "Gamma matrix of the current; it must be given."));
  keys.push_back(
      integer("current.NAME", "time", "", 0, "Distance of the current from the source; without it: all times."));
  keys.push_back(other("current.NAME", "momentum", "momentum", "",
                       "Momentum q of the current, phases exp(-i q.(x - x0)); without it: zero.", -most));
  const auto add = [&](const std::vector<InputKey>& more) { keys.insert(keys.end(), more.begin(), more.end()); };
  add({
      word("source", "kind", "\"point\"", kinds, "Kind of the sources, as --source of the program."),
      other("source", "sites", "sites", "", "Sites x, y, z, t of point sources: [[0, 0, 0, 0], [4, 4, 4, 8]]."),
      other("source", "times", "times", "", "Time slices of walls."),
      integer("source", "random", "0", 0,
              "Instead of sites and times: the number of them that the seed and the name of the file draw."),
      integer("source", "seed", "1", 0, "Seed of random sites and of noise."),
      number("source", "width", "2.0", least_positive, "Width of Gaussian sources."),
      integer("source", "steps", "20", 1, "Steps of Gaussian sources."),
      integer("source", "together", "1", 1,
              "Sources whose right-hand sides are solved together: faster, with more memory."),
      {"sloppy",
       "tolerance",
       "number",
       "",
       least_positive,
       std::nextafter(1.0, 0.0),
       {},
       "All-mode averaging: relative residual of the solves from all sources."},
      integer("sloppy", "iterations", "", 1, "Instead of the tolerance: the number of iterations of these solves."),
      integer("sloppy", "exact", "1", 1,
              "Sources that are solved for to solver.tolerance, too: the first ones, which correct the bias."),
      number("sink.NAME", "width", "2.0", least_positive, "Width of the Gaussian smearing of a sink."),
      integer("sink.NAME", "steps", "20", 1, "Steps of the Gaussian smearing of a sink."),
      other("[meson]", "quarks", "words", "", "Two quarks: the quark and the antiquark; they must be given."),
      other("[meson]", "gammas", "words", "[\"g5\"]",
            "Gamma matrices SINK:SOURCE, one word for both if they are the same; gi is g1, g2 and g3; all is 256 "
            "pairs. Staggered quarks: g5, or gamma matrices SPIN-TASTE; g5-all is 16 tastes."),
  });
  add_projection_keys(keys, "[meson]");
  add({
      word("[baryon]", "kind", "",
           {"nucleon", "lambda", "delta_x", "delta_y", "delta_z", "sigma_star_x", "sigma_star_y", "sigma_star_z",
            "open", "staggered"},
           "Kind of the baryon; it must be given. Sigma and Xi are nucleons of two quarks, Omega is a delta; open: "
           "three "
           "quarks with all spins open."),
      other("[baryon]", "quarks", "words", "", "Quarks a, b, c of the baryon's operator; they must be given."),
      other("[baryon]", "channels", "words", "[\"positive\", \"negative\"]",
            "Projectors of parity: positive, negative; polarised: positive_x and its like."),
  });
  add_projection_keys(keys, "[baryon]");
  add({
      word("[three_point]", "kind", "",
           {"meson", "nucleon", "lambda", "delta_x", "delta_y", "delta_z", "sigma_star_x", "sigma_star_y",
            "sigma_star_z"},
           "Kind of the hadron on which currents act; it must be given."),
      other("[three_point]", "quarks", "words", "", "Quarks of the hadron, like those of [[meson]] and [[baryon]]."),
      other(
          "[three_point]", "flavors", "words", "",
          "Quarks on which the currents act: u, d and s are the first, second and third of the hadron, of mesons u the "
          "quark and d the antiquark; without any: all of a baryon, the quark of a meson."),
      other("[three_point]", "sink_times", "times", "", "Distances of the sinks from the source; they must be given."),
      other("[three_point]", "sink_momenta", "momenta", "[[0, 0, 0]]", "Momenta of the sinks.", -most),
      other("[three_point]", "gammas", "words", "[\"g5\"]",
            "Mesons: gamma matrices SINK:SOURCE like those of [[meson]]."),
      other("[three_point]", "projectors", "words", "[\"positive\"]", "Baryons: as the channels of [[baryon]]."),
      other("[three_point]", "currents", "words", "[\"g4\"]",
            "Gamma matrices; gi and all; with a derivative in t g4d4 and its like; conserved1 to conserved4."),
  });
  add_projection_keys(keys, "[three_point]", "Momenta of the currents; without any: zero.");
  add_solver_keys(keys);
  keys.push_back(word("output", "folder", "\"measurements\"", {}, "Folder of the files, one for each configuration."));
  keys.push_back(word("output", "layout", "\"plain\"", {"plain", "hadrons"}, "Names and groups in the files."));
  keys.push_back(word("output", "format", "\"hdf5\"", {"hdf5", "json"}, "Format of the files."));
  return keys;
}

/// The keys of a table; `table` is that of `InputKey`.
std::vector<const InputKey*> keys_of(std::string_view table) {
  std::vector<const InputKey*> keys;
  for (const InputKey& key : input_keys()) {
    if (key.table == table) keys.push_back(&key);
  }
  return keys;
}

/// The table of a key at the top: "quark.NAME" for "quark"; an empty text if there is none.
std::string table_of(const std::string& name) {
  for (const InputKey& key : input_keys()) {
    if (key.table == name || key.table == name + ".NAME" || key.table == "[" + name + "]") return key.table;
  }
  return "";
}

/// Names at the top: keys and tables.
std::vector<std::string> top_names() {
  std::vector<std::string> names;
  for (const InputKey& key : input_keys()) {
    std::string name = key.table.empty() ? key.name : key.table.substr(0, key.table.find('.'));
    std::erase_if(name, [](char c) { return c == '[' || c == ']'; });
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string describe(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

/// Checks values against the table of keys.
class Checker {
 public:
  explicit Checker(const Document& document) : document_(document) {}

  Json top() const {
    Json result = table("", "", without_tables());
    for (const auto& [name, member] : document_.content.items()) {
      const std::string of = table_of(name);
      if (of.empty()) continue;
      if (of.starts_with('[')) {
        result[name] = list_of_tables(name, of, member);
      } else if (of.ends_with(".NAME")) {
        require_object(name, member);
        result[name] = Json::object();
        for (const auto& [own, content] : member.items()) {
          require_name(key_of(name, own), own);
          result[name][own] = table(key_of(name, own), of, content);
        }
      } else {
        result[name] = table(name, of, member);
      }
    }
    for (const char* name : {"links", "source", "solver", "output"}) {
      if (!result.contains(name)) result[name] = table(name, name, Json::object());
    }
    return result;
  }

 private:
  /// The content without its known tables.
  Json without_tables() const {
    Json rest = Json::object();
    for (const auto& [name, member] : document_.content.items()) {
      if (table_of(name).empty()) rest[name] = member;
    }
    return rest;
  }

  void require_object(const std::string& key, const Json& member) const {
    if (!member.is_object()) document_.fail(key, fmt::format("{} is no table of keys", describe(member)));
  }

  /// Names are parts of groups in files.
  void require_name(const std::string& key, const std::string& name) const {
    const auto is_valid = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    };
    if (!name.empty() && std::ranges::all_of(name, is_valid)) return;
    document_.fail(key, fmt::format("the name '{}' has other characters than letters, digits and -", name));
  }

  Json list_of_tables(const std::string& name, const std::string& of, const Json& member) const {
    if (!member.is_array()) document_.fail(name, fmt::format("a list of tables is needed: write [[{}]]", name));
    Json list = Json::array();
    for (std::size_t n = 0; n < member.size(); ++n) list.push_back(table(key_of(name, n), of, member[n]));
    return list;
  }

  Json table(const std::string& at, const std::string& of, const Json& content) const {
    require_object(at, content);
    const std::vector<const InputKey*> keys = keys_of(of);
    for (const auto& [name, value] : content.items()) {
      if (std::ranges::find(keys, name, &InputKey::name) != keys.end()) continue;
      std::vector<std::string> names;
      for (const InputKey* key : keys) names.push_back(key->name);
      if (of.empty()) names = top_names();
      document_.fail(key_of(at, name), "unknown key" + detail::suggestion(name, names));
    }
    Json result = Json::object();
    for (const InputKey* key : keys) {
      const auto given = content.find(key->name);
      if (given != content.end()) {
        result[key->name] = value(key_of(at, key->name), *key, *given);
      } else if (!key->initial.empty()) {
        result[key->name] = Json::parse(key->initial);
      }
    }
    return result;
  }

  Json value(const std::string& at, const InputKey& key, const Json& given) const {
    const auto fail = [&](const char* needed) {
      document_.fail(at, fmt::format("{} is not {}", describe(given), needed));
    };
    if (key.type == "word") {
      if (!given.is_string() || given.get<std::string>().empty()) fail("a word in quotes");
      require_choice(at, key, given.get<std::string>());
    } else if (key.type == "flag") {
      if (!given.is_boolean()) fail("true or false");
    } else if (key.type == "number") {
      if (!given.is_number()) fail("a number");
      require_in_range(at, key, given.get<double>());
      return given.get<double>() + 0.0;  // no -0
    } else if (key.type == "integer") {
      if (!given.is_number_integer()) fail("an integer");
      require_in_range(at, key, given.get<double>());
    } else if (key.type == "words") {
      if (!is_list(given, [](const Json& one) { return one.is_string(); })) fail("a list of words in quotes");
    } else if (key.type == "times") {
      if (!is_list(given, [](const Json& one) { return one.is_number_integer(); })) fail("a list of integers: [0, 8]");
      for (const Json& one : given) require_in_range(at, key, one.get<double>());
    } else if (key.type == "momentum") {
      const auto is_right = [](const Json& one) { return one.is_number_integer(); };
      if (!is_list(given, is_right) || given.size() != 3) fail("a momentum: [0, 0, 1]");
      for (const Json& one : given) require_in_range(at, key, one.get<double>());
    } else if (key.type == "boundary") {
      const auto is_angle = [](const Json& one) {
        return (one.is_number() && std::abs(one.get<double>()) <= 2.0 * std::numbers::pi) || one == "periodic" ||
               one == "antiperiodic" || one == "dirichlet";
      };
      if (!is_list(given, is_angle) || given.size() != 4) {
        fail("a list of four of \"periodic\", \"antiperiodic\", \"dirichlet\" and angles in radians, at most 2 pi");
      }
    } else {
      const std::size_t numbers = key.type == "sites" ? 4 : 3;
      const auto is_vector = [&](const Json& one) {
        return is_list(one, [](const Json& x) { return x.is_number_integer(); }) && one.size() == numbers;
      };
      if (!is_list(given, is_vector)) {
        fail(numbers == 4 ? "a list of sites: [[0, 0, 0, 0]]" : "a list of momenta: [[0, 0, 1]]");
      }
      for (const Json& one : given) {
        for (const Json& x : one) require_in_range(at, key, x.get<double>());
      }
    }
    return given;
  }

  /// Returns whether it is a list of at least one element, all of which are right.
  template <class IsRight>
  static bool is_list(const Json& given, const IsRight& is_right) {
    return given.is_array() && !given.empty() && std::all_of(given.begin(), given.end(), is_right);
  }

  void require_choice(const std::string& at, const InputKey& key, const std::string& word) const {
    if (key.choices.empty() || std::ranges::find(key.choices, word) != key.choices.end()) return;
    document_.fail(at, fmt::format("'{}' is none of {}{}", word, fmt::join(key.choices, ", "),
                                   detail::suggestion(word, key.choices)));
  }

  void require_in_range(const std::string& at, const InputKey& key, double number) const {
    if (!std::isfinite(number)) document_.fail(at, fmt::format("{} is not a finite number", number));
    if (number >= key.lowest && number <= key.highest) return;
    if (number > key.highest) {
      document_.fail(
          at, key.highest < 1.0 ? fmt::format("{} is not below 1", number) : fmt::format("{} is too large", number));
    }
    document_.fail(at, key.lowest == least_positive ? fmt::format("{} is not positive", number)
                                                    : fmt::format("{} is below {}", number, key.lowest));
  }

  const Document& document_;
};

}  // namespace

std::span<const InputKey> input_keys() {
  static const std::vector<InputKey> keys = make_keys();
  return keys;
}

Json detail::checked(const Document& document) { return Checker(document).top(); }

void detail::require_different(const Document& document, const std::string& key, const Json& list) {
  std::set<std::string> known;
  for (std::size_t n = 0; n < list.size(); ++n) {
    if (!known.insert(list[n].dump()).second) {
      document.fail(key_of(key, n), fmt::format("{} is in the list twice", list[n].dump()));
    }
  }
}

std::vector<std::string> detail::chosen(const Document& document, const std::string& key, const Json& list,
                                        const std::vector<std::string>& choices) {
  require_different(document, key, list);
  for (std::size_t n = 0; n < list.size(); ++n) {
    const std::string word = list[n];
    if (std::ranges::find(choices, word) != choices.end()) continue;
    document.fail(key_of(key, n),
                  fmt::format("'{}' is none of {}{}", word, fmt::join(choices, ", "), suggestion(word, choices)));
  }
  return list.get<std::vector<std::string>>();
}

}  // namespace kaon
