// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/cli/command.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <string>

namespace kaon::apps {

/// Returns the result of `action`. Its `Error` becomes a `Failure` of input that names the option at fault.
template <class Action>
auto with_option(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw input_error(fmt::format("{}: {}", option, error.what()));
  }
}

/// Returns the result of `action`. Its `Error` becomes a `Failure` of usage: the value of the option is wrong.
template <class Action>
auto with_value_of(const std::string& option, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    throw usage_error(fmt::format("{}: {}", option, error.what()));
  }
}

}  // namespace kaon::apps
