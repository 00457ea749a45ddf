// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/cli/options.hpp"

#include "core/base/number_of.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
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
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, const std::string& description) {
  using Number = typename decltype(std::optional(value))::value_type;
  const auto store = [&value](const CLI::results_t& words) {
    value = detail::number_of<Number>(words.front()).value();
    return true;
  };
  const auto as_text = [&value] {
    if constexpr (std::is_same_v<T, Number>) return fmt::format("{}", value);
    return std::string();
  };
  CLI::Option* const option = command.add_option(name, store, description, false, as_text);
  option->type_name(std::is_floating_point_v<Number> ? "FLOAT" : std::is_signed_v<Number> ? "INT" : "UINT");
  return option->check([](const std::string& word) { return number_fault<Number>(word); });
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
template std::string number_fault<int>(const std::string&);
template std::string number_fault<std::uint64_t>(const std::string&);

Check positive() {
  return number_check("a positive number", [](double value) { return value > 0; });
}

Check not_negative() {
  return number_check("a number of at least 0", [](double value) { return value >= 0; });
}

Check one_of(const std::vector<std::string>& words) {
  return [is_member = CLI::IsMember(words)](const std::string& word) { return is_member(word); };
}

Option Option::required() const { return Option(option_->required()); }
Option Option::type_name(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::capture_default_str() const { return Option(option_->capture_default_str()); }
Option Option::check(const Check& check) const { return Option(option_->check(check, "")); }
Option Option::excludes(const Option& other) const { return Option(option_->excludes(other.option_)); }

Command::Command(CLI::App& program, const std::string& name, const std::string& description)
    : command_(program.add_subcommand(name, description)) {}

Command Command::in_group(const std::string& name) const {
  Command same = *this;
  same.group_ = name;
  return same;
}

Option Command::in_my_group(CLI::Option* option) const {
  return Option(group_.empty() ? option : option->group(group_));
}

template <class T>
Option Command::add_option(const std::string& name, T& value, const std::string& description) const {
  if constexpr (std::is_same_v<T, std::string>) {
    CLI::Option* const option = command_->add_option(name, value, description);
    return in_my_group(option->check([](const std::string& word) { return word.empty() ? "nothing is given" : ""; }));
  } else {
    return in_my_group(add_number(*command_, name, value, description));
  }
}

template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;

Option Command::add_parameter(const std::string& name, const std::function<void(double)>& set, bool integer,
                              const std::string& initial, const std::string& description) const {
  const auto store = [set](const CLI::results_t& words) {
    set(detail::number_of<double>(words.front()).value());
    return true;
  };
  CLI::Option* const option = command_->add_option(name, store, description, false, [initial] { return initial; });
  option->type_name(integer ? "INT" : "FLOAT")->capture_default_str();
  return in_my_group(option->check(integer ? number_fault<int> : number_fault<double>));
}

Option Command::add_flag(const std::string& name, bool& value, const std::string& description) const {
  return in_my_group(command_->add_flag(name, value, description));
}

void Command::callback(const std::function<void()>& function) const { command_->callback(function); }
void Command::allow_extras() const { command_->allow_extras(); }

std::set<std::string> Command::named_options() const {
  std::set<std::string> names;
  for (const CLI::Option* option : command_->get_options()) {
    if (option->count() > 0) names.insert(option->get_name());
  }
  return names;
}

}  // namespace kaon::apps
