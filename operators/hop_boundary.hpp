// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/hop.hpp"
#include "operators/hop_halo.hpp"

#include <complex>

namespace kaon::detail {

/// The part of a hop in which other processes take part, around the part of local sites:
///   HopBoundary boundary(...);  boundary.start();  [hop over local sites]  boundary.finish();
/// One translation unit for each T and Code (see CMakeLists.txt).
template <class T, class Code>
class HopBoundary {
 public:
  /// The operands of `HopTerm::apply`.
  HopBoundary(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
              const CloverField<T>* site_term);

  /// Sends what the neighbours need of `in`.
  void start();
  /// Adds what has come from them to `out`.
  void finish();

 private:
  /// Calls `body.template operator()<H>()` with the type in which the halo is stored.
  template <class Body>
  static decltype(auto) with_halo(HaloPrecision precision, const Body& body);
  template <class V, class H>
  void pack();
  template <class V, class H, bool inverse>
  void add();

  Parity parity() const { return out_.subset() == Subset::even ? Parity::even : Parity::odd; }
  const Lattice& lattice() const { return hop_.lattice(); }
  /// What `outgoing(face)` is multiplied by: the boundary condition, where the face is the lattice's edge, and the unit
  /// of the link where there is one.
  std::complex<double> factor(int face) const;

  const HopTerm<T>& hop_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const CloverField<T>* site_term_;
  HopHalo& halo_;
};

}  // namespace kaon::detail
