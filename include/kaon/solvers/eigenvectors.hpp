// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace kaon {

/// A polynomial of A in place of A: T_n((upper + lower - 2 A) / (upper - lower)) with Chebyshev's T_n. It is between -1
/// and 1 for eigenvalues in [lower, upper] and grows fast below, where eigenvalues are then far apart. For the largest
/// eigenvalues it is T_n((2 A - upper - lower) / (upper - lower)), which grows above.
struct ChebyshevFilter {
  int degree = 20;  ///< n: the filter applies A so many times; a filter of degree 1 has no effect
  /// A little above the largest eigenvalue that is wanted. For the largest eigenvalues: below all of A.
  double lower = 0.0;
  /// Above the largest eigenvalue of A; unset: 1.1 times an estimate of it. For the largest eigenvalues, where it must
  /// be set: a little below the smallest one that is wanted.
  std::optional<double> upper{};
};

struct EigenvectorParameters {
  int count = 1;               ///< eigenvectors of the smallest eigenvalues, or of the largest ones
  bool largest = false;        ///< those of the largest eigenvalues
  std::optional<int> basis{};  ///< vectors that are held in memory, above `count`; unset: 2 count + 16
  /// |A v - lambda v| of each, in units of the largest eigenvalue that has been seen, with |v| = 1. Below 64 roundings,
  /// 1.4e-14 in double and 7.6e-6 in single, that is the tolerance.
  double tolerance = 1e-10;
  /// In units of |lambda| of each instead, down to rounding. With a filter that is given this holds for the filter's
  /// eigenvalues, and the residuals of A are in units of the largest eigenvalue.
  bool relative_to_each = false;
  int max_restarts = 200;
  /// Unset: chosen for the smallest eigenvalues, at the cost of some more applications of A; none for the largest ones,
  /// and for operators that are not positive.
  std::optional<ChebyshevFilter> filter{};
  std::uint64_t seed = 1;  ///< of the random first vectors
};

/// Eigenvectors v_i of a Hermitian operator, orthonormal, by rising eigenvalues lambda_i = <v_i, A v_i>, or by
/// falling ones if the largest are wanted.
template <class T>
struct Eigenvectors {
  std::vector<double> values;
  std::vector<double> residuals;  ///< |A v_i - lambda_i v_i|
  std::vector<SpinorField<T>> vectors;
  std::vector<SpinorField<half>> rounded{};  ///< those of `in_16_bits`, in place of `vectors`
  bool converged = false;                    ///< all of them; else the best ones after `max_restarts`
  /// They have converged, and none that belongs among them is missing: not another one of equal eigenvalues either.
  bool complete = false;
  int restarts = 0;
  long applications = 0;  ///< of A
};

/// Eigenvectors of the smallest or largest eigenvalues of a Hermitian operator A, by Lanczos' method with thick
/// restarts and full orthogonalisation: of a normal operator, or of the even-odd one of staggered quarks.
///
/// One first vector shows one vector of each eigenspace. So the space orthogonal to what has been found is searched
/// from a random vector, until no wanted eigenvector is missing; equal eigenvalues are all found. Restarts of
/// this search count. Throws `Error` for parameters that make no sense, a basis larger than the space or not above
/// `count`, a filter that enlarges none of these eigenvalues and where processes were given other parameters, and
/// `SolveError` where numbers overflow.
///
/// Source: K. Wu and H. Simon, SIAM J. Matrix Anal. Appl. 22 (2000) 602.
template <class T>
[[nodiscard]] Eigenvectors<T> find_eigenvectors(const LinearOperator<T>& matrix,
                                                const EigenvectorParameters& parameters = {});

/// Returns the vectors in 16 bits, a quarter of the memory that they need in double, for `Deflated` alone: its repeated
/// corrections during a solve remove the errors of rounding. Several masses and shifts are then solved for one by
/// one (docs/decisions.md 44).
template <class T>
[[nodiscard]] Eigenvectors<T> in_16_bits(Eigenvectors<T> eigenvectors);

}  // namespace kaon
