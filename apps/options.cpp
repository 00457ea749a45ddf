// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/options.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace kaon::apps {
namespace {

/// Accepts finite numbers that are `good`.
Check number_check(const char* what, bool (*good)(double)) {
  return [=](const std::string& text) {
    double value = 0;
    const bool fits = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && good(value);
    return fits ? std::string() : fmt::format("'{}' is not {}", text, what);
  };
}

/// Takes whole numbers as they are read: CLI11 alone takes 010 for 8 and 0x10 for 16.
std::string as_decimal(std::string& word) {
  const bool has_plus = word.starts_with('+') && !word.starts_with("+-");
  const char* const begin = word.data() + (has_plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  int number = 0;
  const auto [last, error] = std::from_chars(begin, end, number);
  if (error == std::errc::result_out_of_range) {
    return fmt::format("{} is more than {}", word, std::numeric_limits<int>::max());
  }
  if (error != std::errc() || last != end) return fmt::format("'{}' is not an integer", word);
  word = std::to_string(number);
  return {};
}

}  // namespace

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
Option Option::group(const std::string& name) const { return Option(option_->group(name)); }
Option Option::capture_default_str() const { return Option(option_->capture_default_str()); }
Option Option::check(const Check& check) const { return Option(option_->check(check, "")); }
Option Option::transform(const std::function<std::string(std::string&)>& check) const {
  return Option(option_->transform(CLI::Validator(check, "")));
}
Option Option::excludes(const Option& other) const { return Option(option_->excludes(other.option_)); }

Command::Command(CLI::App& program, const std::string& name, const std::string& description)
    : command_(program.add_subcommand(name, description)) {}

template <class T>
Option Command::add_option(const std::string& name, T& value, const std::string& description) const {
  CLI::Option* const option = command_->add_option(name, value, description);
  if constexpr (std::is_same_v<T, int> || std::is_same_v<T, std::optional<int>>) {
    option->transform(CLI::Validator(as_decimal, ""));
  } else if constexpr (std::is_same_v<T, std::string>) {
    option->check([](const std::string& word) { return std::string(word.empty() ? "nothing is given" : ""); });
  }
  return Option(option);
}

template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, int&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<int>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<double>&, const std::string&) const;

Option Command::add_flag(const std::string& name, bool& value, const std::string& description) const {
  return Option(command_->add_flag(name, value, description));
}

void Command::callback(const std::function<void()>& function) const { command_->callback(function); }

std::set<std::string> Command::named_options() const {
  std::set<std::string> names;
  for (const CLI::Option* option : command_->get_options()) {
    if (option->count() > 0) names.insert(option->get_name());
  }
  return names;
}

}  // namespace kaon::apps
