// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/ref.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>
#include <kaon/solvers/solver.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
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

struct EigenvectorWriteOptions {
  int bits = 64;  ///< of a number, 32 or 64
  /// Writes QUDA's format (`vec_infile`), for staggered quarks only: QUDA stores those of other quarks in another spin
  /// basis.
  bool quda = false;
  bool milc_packed = false;  ///< MILC's packed format, of staggered quarks on even sites (`io::SpinorWriteOptions`)
  std::optional<double> milc_shift{};  ///< 4 m^2 of staggered quarks, for MILC (`io::SpinorFileInfo`)
  std::optional<double> plaquette{};   ///< of the links of the operator
  std::string info{};                  ///< free text: the operator, say
};

/// Writes eigenvectors, their eigenvalues and residuals as a SciDAC (LIME) file; docs/formats.md has the details.
/// Vectors on one parity have zeros on the other sites.
///
/// Under a temporary name, renamed when complete. Throws `Error` for no vectors, for numbers that are not finite and
/// where the file cannot be written. Collective.
template <class T>
void write_eigenvectors(const std::filesystem::path& path, const Eigenvectors<T>& eigenvectors,
                        const EigenvectorWriteOptions& options = {});

/// Reads eigenvectors of a Hermitian operator A, from files of `write_eigenvectors` and of QUDA, and normalises them.
/// `values` and `residuals` are computed with A: a staggered normal operator of another mass has the same eigenvectors
/// and other eigenvalues. `converged` is true.
///
/// Throws `Error`, naming the numbers, unless they are orthonormal to 1e-3 and eigenvectors of this A,
///
///   |A v - lambda v| <= 10 r + 2 epsilon |A|,
///
/// with r the residual that the file states, or |lambda| / 100 where it states none, epsilon the rounding of the file's
/// numbers or 32 times that of T, and |A| an estimate of the largest eigenvalue. Throws it also as
/// `io::read_spinor_fields` does, where the fields are not such that A acts on, and for QUDA's files of 4 spins.
/// Collective.
template <class T>
[[nodiscard]] Eigenvectors<T> read_eigenvectors(const std::filesystem::path& path, const LinearOperator<T>& matrix);

namespace detail {
template <class T>
class LowModes;
}

/// Solves A x = b, A Hermitian and positive, with eigenvectors v_i of A: a correction of the low modes,
///
///   x <- x + sum_i v_i <v_i, b - A x> / lambda_i,
///
/// before the solver's iterations and again whenever these have reduced the residual by 1e-3, since rounding of low
/// precisions brings low modes back. Conjugate gradients then meet the condition number of the other eigenvalues.
///
/// The first lambda_i = <v_i, A v_i> are computed here: eigenvectors of a staggered normal operator are those of all
/// masses. Source: A. Stathopoulos and K. Orginos, SIAM J. Sci. Comput. 32 (2010) 439 (arXiv:0707.0131), section 3.
template <class T>
class Deflated final : public Solver<T> {
 public:
  /// Borrows `solver`, or owns what is a temporary: see `Ref`. Throws `Error` where a vector is no eigenvector of its
  /// operator, |A v - lambda v| > lambda / 10, where a lambda is not positive.
  Deflated(Ref<Solver<T>> solver, std::shared_ptr<const Eigenvectors<T>> eigenvectors);
  /// For a solver of A + `shift`, with eigenvectors that are known to be those of A.
  Deflated(Ref<Solver<T>> solver, std::shared_ptr<const detail::LowModes<T>> modes, double shift);

  using Solver<T>::solve;
  SolveResult solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const override;
  const LinearOperator<T>& solved_operator() const override { return solver_->solved_operator(); }
  double tolerance() const override { return solver_->tolerance(); }

 private:
  Ref<Solver<T>> solver_;
  std::shared_ptr<const detail::LowModes<T>> modes_;
  double shift_;
};

}  // namespace kaon
