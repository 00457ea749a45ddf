// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_checks.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

const char* name(Subset subset) {
  switch (subset) {
    case Subset::even:
      return "even";
    case Subset::odd:
      return "odd";
    case Subset::full:
      return "all";
  }
  return "?";
}

std::string shape(const SpinorParameters& p) {
  const std::string slices = p.slices == 1 ? "" : fmt::format(" and {} slices", p.slices);
  return fmt::format("{} spins, {} colours{} on {} sites", p.spins, p.colors, slices, name(p.subset));
}

}  // namespace

template <class T>
void LinearOperator<T>::require_domain(const SpinorField<T>& out, const SpinorField<T>& in) const {
  for (const SpinorField<T>* field : {&out, &in}) {
    const SpinorParameters expected = domain().with_right_hand_sides(field->right_hand_sides());
    require(field->parameters() == expected, [&] {
      return fmt::format("the operator acts on fields with {}, but was given one with {}", shape(expected),
                         shape(field->parameters()));
    });
    require(field->lattice() == lattice(), "the operator and the field live on different lattices");
  }
  require(out.right_hand_sides() == in.right_hand_sides(), [&] {
    return fmt::format("the operator's output has {} right-hand sides and its input {}", out.right_hand_sides(),
                       in.right_hand_sides());
  });
  require(!detail::overlap(out, in), "the operator's output must not be its input");
}

template <class T>
blas::PendingReductions LinearOperator<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                            const blas::Reductions<T>& reductions) const {
  apply(y, x);
  return blas::reduce(y, &x, reductions);
}

template <class T>
void EvenOddOperator<T>::apply_hops(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const {
  this->require_domain(out, in);
  const bool one_parity = this->lattice().parities() == 1;
  for (const Parity parity : {Parity::even, Parity::odd}) {
    if (one_parity && parity == Parity::odd) break;
    SpinorField<T> out_half = out.parity(parity);
    const SpinorField<T> in_same = in.parity(parity);
    const SpinorField<T> in_other = in.parity(one_parity ? parity : opposite(parity));
    hop(out_half, in_other, {.term = SiteTerm::diagonal, .scale = -1.0, .x = &in_same, .dagger = dagger});
  }
}

template <class T>
std::unique_ptr<EvenOddSystem<T>> EvenOddOperator<T>::normal_system(Parity) const {
  return nullptr;
}

template <class T>
const Coarsenable<T>& coarsenable(const EvenOddOperator<T>& dirac) {
  const auto* const hops = dynamic_cast<const Coarsenable<T>*>(&dirac);
  require(hops != nullptr,
          "this operator does not give its hops direction by direction: Wilson-like operators do, and multigrid "
          "coarsens them alone");
  return *hops;
}

template <class T>
const Blockable<T>& blockable(const EvenOddOperator<T>& dirac) {
  const auto* const blocks = dynamic_cast<const Blockable<T>*>(&dirac);
  require(blocks != nullptr, "this operator does not fall into blocks, which a Schwarz method needs");
  return *blocks;
}

template class LinearOperator<double>;
template class LinearOperator<float>;
template class LinearOperator<half>;
template class EvenOddOperator<double>;
template class EvenOddOperator<float>;
template class EvenOddOperator<half>;
template const Coarsenable<double>& coarsenable(const EvenOddOperator<double>&);
template const Coarsenable<float>& coarsenable(const EvenOddOperator<float>&);
template const Blockable<double>& blockable(const EvenOddOperator<double>&);
template const Blockable<float>& blockable(const EvenOddOperator<float>&);
template const Blockable<half>& blockable(const EvenOddOperator<half>&);

}  // namespace kaon
