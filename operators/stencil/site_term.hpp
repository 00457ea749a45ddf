// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/geometry.hpp"

#include <kaon/core/coordinates.hpp>
#include <kaon/core/lattice.hpp>

namespace kaon::detail {

// Work of a stencil's kernel on the site itself, with a *site matrix* B: a class with
//   name                 part of the kernel's label
//   on_sites<V>(parity)  for kernels: a callable (psi, index) -> B psi, with prefetch(index)

/// out = a x + c D in
struct NoSiteTerm {
  static constexpr bool on_x = false;
  static constexpr const char* prefix = "";
  static constexpr const char* name = "";

  template <class V>
  struct OnSites {
    template <class Vector>
    KOKKOS_FORCEINLINE_FUNCTION Vector operator()(const Vector& psi, int) const {
      return psi;
    }
    KOKKOS_FORCEINLINE_FUNCTION void prefetch(int) const {}
  };
  template <class V>
  OnSites<V> on_sites(Parity) const {
    return {};
  }
};

/// out = B x + c D in
template <class Matrix>
struct OnX : Matrix {
  static constexpr bool on_x = true;
  static constexpr const char* prefix = "_";
};

/// out = a x + c B D in
template <class Matrix>
struct OnHop : Matrix {
  static constexpr bool on_x = false;
  static constexpr const char* prefix = "_inverse_";
};

}  // namespace kaon::detail
