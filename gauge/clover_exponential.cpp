// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/first_entry.hpp"
#include "core/lattice/single_sites.hpp"
#include "gauge/block_matrix.hpp"
#include "gauge/site_clover.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

namespace kaon {
namespace {

using Matrix = detail::BlockMatrix;

/// Degree of the series where the absolute values of the elements of X add up to at most 1/2: the terms that are left
/// out are below 1e-17.
constexpr int degree = 14;
/// Halvings of the largest matrices that are exponentiated, of size 2^39; also where X holds a NaN.
constexpr int most_halvings = 40;

/// exp(X) = sum_n X^n/n! by Horner's rule, E <- 1/n! + X E, of X/2^k that is at most 1/2, and k squarings.
KOKKOS_INLINE_FUNCTION Matrix exponential(Matrix x) {
  double size = 0.0;
  for (const auto& row : x.e) {
    for (const auto& element : row) size += Kokkos::abs(element.real()) + Kokkos::abs(element.imag());
  }
  int halvings = 0;
  double factor = 1.0;
  for (; halvings < most_halvings && !(factor * size <= 0.5); ++halvings) factor *= 0.5;
  x = detail::scaled(x, factor);
  double coefficient = 1.0;
  for (int n = 2; n <= degree; ++n) coefficient /= n;
  Matrix e = detail::product(x, detail::scaled(x, 0.0), coefficient);
  for (int n = degree; n > 0; --n) {
    coefficient *= n;
    e = detail::product(x, e, coefficient);
  }
  for (int k = 0; k < halvings; ++k) e = detail::product(e, e, 0.0);
  return e;
}

constexpr int all_finite = std::numeric_limits<int>::max();

/// out(x) = d exp(C(x)/d - 1), or its inverse, exp(1 - C(x)/d)/d; reduces to the first 2 x + chirality, x
/// lexicographic, whose block is not finite.
template <class T>
struct ExponentialKernel {
  detail::SiteClover<T> out, in;
  double diagonal;
  bool inverse;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], int& first_fault) const {
    if (!out.holds(x)) return;
    for (int chirality = 0; chirality < 2; ++chirality) {
      const double sign = inverse ? -1.0 : 1.0;
      Matrix exponent = detail::scaled(detail::unpack(in.load(x, chirality)), sign / diagonal);
      for (int row = 0; row < 6; ++row) exponent.e[row][row] -= sign;
      const Matrix e = detail::scaled(exponential(exponent), inverse ? 1.0 / diagonal : diagonal);
      out.store(detail::pack(e), x, chirality);
      if (!detail::is_finite<T>(e)) {
        first_fault = Kokkos::min(first_fault, 2 * detail::local_number(in.map, x) + chirality);
      }
    }
  }
};

template <class T>
CloverField<T> exponential_of(const CloverField<T>& clover, double diagonal, bool inverse) {
  require(std::isfinite(diagonal) && diagonal != 0.0, [&] {
    return fmt::format("the exponential of a clover term is one of C/d with a number d, not {}", diagonal);
  });
  CloverField<T> out(clover.lattice(), clover.subset());
  int first_fault = all_finite;
  detail::reduce_single_sites<T>(
      "kaon::exponential_clover", clover.lattice(),
      ExponentialKernel<T>{detail::site_access(out), detail::site_access(clover), diagonal, inverse},
      Kokkos::Min<int>(first_fault));
  const auto found = first_fault == all_finite ? std::nullopt : std::optional(first_fault);
  const std::optional<detail::SiteEntry> fault = detail::first_entry(clover.lattice(), found, 2);
  require(!fault, [&] { return detail::block_not_finite(fault->site, fault->part == 0); });
  return out;
}

}  // namespace

template <class T>
CloverField<T> exponential_clover(const CloverField<T>& clover, double diagonal) {
  return exponential_of(clover, diagonal, false);
}

template <class T>
CloverField<T> exponential_clover_inverse(const CloverField<T>& clover, double diagonal) {
  return exponential_of(clover, diagonal, true);
}

template CloverField<double> exponential_clover(const CloverField<double>&, double);
template CloverField<float> exponential_clover(const CloverField<float>&, double);
template CloverField<double> exponential_clover_inverse(const CloverField<double>&, double);
template CloverField<float> exponential_clover_inverse(const CloverField<float>&, double);

}  // namespace kaon
