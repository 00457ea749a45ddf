// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/ensemble/run_clock.hpp"

#include "apps/cli/option_values.hpp"
#include "core/base/ending_signals.hpp"
#include "core/base/number_of.hpp"
#include "core/tuning/phases.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <regex>

namespace kaon::apps {
namespace {

/// [[D-]HH:]MM:SS
std::optional<double> parse_clock(const std::string& text) {
  static const std::regex form(R"((?:(?:(\d{1,6})-)?(\d{1,6}):)?(\d{1,6}):(\d{1,2}))");
  std::smatch parts;
  if (!std::regex_match(text, parts, form)) return std::nullopt;
  const auto part = [&](std::size_t k) { return parts[k].matched ? std::stod(parts[k]) : 0.0; };
  const bool has_hours = parts[2].matched, has_days = parts[1].matched;
  if (part(4) >= 60 || (has_hours && part(3) >= 60) || (has_days && part(2) >= 24)) return std::nullopt;
  return ((24 * part(1) + part(2)) * 60 + part(3)) * 60 + part(4);
}

}  // namespace

double parse_time(const std::string& option, const std::string& text) {
  const std::optional<double> number = detail::number_of<double>(text), seconds = number ? number : parse_clock(text);
  if (!seconds || !(*seconds > 0.0) || std::isinf(*seconds)) {
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

/// Looks `seconds` ahead. A stop leaves the time for a checkpoint, twice as much as the longest has taken, and for the
/// one that is being written.
RunClock::Turn RunClock::ask(double seconds) {
  const bool is_writing = writing_.is_running && writing_.is_running();
  std::array<double, 4> found{static_cast<double>(detail::deferred_signal()), 0.0, 0.0, is_writing ? 1.0 : 0.0};
  if (session_.communicator().rank() == 0) {
    const std::chrono::duration<double> since = Clock::now() - last_checkpoint_;
    const double end = detail::wall_seconds() + 1.1 * seconds + (is_writing ? 3.0 : 2.0) * longest_checkpoint_;
    found[1] = time_limit_ && end >= *time_limit_ ? 1.0 : 0.0;
    found[2] = since.count() + seconds > checkpoint_interval_ ? 1.0 : 0.0;
  }
  session_.communicator().maximum(found);
  if (found[3] == 0.0 && writing_.complete) writing_.complete();
  signal_ = static_cast<int>(found[0]);
  is_out_of_time_ = found[1] > 0.0;
  return {.stop = signal_ != 0 || is_out_of_time_, .checkpoint = found[2] > 0.0};
}

std::string RunClock::reason() const { return signal_ != 0 ? detail::name_of_signal(signal_) : "--time-limit"; }

Exit RunClock::exit_code() const { return signal_ != 0 ? static_cast<Exit>(after_signal + signal_) : Exit::time_limit; }

}  // namespace kaon::apps
