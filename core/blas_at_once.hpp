// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/at_once.hpp"

#include <kaon/core/spinor_field.hpp>

/// Vector operations of <kaon/core/blas.hpp> with coefficients that a rule computes, in the order named: for at most
/// `detail::blas_batch` right-hand sides. Those that the rule left to the host stay as they are.
namespace kaon::blas {

/// a
template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, const detail::ComputedCoefficients<1>& a);
/// a, b
template <class T>
void advance(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z, const detail::ComputedCoefficients<2>& a_b);
/// a
template <class T>
void relax(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const detail::ComputedCoefficients<1>& a);
/// a, w, b
template <class T>
void stabilise_redirect(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                        const SpinorField<T>& v, const detail::ComputedCoefficients<3>& a_w_b);

}  // namespace kaon::blas
