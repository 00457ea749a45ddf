// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/solvers/eigenvectors.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace kaon {

struct EigenvectorWriteOptions {
  int bits = 64;  ///< of a number, 32 or 64
  /// Writes QUDA's format (`vec_infile`), for staggered quarks only: QUDA stores those of other quarks in another spin
  /// basis.
  bool quda = false;
  std::optional<double> plaquette{};  ///< of the links of the operator
  std::string info{};                 ///< free text: the operator, say
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

}  // namespace kaon
