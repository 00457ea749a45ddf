// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/error.hpp>

#include <source_location>
#include <string>
#include <utility>

namespace kaon {

/// An `Error` that one parameter causes. Programs name their own option for it instead.
class ParameterError final : public Error {
 public:
  /// `parameter` is the name of a member, as in `family_parameters` and `solver_options`.
  ParameterError(std::string parameter, const std::string& message,
                 std::source_location where = std::source_location::current())
      : Error(message, where), parameter_(std::move(parameter)) {}
  /// An error that the parameter causes.
  ParameterError(std::string parameter, const Error& error) : Error(error), parameter_(std::move(parameter)) {}

  const std::string& parameter() const { return parameter_; }

 private:
  std::string parameter_;
};

}  // namespace kaon
