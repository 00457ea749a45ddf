// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// The matrices B of all hypercubes, over all processes.
struct HypercubeSpectrum {
  double smallest, largest;  ///< singular values s
  int singular;              ///< hypercubes whose B has no inverse in double
};

/// X^(1/2) and X^(-1/2) of `x`, the site term of a staggered operator on hypercubes, which is 2m + an anti-Hermitian
/// matrix between chiralities:
///
///   X = [[2m, B], [-B^dag, 2m]],    B = W s Z^dag,    r = (4m^2 + s^2)^(1/2),    p + i q = (2m + i s)^(1/2),
///
///   X^(1/2)  = [[W p W^dag, W q Z^dag], [-Z q W^dag, Z p Z^dag]],
///   X^(-1/2) = the same with p/r and -q/r.
///
/// The singular values are those of Jacobi rotations in double. Each matrix is a field with 48 right-hand sides, its
/// columns. f(X)^dag = G5 f(X) G5. 10 Mflop a hypercube. If B has no inverse, the matrices are undefined.
/// Collective, and waits.
template <class T>
HypercubeSpectrum hypercube_roots(SpinorField<T>& root, SpinorField<T>& inverse_root, const SpinorField<T>& x);

extern template HypercubeSpectrum hypercube_roots(SpinorField<double>&, SpinorField<double>&,
                                                  const SpinorField<double>&);
extern template HypercubeSpectrum hypercube_roots(SpinorField<float>&, SpinorField<float>&, const SpinorField<float>&);

}  // namespace kaon::detail
