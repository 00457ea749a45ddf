// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT

#include "core/tuning/tuning.hpp"

#include <Kokkos_Core.hpp>

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace kaon {
namespace {

/// Value of an environment variable; empty if it is not set.
std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// The setting of another process, which counts more than the environment of this one.
std::optional<bool> shared_setting;

bool on_by_environment() {
  if (shared_setting) return *shared_setting;
  const std::string value = variable("KAON_TUNE").value_or("on");
  const bool on = value == "on" || value == "1" || value.empty();
  require(on || value == "off" || value == "0", [&] {
    return fmt::format("the environment variable KAON_TUNE is '{}': set it to on (or 1) or to off (or 0)", value);
  });
  return on;
}

std::filesystem::path cache_by_environment() {
  if (const auto file = variable("KAON_TUNE_CACHE")) return *file;
  const std::filesystem::path folder = variable("XDG_CACHE_HOME").value_or("");
  if (folder.is_absolute()) return folder / "kaon" / "tune.json";  // others are to be ignored, says its specification
  const std::filesystem::path home = variable("HOME").value_or("");
  return home.empty() ? std::filesystem::path() : home / ".cache" / "kaon" / "tune.json";
}

}  // namespace

detail::Tuner& detail::Tuner::instance() {
  static Tuner& tuner = []() -> Tuner& {
    static Tuner made({.on = on_by_environment(),
                       .file = cache_by_environment(),
                       .device = {},
                       .build = {},
                       .shipped = shipped_shapes()});
    Kokkos::push_finalize_hook([] { made.end_trials(); });  // the timers of trials have execution spaces
    return made;
  }();
  return tuner;
}

void detail::share_tuning_setting(const Communicator& communicator) {
  enum class Setting { off, on, meaningless };
  Setting setting = Setting::meaningless;
  const bool is_first = communicator.rank() == 0;
  if (is_first) {
    try {
      setting = tuning_is_on() ? Setting::on : Setting::off;
    } catch (const Error&) {
      if (communicator.size() == 1) throw;
    }
  }
  communicator.broadcast(&setting, sizeof setting);
  if (setting == Setting::meaningless && is_first) (void)tuning_is_on();  // throws
  require(setting != Setting::meaningless, "the environment variable KAON_TUNE of process 0 has no meaning");
  if (is_first) return;
  shared_setting = setting == Setting::on;
  set_tuning(*shared_setting);
}

bool tuning_is_on() { return detail::Tuner::instance().is_on(); }

void set_tuning(bool on) { detail::Tuner::instance().switch_on(on); }

std::filesystem::path tuning_cache() { return detail::Tuner::instance().file(); }

TuningResults tuning_results() { return detail::Tuner::instance().results(); }

void clear_tuning() { detail::Tuner::instance().clear(); }

}  // namespace kaon
