// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/guard.hpp"

#include <kaon/core/communicator.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

// Calls of kaon.h and their arguments. A call lists its arguments once. By that list it marks the objects that it uses,
// which other calls within it must leave alone, and compares itself with the calls of the other processes.

namespace kaon {
class Lattice;
class Session;
}  // namespace kaon

namespace kaon::capi {

/// The session and the processes of an object. The session is destroyed last, so that Kokkos outlives all fields.
struct Place {
  std::shared_ptr<const Session> session;
  Communicator processes{};  ///< those of the lattice; this process alone if there is no lattice
};

/// The running calls that use an object: several read it, or one changes it.
struct Use {
  int readers = 0;
  int writers = 0;
  const char* by = nullptr;  ///< the first of them

  bool any() const { return readers + writers > 0; }
};

/// Lines "name = value" with their hash.
struct Text {
  std::string lines;
  std::uint64_t hash = 0;

  void append(const std::string& more);
};

/// The part that all objects behind handles have.
struct Object {
  Object(Place given) : place(std::move(given)) {}                    // implicit: the first initializer of an aggregate
  Object(Object&& fresh) noexcept : place(std::move(fresh.place)) {}  // into a base: nothing uses it yet

  Place place;
  mutable Use use;
  mutable bool changed = false;                                ///< by any call
  mutable void (*destroy_after_use)(const Object*) = nullptr;  ///< set by a destroy function while calls use the object
};

/// An object whose arguments at its creation identify it.
struct MadeObject : Object {
  using Object::Object;
  Text made_by{};
};

template <class T>
concept IsObject = std::derived_from<std::remove_const_t<T>, Object>;

/// Marks options that may be NULL.
enum OrDefaults { or_defaults };

using Arguments = std::initializer_list<Argument>;

/// Options, whose members are arguments.
template <class T>
concept IsStructure = requires(const T& structure) {
  members(structure);
};

/// An argument of a call, a member of a structure, or an element of an array. It refers to what the caller gave, and
/// looks into that within the call alone.
class Argument {
 public:
  template <class Number>
  requires std::integral<Number> || std::is_enum_v<Number> Argument(const char* name, Number number) : name_(name) {
    if constexpr (std::is_unsigned_v<Number>) {
      value_ = static_cast<std::uint64_t>(number);
    } else {
      value_ = static_cast<std::int64_t>(number);
    }
  }
  Argument(const char* name, double number) : name_(name), value_(number) {}
  Argument(const char* name, const Text& text) : name_(name), value_(&text) {}
  Argument(const char* name, std::string_view text) : name_(name), value_(text) {}
  /// An array of numbers that all processes have in common.
  template <class Number>
  requires std::is_same_v<Number, int> || std::is_same_v<Number, double> Argument(const char* name,
                                                                                  const Number* numbers,
                                                                                  std::ptrdiff_t count)
      : Argument(name, numbers) {
    if (numbers != nullptr) value_ = std::span(numbers, static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0)));
  }
  /// Memory of the calling process, or a path: processes compare whether it is NULL.
  Argument(const char* name, const void* pointer) : name_(name), value_(pointer != nullptr), given_(pointer) {}
  Argument(const char* name, kaon_progress function) : name_(name), value_(function != nullptr) {}
  /// A structure of options.
  template <IsStructure T>
  Argument(const char* name, const T* given) : Argument(name, static_cast<const void*>(given)) {
    if (given == nullptr) return;
    parts_ = [](const Argument& of) {
      const T& structure = *static_cast<const T*>(of.given_);
      return structure.size == sizeof(T) ? members(structure) : size_alone(structure.size);
    };
  }
  /// Options that may be NULL, which means the defaults.
  template <IsStructure T>
  Argument(const char* name, const T* given, OrDefaults)
      : Argument(name, given != nullptr ? given : &capi::defaults<T>()) {}
  /// An object, which the call reads if it is const, and changes otherwise.
  template <IsObject T>
  Argument(const char* name, T* object) : Argument(name, static_cast<const void*>(object)) {
    is_object_ = true;
    if (object == nullptr) return;
    object_ = object;
    changes_ = !std::is_const_v<T>;
    if constexpr (requires { object->changes; }) links_ = object->changes.use();
    if constexpr (requires { object->changes; }) changes_links_ = changes_;
    if constexpr (requires { object->links_as_made; }) links_ = object->links_as_made.use();
    parts_ = [](const Argument& of) { return state_of(*static_cast<const T*>(of.given_)); };
  }
  /// An array of them.
  template <IsObject T>
  Argument(const char* name, T* const* objects, int count) : Argument(name, static_cast<const void*>(objects)) {
    count_ = objects != nullptr ? count : 0;
    parts_ = [](const Argument& of) {
      std::vector<Argument> parts;
      for (int i = 0; i < of.count_; ++i) parts.emplace_back(of.name_, static_cast<T* const*>(of.given_)[i]);
      return parts;
    };
  }
  /// Room for the handles of objects that the call makes. Sets them to NULL.
  template <IsObject T>
  Argument(const char* name, T** results, int count = 1) : Argument(name, static_cast<const void*>(results)) {
    if (results == nullptr) return;
    std::fill_n(results, std::max(count, 0), nullptr);
    if constexpr (std::derived_from<T, MadeObject>) {
      made_by_ = [](const Argument& of) {
        T* const object = *static_cast<T* const*>(of.given_);
        return object != nullptr ? &object->made_by : nullptr;
      };
    }
  }
  Argument(const char* name, const Lattice& lattice);

  /// Returns an argument that may be NULL. No other pointer of a call may be.
  static Argument optional(Argument argument) {
    argument.may_be_null_ = true;
    return argument;
  }

 private:
  friend class Call;

  static std::vector<Argument> size_alone(std::size_t size) { return {{"size", size}}; }
  std::vector<Argument> parts() const { return parts_ != nullptr ? parts_(*this) : std::vector<Argument>(); }
  std::uint64_t hash() const;
  void write(std::string& lines, const std::string& name) const;

  const char* name_;
  std::variant<bool, std::int64_t, std::uint64_t, double, const Text*, std::string_view, std::span<const int>,
               std::span<const double>>
      value_;
  const void* given_ = nullptr;
  int count_ = 0;
  bool may_be_null_ = false;
  bool is_object_ = false;
  bool changes_ = false;
  bool changes_links_ = false;
  const Object* object_ = nullptr;
  std::shared_ptr<Use> links_;  ///< of links that the object shares with others
  std::vector<Argument> (*parts_)(const Argument&) = nullptr;
  Text* (*made_by_)(const Argument&) = nullptr;
};

/// A running call of kaon.h.
class Call {
 public:
  /// Marks the objects that the arguments name. Throws `Error` where a call that runs already needs one of them as it
  /// is. `failure` becomes the status of errors of kaon's library.
  Call(const char* function, Arguments arguments, kaon_status& failure);
  /// Takes the marks back, and frees objects that were destroyed meanwhile.
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// Throws `Error` on all processes unless all make the same call with the same arguments. Collective; costs one
  /// reduction.
  void compare(const Communicator& processes) const;
  /// Compares over the processes of the lattice on which the arguments are.
  void compare() const { compare(processes()); }

  /// Throws `Error` where an argument is NULL that must not be.
  void require_given() const;

  /// Adds the call to the description of an object that it changes.
  void describe(MadeObject& object) const { object.made_by.append(lines(&object)); }

  kaon_status& failure;

 private:
  Communicator processes() const;
  std::string lines(const Object* but_for = nullptr) const;
  void collect(const Argument& argument);

  const char* function_;
  Arguments arguments_;
  std::vector<Argument> objects_;
  std::shared_ptr<const Session> session_;
};

/// The status of errors that do not occur.
class NoFailure {};

/// Runs the body of a call, which may use it.
template <class Body>
void run_within(Call& call, const Body& body) {
  if constexpr (std::is_invocable_v<Body, Call&>) {
    body(call);
  } else {
    body();
  }
}

/// Runs the body of a function of kaon.h with arguments, which compares and requires them itself. The body may use its
/// `Call`. A `Failure` has the status KAON_NOT_CONVERGED.
template <class Failure = NoFailure, class Body>
kaon_status plain_call(const char* function, Arguments arguments, const Body& body) noexcept {
  kaon_status failure = KAON_INVALID;
  const auto run = [&] {
    Call made(function, arguments, failure);
    try {
      run_within(made, body);
    } catch (const Failure&) {
      failure = KAON_NOT_CONVERGED;
      throw;
    }
  };
  return guard(function, run, failure);
}

/// Runs the body of a function that a process calls by itself.
template <class Body>
kaon_status call(const char* function, Arguments arguments, const Body& body) noexcept {
  return plain_call(function, arguments, [&](Call& made) {
    made.require_given();
    run_within(made, body);
  });
}

/// Runs the body of a function that all processes of a lattice call together, with the same arguments.
template <class Failure = NoFailure, class Body>
kaon_status collective(const char* function, Arguments arguments, const Body& body) noexcept {
  return plain_call<Failure>(function, arguments, [&](Call& made) {
    made.compare();
    made.require_given();
    run_within(made, body);
  });
}

}  // namespace kaon::capi
