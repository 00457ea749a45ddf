// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/geometry.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <Kokkos_Core.hpp>

#include <memory>

namespace kaon::detail {

/// The halo of a Wilson hop on fields of T with `right_hand_sides`: projected half spinors through the faces of
/// partitioned directions. Kept by the lattice and shared by all operators on it.
template <class T>
class HopHalo {
 public:
  HopHalo(const Lattice& lattice, int right_hand_sides);

  /// The one for these fields, made where there is none. Collective then.
  static HopHalo& of(const Lattice& lattice, int right_hand_sides);

  HaloExchange& exchange() { return exchange_; }
  /// Numbers between right-hand sides of what goes through faces in direction mu.
  std::size_t stride(std::size_t mu) const { return stride_[mu]; }
  /// Checkerboard indices of the sites of a parity that see a face, in rising order.
  const Kokkos::View<int*, Memory>& boundary(Parity parity) const { return boundary_[static_cast<int>(parity)]; }

 private:
  std::array<std::size_t, 4> stride_{};
  HaloExchange exchange_;
  Kokkos::View<int*, Memory> boundary_[2];
};

extern template class HopHalo<double>;
extern template class HopHalo<float>;
extern template class HopHalo<half>;

}  // namespace kaon::detail
