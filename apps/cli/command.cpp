// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/command.hpp"

#include "apps/cli/option_values.hpp"
#include "core/base/nearest_word.hpp"
#include "core/base/number_of.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>

namespace kaon::apps {
namespace {

/// Accepts finite numbers that are `good`.
Check number_check(const char* what, bool (*good)(double)) {
  return [=](const std::string& word) {
    const auto value = detail::number_of<double>(word);
    const bool fits = value && std::isfinite(*value) && good(*value);
    return fits ? std::string() : fmt::format("'{}' is not {}", word, what);
  };
}

/// An option for a number, whose words CLI11 does not convert. Its versions differ: it may read 010 as 8, 0,5 as 5 and
/// -1 as 2^64 - 1.
template <class Number, class Set>
CLI::Option* add_number(CLI::App& app, const std::string& name, const std::string& description,
                        const std::string& initial, const Set& set) {
  const auto store = [set](const CLI::results_t& words) {
    set(detail::number_of<Number>(words.front()).value());
    return true;
  };
  CLI::Option* const option = app.add_option(name, store, description, false, [initial] { return initial; });
  option->type_name(std::is_floating_point_v<Number> ? "FLOAT" : std::is_signed_v<Number> ? "INT" : "UINT");
  return option->check([](const std::string& word) { return number_fault<Number>(word); });
}

struct Registered {
  std::string name, summary;
  Declaration declare;
};

/// The subcommands by their places. A function holds them because objects of other files register before main.
std::multimap<int, Registered>& registered() {
  static std::multimap<int, Registered> subcommands;
  return subcommands;
}

}  // namespace

template <class Number>
std::string number_fault(const std::string& word) {
  if (detail::number_of<Number>(word)) return {};
  using Limits = std::numeric_limits<Number>;
  if (Limits::is_integer) {
    return fmt::format("'{}' is not an integer from {} to {}", word, Limits::min(), Limits::max());
  }
  const bool has_comma = word.find(',') != std::string::npos;
  return fmt::format("'{}' is not a number{}", word, has_comma ? ": use a point, not a comma" : "");
}

template std::string number_fault<double>(const std::string&);

Check positive() {
  return number_check("a positive number", [](double value) { return value > 0; });
}

Check not_negative() {
  return number_check("a number of at least 0", [](double value) { return value >= 0; });
}

Check one_of(const std::vector<std::string>& words) {
  return [words](const std::string& word) -> std::string {
    if (std::ranges::find(words, word) != words.end()) return {};
    return fmt::format("'{}' is none of {}{}", word, fmt::join(words, ", "), detail::suggestion(word, words));
  };
}

Command Command::in_group(const std::string& name) const {
  Command same = *this;
  same.group_ = name;
  return same;
}

template <class T>
CLI::Option* Command::add_option(const std::string& name, T& value, const std::string& description,
                                 const Check& check) const {
  CLI::Option* option = nullptr;
  if constexpr (std::is_same_v<T, std::string>) {
    option = app->add_option(name, value, description);
    option->check([](const std::string& word) { return word.empty() ? "nothing is given" : ""; });
  } else {
    using Number = typename decltype(std::optional(value))::value_type;
    std::string initial;
    if constexpr (std::is_same_v<T, Number>) initial = fmt::format("{}", value);
    option = add_number<Number>(*app, name, description, initial, [&value](Number number) { value = number; });
  }
  if (check) option->check(check, "");
  return in_my_group(option->capture_default_str());
}

template CLI::Option* Command::add_option(const std::string&, std::string&, const std::string&, const Check&) const;
template CLI::Option* Command::add_option(const std::string&, int&, const std::string&, const Check&) const;
template CLI::Option* Command::add_option(const std::string&, std::uint64_t&, const std::string&, const Check&) const;
template CLI::Option* Command::add_option(const std::string&, double&, const std::string&, const Check&) const;
template CLI::Option* Command::add_option(const std::string&, std::optional<int>&, const std::string&,
                                          const Check&) const;
template CLI::Option* Command::add_option(const std::string&, std::optional<double>&, const std::string&,
                                          const Check&) const;

CLI::Option* Command::add_parameter(const std::string& name, const std::function<void(double)>& set, bool integer,
                                    const std::string& initial, const std::string& description) const {
  CLI::Option* const option = integer ? add_number<int>(*app, name, description, initial, set)
                                      : add_number<double>(*app, name, description, initial, set);
  return in_my_group(option->capture_default_str());
}

CLI::Option* Command::add_choice(const std::string& name, std::string& value, const std::vector<std::string>& words,
                                 const std::string& description) const {
  return add_option(name, value, description, one_of(words))->type_name(fmt::format("{}", fmt::join(words, "|")));
}

CLI::Option* Command::add_flag(const std::string& name, bool& value, const std::string& description) const {
  return in_my_group(app->add_flag(name, value, description));
}

std::set<std::string> Command::named_options() const {
  std::set<std::string> names;
  for (const CLI::Option* option : app->get_options()) {
    if (option->count() > 0) names.insert(option->get_name());
  }
  return names;
}

Subcommand::Subcommand(int place, const std::string& name, const std::string& summary, const Declaration& declare) {
  registered().emplace(place, Registered{name, summary, declare});
}

Subcommand::Subcommand(int place, const std::string& name, const std::string& lacking_part)
    : Subcommand(place, name, fmt::format("Not in this build, needs kaon's part '{}'", lacking_part),
                 [name, lacking_part](const Command& command) {
                   command.app->allow_extras();
                   return [name, lacking_part]() -> Action {
                     require_part(false, lacking_part, name, "it");
                     return {};
                   };
                 }) {}

void add_subcommands(CLI::App& program, Action& action) {
  for (const auto& [place, subcommand] : registered()) {
    const Command command(program, subcommand.name, subcommand.summary);
    command.app->callback([plan = subcommand.declare(command), &action] { action = plan(); });
  }
}

}  // namespace kaon::apps
