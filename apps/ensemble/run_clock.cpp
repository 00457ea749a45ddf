// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/run_clock.hpp"

#include "apps/cli/option_values.hpp"
#include "core/base/ending_signals.hpp"
#include "core/base/number_of.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace kaon::apps {
namespace {

const auto program_start = std::chrono::steady_clock::now();

/// Digits alone, below `limit`.
std::optional<double> parse_part(std::string_view word, int limit) {
  const auto number = word.starts_with('+') ? std::nullopt : detail::number_of<int>(word);
  return number && *number >= 0 && *number < limit ? std::optional<double>(*number) : std::nullopt;
}

/// [[D-]HH:]MM:SS
std::optional<double> parse_clock(std::string_view text) {
  constexpr int most = 1'000'000;
  double seconds = 0;
  const auto dash = text.find('-');
  if (dash != text.npos) {
    const auto days = parse_part(text.substr(0, dash), most);
    if (!days) return std::nullopt;
    seconds = *days;
    text.remove_prefix(dash + 1);
  }
  std::vector<std::string_view> words;
  for (auto colon = text.find(':'); colon != text.npos; colon = text.find(':')) {
    words.push_back(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  words.push_back(text);
  if (words.size() > 3 || words.size() < (dash != text.npos ? 3 : 2)) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const bool is_hours = words.size() == 3 && k == 0;
    const auto part = parse_part(words[k], k > 0 ? 60 : dash != text.npos ? 24 : most);
    if (!part) return std::nullopt;
    seconds = (is_hours ? 24 : 60) * seconds + *part;
  }
  return seconds;
}

}  // namespace

double parse_time(const std::string& option, const std::string& text) {
  const bool is_clock = text.find(':') != std::string::npos;
  const std::vector<double> numbers = is_clock ? std::vector<double>{} : parse_numbers(option, text);
  const auto seconds = numbers.size() == 1 ? numbers[0] : parse_clock(text);
  if (!seconds || !(*seconds > 0.0)) {
    throw usage_error(
        fmt::format("{}: '{}' is not a time above 0: give HH:MM:SS, D-HH:MM:SS, MM:SS or seconds", option, text));
  }
  return *seconds;
}

RunClock::RunClock(const Session& session, std::optional<double> time_limit, double checkpoint_interval)
    : session_(session), time_limit_(time_limit), checkpoint_interval_(checkpoint_interval) {}

RunClock::Turn RunClock::turn() { return ask(longest_update_); }

void RunClock::within_update() {
  if (ask(0.0).stop) throw UpdateDropped{};
}

/// Looks `seconds` ahead. A stop leaves the time for a checkpoint, twice as much as the longest has taken.
RunClock::Turn RunClock::ask(double seconds) {
  std::array<double, 3> found{static_cast<double>(detail::deferred_signal()), 0.0, 0.0};
  if (session_.communicator().rank() == 0) {
    const std::chrono::duration<double> elapsed = Clock::now() - program_start, since = Clock::now() - last_checkpoint_;
    const double end = elapsed.count() + 1.1 * seconds + 2.0 * longest_checkpoint_;
    found[1] = time_limit_ && end >= *time_limit_ ? 1.0 : 0.0;
    found[2] = since.count() + seconds > checkpoint_interval_ ? 1.0 : 0.0;
  }
  session_.communicator().maximum(found);
  signal_ = static_cast<int>(found[0]);
  is_out_of_time_ = found[1] > 0.0;
  return {.stop = signal_ != 0 || is_out_of_time_, .checkpoint = found[2] > 0.0};
}

std::string RunClock::reason() const { return signal_ != 0 ? detail::name_of_signal(signal_) : "--time-limit"; }

Exit RunClock::exit_code() const { return signal_ != 0 ? static_cast<Exit>(after_signal + signal_) : Exit::time_limit; }

}  // namespace kaon::apps
