// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <functional>

namespace kaon::detail {

/// An operator in the precision T, and how to make the same with links and halos in another one.
template <class T>
struct OperatorInPrecisions {
  template <class S>
  using Make = std::function<Ref<EvenOddOperator<S>>(LinkStorage, HaloPrecision)>;

  template <template <class> class Dirac>
  explicit OperatorInPrecisions(const Ref<Dirac<T>>& dirac)
      : exact(dirac),
        in_outer(make<Dirac, T>(dirac)),
        in_single(make<Dirac, float>(dirac)),
        in_half(make<Dirac, half>(dirac)),
        compressed_links(compressed<Dirac<T>>()) {
    if constexpr (requires { dirac->with_mass(0.0); }) {
      with_mass = [dirac](double mass) { return OperatorInPrecisions(Ref<Dirac<T>>(dirac->with_mass(mass))); };
    }
  }

  Ref<EvenOddOperator<T>> exact;
  Make<T> in_outer;
  Make<float> in_single;
  Make<half> in_half;
  std::function<OperatorInPrecisions(double)> with_mass{};  ///< the same with another mass, where that is known
  LinkStorage compressed_links;  ///< of operators of iterations, unless another one is asked for

 private:
  /// `Dirac::compressed_links`, where the operator's links are not in SU(3).
  template <class Dirac>
  static constexpr LinkStorage compressed() {
    if constexpr (requires { Dirac::compressed_links; }) {
      return Dirac::compressed_links;
    } else {
      return LinkStorage::two_rows;
    }
  }
  template <template <class> class Dirac, class S>
  static Make<S> make(const Ref<Dirac<T>>& dirac) {
    return [dirac](LinkStorage links, HaloPrecision halo) { return Dirac<S>(*dirac, links, halo); };
  }
};

}  // namespace kaon::detail
