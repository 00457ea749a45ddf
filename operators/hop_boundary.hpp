// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/hop.hpp"
#include "operators/hop_halo.hpp"

#include <type_traits>

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

  /// The other way, where halos travel in the field's precision: `exchange`, then one hop over all sites that adds
  /// what has come itself.
  bool can_come_first() const {
    return with_halo(hop_.halo(), []<class H>() { return std::is_same_v<H, T>; });
  }
  void exchange() {
    start();
    halo_.exchange().finish();
  }
  HopHalo& halo() { return halo_; }
  const HopTerm<T>& hop() const { return hop_; }
  const SpinorField<T>& in() const { return in_; }

 private:
  /// Calls `body.template operator()<H>()` with the type in which the halo is stored.
  template <class Body>
  static decltype(auto) with_halo(HaloPrecision precision, const Body& body) {
    if constexpr (std::is_same_v<T, double>) {
      if (precision == HaloPrecision::single) return body.template operator()<float>();
    }
    if constexpr (!std::is_same_v<T, half>) {
      if (precision == HaloPrecision::half) return body.template operator()<half>();
    }
    return body.template operator()<T>();
  }
  template <class V, class H>
  void pack();
  template <class V, class H, bool inverse>
  void add();

  Parity parity() const { return out_.subset() == Subset::even ? Parity::even : Parity::odd; }
  const Lattice& lattice() const { return hop_.lattice(); }

  const HopTerm<T>& hop_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const CloverField<T>* site_term_;
  HopHalo& halo_;
};

}  // namespace kaon::detail
