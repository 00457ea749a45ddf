// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/mixed_krylov.hpp>

namespace kaon {

/// Conjugate gradients for a Hermitian positive operator (Hestenes and Stiefel 1952).
template <class T, class S = T>
class Cg final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;
};

/// Conjugate gradients on M^dag M x = M^dag b: minimises |b - M x| (Hestenes and Stiefel 1952, section 10, "CGNR"; in
/// the form that iterates the residual of M itself, Saad, Iterative Methods for Sparse Linear Systems, algorithm 8.4).
/// Throws `Error` for an operator without an adjoint.
template <class T, class S = T>
class Cgnr final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  const Adjointable<S>* adjoint_ = &adjointable(*this->inner_);
};

/// Conjugate gradients on M M^dag y = b, x = M^dag y: minimises the error |x - M^-1 b| (Craig 1955, "CGNE"; Saad,
/// algorithm 8.5). Throws `Error` for an operator without an adjoint.
template <class T, class S = T>
class Cgne final : public MixedKrylov<T, S> {
 public:
  using MixedKrylov<T, S>::MixedKrylov;

 private:
  SolveResult run(detail::SolveState<T, S>& state) const override;

  const Adjointable<S>* adjoint_ = &adjointable(*this->inner_);
};

extern template class Cg<double>;
extern template class Cg<float>;
extern template class Cg<half>;
extern template class Cg<double, float>;
extern template class Cg<double, half>;
extern template class Cg<float, half>;
extern template class Cgnr<double>;
extern template class Cgnr<float>;
extern template class Cgnr<half>;
extern template class Cgnr<double, float>;
extern template class Cgnr<double, half>;
extern template class Cgnr<float, half>;
extern template class Cgne<double>;
extern template class Cgne<float>;
extern template class Cgne<half>;
extern template class Cgne<double, float>;
extern template class Cgne<double, half>;
extern template class Cgne<float, half>;

}  // namespace kaon
