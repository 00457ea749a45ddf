// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "solvers/eigen/largest_eigenvalue.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/io/spinors.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace kaon {
namespace {

/// Makes vector i, of length about 1 and orthogonal to those before it, one of length 1.
template <class T>
void normalize(std::vector<SpinorField<T>>& vectors, std::size_t i, const std::string& path) {
  constexpr double most = 1e-3;
  const double norm = std::sqrt(blas::norm2(vectors[i])[0]);
  require(std::abs(norm - 1.0) <= most,
          [&] { return fmt::format("{}: vector {} has length {:.6g}, and eigenvectors have 1", path, i, norm); });
  blas::scale(vectors[i], 1.0 / norm);
  if (i == 0) return;
  const auto products =
      blas::block_inner_product<T>(std::span<const SpinorField<T>>(vectors).first(i), vectors[i]).products;
  for (std::size_t j = 0; j < i; ++j) {
    require(std::abs(products[j][0]) <= most, [&] {
      return fmt::format("{}: vectors {} and {} are not orthogonal: |<v, w>| = {:.3g}", path, j, i,
                         std::abs(products[j][0]));
    });
  }
}

}  // namespace

template <class T>
void write_eigenvectors(const std::filesystem::path& path, const Eigenvectors<T>& eigenvectors,
                        const EigenvectorWriteOptions& options) {
  require(!options.quda || eigenvectors.vectors.empty() || eigenvectors.vectors.front().spins() == 1, [&] {
    return fmt::format("cannot write {}: QUDA has eigenvectors of 4 spins in another spin basis", path.string());
  });
  io::write_spinor_fields<T>(path, eigenvectors.vectors,
                             {.plaquette = options.plaquette,
                              .info = options.info,
                              .eigenvalues = eigenvectors.values,
                              .residuals = eigenvectors.residuals,
                              .milc_shift = options.milc_shift},
                             {.bits = options.bits, .quda = options.quda, .milc_packed = options.milc_packed});
}

template <class T>
Eigenvectors<T> read_eigenvectors(const std::filesystem::path& path, const LinearOperator<T>& matrix) {
  SpinorField<T> image = matrix.make_field(1);
  io::SpinorFields<T> file = io::read_spinor_fields<T>(matrix.lattice(), path, image.subset());
  const std::string name = path.string();
  const SpinorField<T>& first = file.fields.front();
  require(first.parameters() == image.parameters(), [&] {
    return fmt::format("{} holds fields of {} spins and {} colours, but the operator acts on {} and {}", name,
                       first.spins(), first.colors(), image.spins(), image.colors());
  });
  require(!file.quda || first.spins() == 1, [&] {
    return fmt::format("{} is a file of QUDA, whose eigenvectors of 4 spins are in another spin basis", name);
  });
  set_gaussian(image, {.seed = 1});
  const detail::SpectrumEnds ends = detail::spectrum_ends(matrix, image);
  const double largest = ends.norm();
  require(ends.finite(), [&] {
    return fmt::format(
        "{}: the largest eigenvalue of the operator is {}: look for NaN, infinity and huge numbers in its links and "
        "masses",
        name, ends.largest);
  });
  const double in_file = file.bits == 32 ? std::numeric_limits<float>::epsilon() : 0.0;
  const double rounding = 2.0 * std::max(in_file, 32.0 * std::numeric_limits<T>::epsilon()) * largest;

  Eigenvectors<T> result;
  result.vectors = std::move(file.fields);
  for (std::size_t i = 0; i < result.vectors.size(); ++i) {
    normalize(result.vectors, i, name);
    const SpinorField<T>& v = result.vectors[i];
    const auto [value, residual] = detail::ritz_pair(matrix, v, image);
    const bool states = !file.info.residuals.empty();
    const double allowed = (states ? 10.0 * file.info.residuals[i] : 0.01 * std::abs(value)) + rounding;
    require(residual <= allowed, [&] {
      const std::string stated = file.info.eigenvalues.empty() || !states
                                     ? std::string("the file states neither eigenvalues nor residuals")
                                     : fmt::format("the file states lambda = {:.10g} and {:.3g}",
                                                   file.info.eigenvalues[i], file.info.residuals[i]);
      return fmt::format(
          "{}: vector {} is no eigenvector of this operator A: |A v - lambda v| = {:.3g} with lambda = <v, A v> = "
          "{:.10g}, where at most {:.3g} is allowed; {}. It belongs to other links, another mass or another action",
          name, i, residual, value, allowed, stated);
    });
    result.values.push_back(value);
    result.residuals.push_back(residual);
  }
  result.converged = true;
  result.applications = static_cast<long>(result.vectors.size());
  return result;
}

template void write_eigenvectors(const std::filesystem::path&, const Eigenvectors<double>&,
                                 const EigenvectorWriteOptions&);
template void write_eigenvectors(const std::filesystem::path&, const Eigenvectors<float>&,
                                 const EigenvectorWriteOptions&);
template Eigenvectors<double> read_eigenvectors(const std::filesystem::path&, const LinearOperator<double>&);
template Eigenvectors<float> read_eigenvectors(const std::filesystem::path&, const LinearOperator<float>&);

}  // namespace kaon
