// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/call.hpp"
#include "capi/link_changes.hpp"
#include "core/lattice/agreement.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/array_view.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/propagator_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/ranges.h>

#include <exception>
#include <memory>
#include <utility>
#include <variant>

// Objects behind the handles.

struct kaon_lattice : kaon::capi::Object {
  kaon::Lattice lattice;
};

struct kaon_gauge : kaon::capi::Object {
  std::variant<kaon::GaugeField<double>, kaon::GaugeField<float>> links;
  kaon::capi::LinkChanges changes{};
};

struct kaon_momenta : kaon::capi::Object {
  kaon::GaugeField<double> field;
};

struct kaon_spinor : kaon::capi::Object {
  std::variant<kaon::SpinorField<double>, kaon::SpinorField<float>> field;
};

struct kaon_operator : kaon::capi::MadeObject {
  template <class T>
  struct In {
    kaon::Quark<T> dirac;
    kaon::GaugeField<T> links;
  };
  std::variant<In<double>, In<float>> in;
  kaon::capi::LinksAsMade links_as_made{};
};

struct kaon_eigenvectors : kaon::capi::MadeObject {
  template <class T>
  using Shared = std::shared_ptr<const kaon::Eigenvectors<T>>;
  std::variant<Shared<double>, Shared<float>> found;
  std::optional<double> milc_shift{};  ///< 4 m^2 of staggered operators
};

struct kaon_solver : kaon::capi::MadeObject {
  double plaquette;  ///< of the links: goes into files of near-null vectors, which KAON_AUTO may have later
  std::variant<kaon::PropagatorSolver<double>, kaon::PropagatorSolver<float>> solver;
  kaon::capi::LinksAsMade links_as_made;
};

namespace kaon::capi {

/// The running session. Throws `Error` before `kaon_start`.
std::shared_ptr<const Session> session();
/// Returns the running session, or null before `kaon_start`.
std::shared_ptr<const Session> running_session();
/// Notes that a lattice lives on some processes of the run.
void add_own_communicator();
/// The processes of the run, where no lattice lives on others; else this one alone.
Communicator processes_of_all_lattices();

/// The processes of a lattice, before its options have been checked.
Communicator communicator_of(const kaon_lattice_options* options);
/// The parameters of a lattice of so many processes.
LatticeParameters lattice_parameters(const kaon_lattice_options& options, int size);

/// The array as C++ sees it. Throws `Error` for numbers that are in none of its lists.
ArrayView view(const kaon_array* array);

/// Calls `body` with a number of the type that the precision names.
template <class Body>
void with_precision(int precision, Body&& body) {
  if (choice<kaon_precision>(precision, "precision") == KAON_DOUBLE) {
    body(double{});
  } else {
    body(float{});
  }
}

/// The field in the precision T. Throws `Error` for one in the other.
template <class T, class Variant>
auto& in_precision(Variant& fields, const char* name) {
  constexpr std::size_t wanted = std::is_same_v<T, double> ? 0 : 1;
  require(fields.index() == wanted, [&] {
    return fmt::format("{} is in {} precision, but {} is needed", name, fields.index() == 0 ? "double" : "single",
                       precision_name<T>());
  });
  return std::get<wanted>(fields);
}

/// The lattice of a field in either precision.
template <class Fields>
const Lattice& lattice_of(const Fields& fields) {
  return std::visit([](const auto& in) -> const Lattice& { return in.lattice(); }, fields);
}
inline const Lattice& lattice_of(const kaon_operator& dirac) {
  return std::visit([](const auto& in) -> const Lattice& { return in.dirac->lattice(); }, dirac.in);
}

// The values of objects that processes compare.
inline std::vector<Argument> state_of(const kaon_lattice& of) { return {{"lattice", of.lattice}}; }
inline std::vector<Argument> state_of(const kaon_momenta& of) { return {{"lattice", of.field.lattice()}}; }
inline std::vector<Argument> state_of(const kaon_gauge& of) {
  return {{"lattice", lattice_of(of.links)}, {"precision", of.links.index()}, {"links_were_set", !of.changes.none()}};
}
std::vector<Argument> state_of(const kaon_spinor& of);
template <class T>
requires std::derived_from<T, MadeObject> std::vector<Argument> state_of(const T& of) {
  std::vector<Argument> state{{"", of.made_by}};
  if constexpr (requires { of.links_as_made; }) state.emplace_back("has_links_as_made", of.links_as_made.unchanged());
  return state;
}

/// Runs the part of a collective call that this process does alone, such as copies of its arrays. Throws `Error` on all
/// processes where it fails on one.
template <class Body>
void each_alone(const Lattice& lattice, const Body& body) {
  std::exception_ptr failure;
  try {
    body();
  } catch (...) {
    failure = std::current_exception();
  }
  const bool any = lattice.communicator().any(failure != nullptr);
  if (failure != nullptr) std::rethrow_exception(failure);
  require(!any, "another process has refused its arrays");
}

/// The operator. Throws `Error` where links that it shares have changed.
const kaon_operator& current(const kaon_operator* dirac);

/// Frees what a handle points to, once no running call uses it. Freeing cannot fail.
template <IsObject T>
void destroy(T** handle) noexcept {
  if (handle == nullptr || *handle == nullptr) return;
  const T* const object = std::exchange(*handle, nullptr);
  if (object->use.any()) {
    object->destroy_after_use = [](const Object* unused) { delete static_cast<const T*>(unused); };
  } else {
    delete object;
  }
}

}  // namespace kaon::capi
