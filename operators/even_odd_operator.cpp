// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/operators/even_odd_system.hpp>

namespace kaon {

template <class T>
void EvenOddOperator<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  apply_full(out, in, false);
}

template <class T>
void EvenOddOperator<T>::apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const {
  apply_full(out, in, true);
}

template <class T>
void EvenOddOperator<T>::apply_full(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) const {
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
void EvenOddOperator<T>::hop_along(SpinorField<T>&, const SpinorField<T>&, int) const {
  throw Error(
      "this operator does not give its hops direction by direction: multigrid can coarsen Wilson-like operators "
      "in double and single precision");
}

template <class T>
std::unique_ptr<EvenOddSystem<T>> EvenOddOperator<T>::normal_system(Parity) const {
  return nullptr;
}

template class EvenOddOperator<double>;
template class EvenOddOperator<float>;
template class EvenOddOperator<half>;

}  // namespace kaon
