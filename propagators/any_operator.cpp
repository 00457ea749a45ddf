// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/propagators/any_operator.hpp>

namespace kaon {
namespace {

template <class T>
AnyOperator<T> make(const GaugeField<T>& links, const FermionParameters& p) {
  switch (p.action) {
    case FermionAction::wilson:
      return AnyOperator<T>(Wilson<T>(links, {p.mass, p.anisotropy, p.boundary}));
    case FermionAction::wilson_clover:
      return AnyOperator<T>(WilsonClover<T>(links, {p.mass, p.csw, p.csw_temporal, p.anisotropy, p.boundary}));
    case FermionAction::twisted_mass:
      if constexpr (detail::Parts::twisted_mass) {
        return AnyOperator<T>(TwistedMass<T>(links, {p.mass, p.mu, p.anisotropy, p.boundary}));
      }
      detail::refuse_part("twisted_mass");
    case FermionAction::twisted_clover:
      if constexpr (detail::Parts::twisted_mass) {
        return AnyOperator<T>(TwistedClover<T>(links, {p.mass, p.mu, p.csw, p.csw_temporal, p.anisotropy, p.boundary}));
      }
      detail::refuse_part("twisted_mass");
    case FermionAction::staggered:
      if constexpr (detail::Parts::staggered) return AnyOperator<T>(Staggered<T>(links, {p.mass, p.boundary}));
      detail::refuse_part("staggered");
  }
  throw Error("this is no family of operators: name one of FermionAction");
}

}  // namespace

template <class T>
AnyOperator<T>::AnyOperator(const GaugeField<T>& links, const FermionParameters& parameters)
    : AnyOperator(make(links, parameters)) {}

template class AnyOperator<double>;
template class AnyOperator<float>;

}  // namespace kaon
