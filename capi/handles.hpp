// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "capi/guard.hpp"
#include "capi/link_changes.hpp"
#include "core/lattice/agreement.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/array_view.hpp>
#include <kaon/propagators/any_operator.hpp>
#include <kaon/propagators/single_precision_solver.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/ranges.h>

#include <memory>
#include <utility>
#include <variant>

// Objects behind the handles. Each keeps the session, so that Kokkos outlives all fields.

struct kaon_lattice {
  std::shared_ptr<const kaon::Session> session;
  kaon::Lattice lattice;
};

struct kaon_gauge {
  std::shared_ptr<const kaon::Session> session;
  std::variant<kaon::GaugeField<double>, kaon::GaugeField<float>> links;
  kaon::capi::LinkChanges changes{};
};

struct kaon_momenta {
  std::shared_ptr<const kaon::Session> session;
  kaon::GaugeField<double> field;
};

struct kaon_spinor {
  std::shared_ptr<const kaon::Session> session;
  std::variant<kaon::SpinorField<double>, kaon::SpinorField<float>> field;
};

struct kaon_operator {
  template <class T>
  struct In {
    kaon::AnyOperator<T> dirac;
    kaon::GaugeField<T> links;
  };
  std::shared_ptr<const kaon::Session> session;
  std::variant<In<double>, In<float>> in;
  kaon::capi::LinksAsMade links_as_made{};
};

struct kaon_eigenvectors {
  template <class T>
  using Shared = std::shared_ptr<const kaon::Eigenvectors<T>>;
  std::shared_ptr<const kaon::Session> session;
  std::variant<Shared<double>, Shared<float>> found;
};

struct kaon_solver {
  std::shared_ptr<const kaon::Session> session;
  double plaquette;  ///< of the links: goes into files of near-null vectors, which KAON_AUTO may have later
  std::variant<kaon::PropagatorSolver<double>, kaon::SinglePrecisionSolver, kaon::PropagatorSolver<float>> solver;
  kaon::capi::LinksAsMade links_as_made;
};

namespace kaon::capi {

/// The running session. Throws `Error` before `kaon_start`.
std::shared_ptr<const Session> session();

Communicator communicator_of(const kaon_lattice_options& options);
LatticeParameters lattice_parameters(const kaon_lattice_options& options);

/// The array as C++ sees it. Throws `Error` for numbers that are in none of its lists.
ArrayView view(const kaon_array* array);

/// Calls `body` with a number of the type that the precision names.
template <class Body>
void with_precision(int precision, Body&& body) {
  if (choice<kaon_precision>(precision, 2, "precision") == KAON_DOUBLE) {
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

/// Throws `Error` on all processes of a lattice unless all were given the same numbers, which `format` makes a text;
/// `what`: "trajectories". Comes before checks of these numbers, which some processes alone may fail.
template <class... Given>
void require_same(const Lattice& lattice, const char* what, fmt::format_string<Given...> format, Given&&... given) {
  const Communicator& processes = lattice.communicator();
  if (processes.size() > 1)
    kaon::detail::require_same(processes, what, fmt::format(format, std::forward<Given>(given)...));
}
/// The right-hand sides of a field.
inline int sides_of(const kaon_spinor& field) {
  return std::visit([](const auto& in) { return in.right_hand_sides(); }, field.field);
}
/// `require_same` of a field's right-hand sides.
inline void require_same_sides(const kaon_spinor& field) {
  require_same(lattice_of(field.field), "fields", "{} right-hand sides", sides_of(field));
}
/// The same of an operator's form, applied to a field.
inline void require_same_form(kaon_form form, const kaon_spinor& field) {
  require_same(lattice_of(field.field), "forms of an operator", "form {} on {} right-hand sides",
               static_cast<int>(form), sides_of(field));
}

/// The operator. Throws `Error` for a null pointer, and where links that it shares have changed.
const kaon_operator& current(const kaon_operator* dirac);

/// Frees what a handle points to. Freeing cannot fail.
template <class Handle>
void destroy(Handle** handle) noexcept {
  if (handle == nullptr) return;
  // Kokkos must not stop before the fields are gone: the session is the last.
  const std::shared_ptr<const Session> session = *handle != nullptr ? (*handle)->session : nullptr;
  delete *handle;
  *handle = nullptr;
}

}  // namespace kaon::capi
