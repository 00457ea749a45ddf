// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/first_entry.hpp"
#include "gauge/block_matrix.hpp"
#include "gauge/site_clover.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>

#include <fmt/format.h>
#include <KokkosBatched_LU_Decl.hpp>
#include <KokkosBatched_Trsm_Decl.hpp>

#include <cmath>
#include <optional>
#include <string_view>

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
  const std::optional<detail::SiteEntry> fault = detail::find_first_entry<T>(
      "kaon::exponential_clover", clover.lattice(),
      ExponentialKernel<T>{detail::site_access(out), detail::site_access(clover), diagonal, inverse}, 2);
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

namespace {

using Number = Matrix::Number;

/// residual = 1 - A X; returns its largest element, or infinity for a NaN.
KOKKOS_INLINE_FUNCTION double residual_of_inverse(Matrix& residual, const Matrix& a, const Matrix& x) {
  double largest = 0.0;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) {
      Number sum = row == column ? 1.0 : 0.0;
      for (int k = 0; k < 6; ++k) sum -= a.e[row][k] * x.e[k][column];
      residual.e[row][column] = sum;
      largest = detail::larger(largest, Kokkos::abs(sum.real()) + Kokkos::abs(sum.imag()));
    }
  }
  return largest;
}

/// X = A^-1 by LU decomposition without pivots, improved by Newton's iteration X <- X + X (1 - A X), which makes up for
/// the pivots. Returns the largest element of 1 - A X, or, where A is to be positive and is not, infinity.
KOKKOS_INLINE_FUNCTION double invert(Matrix& x, const Matrix& a, bool positive) {
  using namespace KokkosBatched;
  Matrix lu = a;
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) x.e[row][column] = row == column ? 1.0 : 0.0;
  }
  SerialLU<Algo::LU::Unblocked>::invoke(lu.view());
  for (int row = 0; row < 6; ++row) {
    if (positive && !(lu.e[row][row].real() > 0.0)) return Kokkos::Experimental::infinity_v<double>;
  }
  SerialTrsm<Side::Left, Uplo::Lower, Trans::NoTranspose, Diag::Unit, Algo::Trsm::Unblocked>::invoke(1.0, lu.view(),
                                                                                                     x.view());
  SerialTrsm<Side::Left, Uplo::Upper, Trans::NoTranspose, Diag::NonUnit, Algo::Trsm::Unblocked>::invoke(1.0, lu.view(),
                                                                                                        x.view());

  Matrix residual;
  double largest = residual_of_inverse(residual, a, x);
  double before = 1.0;
  while (largest > 1e-15 && largest < 0.5 * before) {
    Matrix improved = x;
    for (int row = 0; row < 6; ++row) {
      for (int column = 0; column < 6; ++column) {
        for (int k = 0; k < 6; ++k) improved.e[row][column] += x.e[row][k] * residual.e[k][column];
      }
    }
    x = improved;
    before = largest;
    largest = residual_of_inverse(residual, a, x);
  }
  return largest;
}

/// out(x) = in(x)^-1, or (in(x)^2 + shift)^-1 `of_square`, with a shift for each parity; reduces to the first 4 x +
/// chirality, x lexicographic, whose block has no inverse, or whose square with a negative shift is not positive; 2
/// more where the block is not finite.
template <class T>
struct InvertKernel {
  detail::SiteClover<T> out, in;
  bool of_square;
  double even_shift, odd_shift;
  static constexpr double tolerance = 1e-8;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], int& first_singular) const {
    if (!out.holds(x)) return;
    const double shift = (x[0] + x[1] + x[2] + x[3]) % 2 == 0 ? even_shift : odd_shift;
    for (int chirality = 0; chirality < 2; ++chirality) {
      Matrix inverse;
      const Matrix block = detail::unpack(in.load(x, chirality));
      const double residual =
          invert(inverse, of_square ? detail::product(block, block, shift) : block, of_square && shift < 0.0);
      out.store(detail::pack(inverse), x, chirality);
      if (!(residual < tolerance)) {
        const int part = chirality + (detail::is_finite<double>(block) ? 0 : 2);
        first_singular = Kokkos::min(first_singular, 4 * detail::local_number(in.map, x) + part);
      }
    }
  }
};

template <class T>
CloverField<T> inverse_of(const CloverField<T>& clover, bool of_square, const std::array<double, 2>& shifts,
                          Subset subset) {
  const Lattice& lattice = clover.lattice();
  require(clover.subset() == Subset::full || clover.subset() == subset,
          "a clover field of one parity has an inverse on that parity only");
  CloverField<T> inverse(lattice, subset);
  const std::optional<detail::SiteEntry> singular = detail::find_first_entry<T>(
      "kaon::invert_clover", lattice,
      InvertKernel<T>{detail::site_access(inverse), detail::site_access(clover), of_square, shifts[0], shifts[1]}, 4);
  require(!singular, [&] {
    const Coordinates& x = singular->site;
    const std::string_view block = singular->part % 2 == 0 ? "upper" : "lower";
    if (singular->part >= 2) return detail::block_not_finite(x, singular->part % 2 == 0);
    if (of_square && shifts[0] < 0.0) {
      return fmt::format(
          "the {} clover block C at site ({}, {}, {}, {}) makes C^2 - {} not positive: the flavours of this doublet "
          "differ too much for its mass; use a larger mass or mu, or a smaller epsilon",
          block, x[0], x[1], x[2], x[3], -shifts[0]);
    }
    return fmt::format(
        "the {} clover block at site ({}, {}, {}, {}) has no inverse, which even-odd preconditioning needs: the links "
        "there are rough for this mass and csw, or hold huge numbers; use a larger mass or smoother links, or add to "
        "the diagonal of a term of your own",
        block, x[0], x[1], x[2], x[3]);
  });
  return inverse;
}

}  // namespace

template <class T>
CloverField<T> invert_clover(const CloverField<T>& clover, Subset subset) {
  return inverse_of(clover, false, {}, subset);
}

template <class T>
CloverField<T> invert_clover_norm(const CloverField<T>& clover, double twist, Subset subset) {
  return inverse_of(clover, true, {twist * twist, twist * twist}, subset);
}

template <class T>
CloverField<T> invert_clover_norm(const CloverField<T>& clover, const std::array<double, 2>& twists) {
  return inverse_of(clover, true, {twists[0] * twists[0], twists[1] * twists[1]}, Subset::full);
}

template <class T>
CloverField<T> invert_clover_square(const CloverField<T>& clover, double shift) {
  return inverse_of(clover, true, {shift, shift}, Subset::full);
}

#define KAON_INSTANTIATE(T)                                                                        \
  template CloverField<T> exponential_clover(const CloverField<T>&, double);                       \
  template CloverField<T> exponential_clover_inverse(const CloverField<T>&, double);               \
  template CloverField<T> invert_clover(const CloverField<T>&, Subset);                            \
  template CloverField<T> invert_clover_norm(const CloverField<T>&, double, Subset);               \
  template CloverField<T> invert_clover_norm(const CloverField<T>&, const std::array<double, 2>&); \
  template CloverField<T> invert_clover_square(const CloverField<T>&, double);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon
