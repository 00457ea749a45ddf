// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/operators/even_odd_operator.hpp>

namespace kaon {

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

template class EvenOddOperator<double>;
template class EvenOddOperator<float>;
template class EvenOddOperator<half>;
template const Coarsenable<double>& coarsenable(const EvenOddOperator<double>&);
template const Coarsenable<float>& coarsenable(const EvenOddOperator<float>&);
template const Blockable<double>& blockable(const EvenOddOperator<double>&);
template const Blockable<float>& blockable(const EvenOddOperator<float>&);
template const Blockable<half>& blockable(const EvenOddOperator<half>&);

}  // namespace kaon
