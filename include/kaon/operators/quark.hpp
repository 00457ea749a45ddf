// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <concepts>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kaon {

/// The operator of a quark in the precision T, `double` or `float`, and on demand in lower ones. Every operator of kaon
/// converts to it, and solvers accept it; `make_quark` makes one whose family is chosen at run time. Copies share the
/// operator.
///
///   const WilsonClover<double> dirac(links, {.mass = 0.1, .csw = 1.0});
///   const PropagatorSolver solver(dirac, {.tolerance = 1e-10});  // a Quark<double> that borrows `dirac`
///
/// `Dirac` is any even-odd operator that converts from itself in other precisions, `Dirac<S>(dirac, LinkStorage,
/// HaloPrecision)`.
template <class T>
class Quark {
 public:
  /// Borrows `dirac`.
  template <template <class> class Dirac>
  requires std::derived_from<Dirac<T>, EvenOddOperator<T>> Quark(const Dirac<T>& dirac) : Quark(Ref<Dirac<T>>(dirac)) {}
  /// Owns `dirac`.
  template <template <class> class Dirac>
  requires std::derived_from<Dirac<T>, EvenOddOperator<T>> Quark(Dirac<T>&& dirac)
      : Quark(Ref<Dirac<T>>(std::move(dirac))) {}

  const EvenOddOperator<T>& operator*() const { return *exact_; }
  const EvenOddOperator<T>* operator->() const { return &*exact_; }
  /// The operator for adapters, which borrow or share it as this object does.
  const Ref<EvenOddOperator<T>>& exact() const { return exact_; }

  /// Makes the operator in the precision S, T or a lower one.
  template <class S>
  Ref<EvenOddOperator<S>> in(LinkStorage links, HaloPrecision halo) const {
    return std::get<Make<S>>(make_)(links, halo);
  }
  /// The quark in single precision, with all reals of the links.
  Quark<float> in_single() const { return rounded_(); }
  /// The storage of links in iterations, unless another one is requested: 12 reals of links in SU(3), or as the
  /// operator says; all reals where that storage was not compiled.
  LinkStorage compressed_links() const;
  /// The quark, which caches the last operator that it has made in each precision.
  Quark cached() const;

  /// Whether the operator is known with other masses on the same links, as staggered ones are.
  bool can_change_mass() const { return with_mass_ != nullptr; }
  /// The quark with another mass. Throws `Error` unless `can_change_mass`.
  Quark with_mass(double mass) const;

 private:
  template <class S>
  using Make = std::function<Ref<EvenOddOperator<S>>(LinkStorage, HaloPrecision)>;
  using MakeAll = std::conditional_t<std::is_same_v<T, float>, std::tuple<Make<float>, Make<half>>,
                                     std::tuple<Make<double>, Make<float>, Make<half>>>;

  template <template <class> class Dirac>
  explicit Quark(const Ref<Dirac<T>>& dirac)
      : exact_(dirac),
        rounded_([dirac] { return Quark<float>(Dirac<float>(*dirac, LinkStorage::full, dirac->halo())); }) {
    const auto make = [&]<class S>(Make<S>& each) {
      each = [dirac](LinkStorage links, HaloPrecision halo) { return Dirac<S>(*dirac, links, halo); };
    };
    std::apply([&](auto&... each) { (make(each), ...); }, make_);
    if constexpr (requires { Dirac<T>::compressed_links; }) compressed_ = Dirac<T>::compressed_links;
    if constexpr (requires { dirac->with_mass(0.0); }) {
      with_mass_ = [dirac](double mass) { return Quark(dirac->with_mass(mass)); };
    }
  }

  Ref<EvenOddOperator<T>> exact_;
  MakeAll make_;
  std::function<Quark<float>()> rounded_;
  LinkStorage compressed_ = LinkStorage::two_rows;
  std::function<Quark(double)> with_mass_{};
};

}  // namespace kaon
