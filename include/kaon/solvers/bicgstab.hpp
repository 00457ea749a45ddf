// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/mixed_krylov.hpp>

namespace kaon {

/// BiCGstab for any invertible operator (van der Vorst 1992). A breakdown of the recurrence restarts it from the true
/// residual.
template <class T, class S = T>
class BiCgStab final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;
};

extern template class BiCgStab<double>;
extern template class BiCgStab<float>;
extern template class BiCgStab<half>;
extern template class BiCgStab<double, float>;
extern template class BiCgStab<double, half>;
extern template class BiCgStab<float, half>;

}  // namespace kaon
