// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/structures.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kaon::capi {

/// Error of a call of C for which this kaon lacks a part.
class Unsupported : public Error {
 public:
  explicit Unsupported(const std::string& message, std::source_location where = std::source_location::current())
      : Error(message, where) {}
};

/// Remembers the exception that is being handled as the thread's last error and returns its status. Errors of kaon's
/// library have the status `of_kaon`.
kaon_status status_of_exception(const char* function, kaon_status of_kaon) noexcept;

/// Throws `Error` in a parallel region of OpenMP.
void require_serial_caller();

/// Runs the body of a function of C, whose exceptions become its status: errors of kaon's library the one that
/// `of_kaon` has at that time.
template <class Body>
kaon_status guard(const char* function, Body&& body, const kaon_status& of_kaon = KAON_INVALID) noexcept {
  try {
    require_serial_caller();
    body();
    return KAON_OK;
  } catch (...) {
    return status_of_exception(function, of_kaon);
  }
}

/// Throws `Error` for a null pointer.
template <class T>
T& needed(T* pointer, const char* name, std::source_location where = std::source_location::current()) {
  require(
      pointer != nullptr, [&] { return fmt::format("{} is NULL", name); }, where);
  return *pointer;
}

/// Throws `Error` for a structure that has another size here than for the caller.
template <class T>
const T& checked(const T& given, std::source_location where = std::source_location::current()) {
  require(
      given.size == sizeof(T),
      [&] {
        return fmt::format(
            "{} has {} bytes here, but its size says {}: fill it with {}_init, and compile with the kaon.h of "
            "this library",
            Structure<T>::name, sizeof(T), given.size, Structure<T>::name);
      },
      where);
  return given;
}

/// The structure that the function `kaon_..._init` makes.
template <class T>
const T& defaults() {
  static const T made = [] {
    T structure;
    Structure<T>::init(&structure);
    return structure;
  }();
  return made;
}

/// The options that were given, or the defaults if they are NULL.
template <class T>
const T& options_or_defaults(const T* given, std::source_location where = std::source_location::current()) {
  return given == nullptr ? defaults<T>() : checked(*given, where);
}

/// Sets all members of a structure of the caller to zero but its size. Does nothing for a null pointer.
template <class T>
void clear(T* structure) {
  if (structure == nullptr) return;
  *structure = {};
  structure->size = sizeof(T);
}

/// An option of a structure by name, and whether it differs from its default.
using NamedOption = std::pair<std::string_view, bool>;

/// Throws `Error` for an option that is set although `reader` reads others alone.
void require_read(std::string_view reader, const std::vector<std::string_view>& read,
                  const std::vector<NamedOption>& options,
                  std::source_location where = std::source_location::current());

/// A number of a list as an enumerator of C++, whose values are the same.
template <class Enum>
Enum choice(int given, int count, const char* name, std::source_location where = std::source_location::current()) {
  require(
      given >= 0 && given < count, [&] { return fmt::format("{} = {} is none of 0 to {}", name, given, count - 1); },
      where);
  return static_cast<Enum>(given);
}

/// An enumerator of kaon.h.
template <class Enum>
Enum choice(int given, const char* name, std::source_location where = std::source_location::current()) {
  return choice<Enum>(given, static_cast<int>(names_of<Enum>.size()), name, where);
}

}  // namespace kaon::capi
