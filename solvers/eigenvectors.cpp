// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/largest_eigenvalue.hpp"
#include "solvers/symmetric_matrix.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace kaon {
namespace {

using detail::SymmetricMatrix;

/// The operator whose largest eigenvalues are wanted: -A, or A for the largest ones of A, or the filter of A.
template <class T>
class Enlarged {
 public:
  Enlarged(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters, const SpinorField<T>& start)
      : matrix_(matrix), filter_(parameters.filter), sign_(parameters.largest ? 1.0 : -1.0) {
    const std::optional<ChebyshevFilter>& filter = filter_;
    if (!filter) return;
    require(filter->upper || !parameters.largest,
            "a Chebyshev filter for the largest eigenvalues needs the upper end of the range that it damps");
    upper_ = filter->upper ? *filter->upper : 1.1 * detail::largest_eigenvalue(matrix, start);
    require(std::isfinite(filter->lower) && std::isfinite(upper_) && filter->lower < upper_ && filter->degree >= 1,
            [&] {
              return fmt::format(
                  "a Chebyshev filter of degree {} that damps eigenvalues from {} to {}: give a degree from 1 "
                  "on and a range",
                  filter->degree, filter->lower, upper_);
            });
    kept_.push_back(matrix.make_field(1));
    kept_.push_back(matrix.make_field(1));
  }

  void apply(SpinorField<T>& out, const SpinorField<T>& in) {
    if (!filter_) {
      matrix_.apply(out, in);
      ++applications_;
      if (sign_ < 0.0) blas::scale(out, blas::Reals{-1.0});
      return;
    }
    // T_0 = 1, T_1 = x, T_(n+1) = 2 x T_n - T_(n-1) with x = (centre - A) / width or (A - centre) / width
    SpinorField<T>*before = &kept_[0], *here = &kept_[1];
    blas::copy(*before, in);
    times_x(*here, in, 1.0);
    for (int n = 1; n < filter_->degree; ++n) {
      times_x(out, *here, 2.0);
      blas::axpy(out, *before, blas::Reals{-1.0});
      std::swap(before, here);
      blas::copy(*here, out);
    }
    if (filter_->degree == 1) blas::copy(out, *here);
  }
  long applications() const { return applications_; }

 private:
  /// out = factor x in
  void times_x(SpinorField<T>& out, const SpinorField<T>& in, double factor) {
    const double centre = 0.5 * (upper_ + filter_->lower), width = 0.5 * (upper_ - filter_->lower);
    matrix_.apply(out, in);
    ++applications_;
    blas::scale(out, blas::Reals{sign_ * factor / width});
    blas::axpy(out, in, blas::Reals{-sign_ * factor * centre / width});
  }

  const LinearOperator<T>& matrix_;
  std::optional<ChebyshevFilter> filter_;
  double sign_;
  double upper_ = 0.0;
  std::vector<SpinorField<T>> kept_;
  long applications_ = 0;
};

template <class T>
double normalize(SpinorField<T>& v) {
  const double norm = std::sqrt(blas::norm2(v)[0]);
  blas::scale(v, blas::Reals{1.0 / norm});
  return norm;
}

/// w minus its parts along orthonormal vectors, twice, since the first time leaves rounding errors of its parts.
template <class T>
void orthogonalize(SpinorField<T>& w, std::span<const SpinorField<T>> vectors) {
  for (int time = 0; time < 2; ++time) {
    std::vector<blas::Complexes> parts = blas::block_inner_product<T>(vectors, w).products;
    for (blas::Complexes& part : parts) part[0] = -part[0];
    blas::block_caxpy<T>(w, vectors, parts);
  }
}

/// Vectors v_0, ..., v_m with B v_j = sum_i v_i H_ij for j < m, and beta v_m besides for j = m - 1.
template <class T>
struct LanczosSpace {
  const LinearOperator<T>& matrix;
  Enlarged<T>& enlarged;
  std::uint64_t seed;
  int dimension;                        // m
  std::vector<SpinorField<T>> vectors;  // m + 1
  SymmetricMatrix projected;            // H
  double beta = 0.0;
  std::uint32_t starts = 0;

  LanczosSpace(const LinearOperator<T>& a, Enlarged<T>& b, int m, const SpinorField<T>& first_vector, std::uint64_t key)
      : matrix(a), enlarged(b), seed(key), dimension(m), projected(m) {
    for (int j = 0; j <= m; ++j) vectors.push_back(matrix.make_field(1));
    blas::copy(at(0), first_vector);
    normalize(at(0));
  }

  std::span<const SpinorField<T>> first(int count) const {
    return std::span<const SpinorField<T>>(vectors).first(static_cast<std::size_t>(count));
  }
  SpinorField<T>& at(int j) { return vectors[static_cast<std::size_t>(j)]; }

  /// A random vector orthogonal to those before number j.
  void start(int j) {
    set_gaussian(at(j), {.seed = seed, .stream = ++starts});
    orthogonalize<T>(at(j), first(j));
    normalize(at(j));
  }

  /// Vectors from number `known` + 1 on.
  void extend(int known) {
    for (int j = known; j < dimension; ++j) {
      SpinorField<T>& next = at(j + 1);
      enlarged.apply(next, at(j));
      const double diagonal = blas::inner_product(at(j), next)[0].real();
      projected.set(j, j, diagonal);
      orthogonalize<T>(next, first(j + 1));
      beta = std::sqrt(blas::norm2(next)[0]);
      require(std::isfinite(beta), "Lanczos' method met a number that is not finite");
      if (beta > std::numeric_limits<T>::epsilon() * std::abs(diagonal)) {
        blas::scale(next, blas::Reals{1.0 / beta});
      } else {  // an invariant space: go on outside of it
        beta = 0.0;
        start(j + 1);
      }
      if (j + 1 < dimension) projected.set(j, j + 1, beta);
    }
  }

  /// The vectors sum_j y_j v_j of the last `count` eigenvectors y of H, largest eigenvalue first.
  std::vector<SpinorField<T>> largest(const SymmetricMatrix::Spectrum& spectrum, int count) const {
    std::vector<SpinorField<T>> result;
    for (int i = 0; i < count; ++i) {
      const std::vector<double>& y = spectrum.vectors[spectrum.vectors.size() - 1 - static_cast<std::size_t>(i)];
      std::vector<blas::Complexes> coefficients;
      for (const double part : y) coefficients.push_back({part});
      result.push_back(matrix.make_field(1));
      blas::block_caxpy<T>(result.back(), first(dimension), coefficients);
    }
    return result;
  }

  /// Begins anew with `count` of these vectors and v_m.
  void restart(const SymmetricMatrix::Spectrum& spectrum, int count) {
    std::vector<SpinorField<T>> kept = largest(spectrum, count);
    kept.push_back(std::move(at(dimension)));
    projected = SymmetricMatrix(dimension);
    for (int i = 0; i < count; ++i) {
      const std::size_t of = spectrum.vectors.size() - 1 - static_cast<std::size_t>(i);
      projected.set(i, i, spectrum.values[of]);
      projected.set(i, count, beta * spectrum.vectors[of].back());
    }
    for (int j = count + 1; j <= dimension; ++j) kept.push_back(std::move(at(j - count - 1)));
    vectors = std::move(kept);
  }
};

/// Eigenvalues and residuals of `vectors`, and their order.
template <class T>
Eigenvectors<T> measured(const LinearOperator<T>& matrix, std::vector<SpinorField<T>> vectors, bool largest) {
  struct Pair {
    double value, residual;
    std::size_t of;
  };
  std::vector<Pair> pairs;
  SpinorField<T> image = matrix.make_field(1);
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    normalize(vectors[k]);
    matrix.apply(image, vectors[k]);
    const double value = blas::inner_product(vectors[k], image)[0].real();
    blas::axpy(image, vectors[k], blas::Reals{-value});
    pairs.push_back({value, std::sqrt(blas::norm2(image)[0]), k});
  }
  std::ranges::sort(pairs, {}, [&](const Pair& pair) { return largest ? -pair.value : pair.value; });
  Eigenvectors<T> result;
  for (const Pair& pair : pairs) {
    result.values.push_back(pair.value);
    result.residuals.push_back(pair.residual);
    result.vectors.push_back(std::move(vectors[pair.of]));
  }
  result.applications = static_cast<long>(vectors.size());
  return result;
}

/// Throws `Error` unless the filter enlarges all that has been found: only there it keeps the order of eigenvalues,
/// unless it is linear.
template <class T>
void require_outside(const Eigenvectors<T>& found, const EigenvectorParameters& parameters) {
  if (!found.converged || !parameters.filter || parameters.filter->degree == 1) return;
  const double last = found.values.back(), lower = parameters.filter->lower;
  if (parameters.largest) {
    const double upper = *parameters.filter->upper;
    require(last > upper, [&] {
      return fmt::format(
          "a Chebyshev filter that damps eigenvalues up to {}, but number {} of the largest is {}: lower the upper end",
          upper, found.values.size(), last);
    });
  } else {
    require(last < lower, [&] {
      return fmt::format(
          "a Chebyshev filter that damps eigenvalues from {} on, but number {} of the smallest is {}: raise the lower "
          "end",
          lower, found.values.size(), last);
    });
  }
}

/// Vectors of the basis.
template <class T>
int basis_of(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters) {
  const SpinorField<T> field = matrix.make_field(1);
  const double space =
      static_cast<double>(field.components()) * static_cast<double>(field.lattice().volume()) * field.parities() / 2.0;
  const int count = parameters.count, basis = parameters.basis.value_or(2 * count + 16);
  require(count >= 1 && basis > count + 1 && basis < space, [&] {
    return fmt::format(
        "{} eigenvectors in a space of {} dimensions with a basis of {}: the basis must be larger than "
        "their number and smaller than the space",
        count, space, basis);
  });
  require(parameters.tolerance > 0.0 && parameters.tolerance < 1.0 && parameters.max_restarts >= 0, [&] {
    return fmt::format("eigenvectors to a tolerance of {} in {} restarts: a tolerance between 0 and 1 is possible",
                       parameters.tolerance, parameters.max_restarts);
  });
  return basis;
}

/// The iteration with one filter, or with none. `scale`: the largest |eigenvalue|.
template <class T>
Eigenvectors<T> iterate(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters, bool filter_is_chosen,
                        const SpinorField<T>& start, double scale) {
  const int basis = basis_of(matrix, parameters), count = parameters.count;
  constexpr double rounding = 64.0 * std::numeric_limits<T>::epsilon();
  Enlarged<T> enlarged(matrix, parameters, start);
  LanczosSpace<T> space(matrix, enlarged, basis, start, parameters.seed);
  long measurements = 0;
  for (int known = 0, restarts = 0;; ++restarts) {
    space.extend(known);
    const SymmetricMatrix::Spectrum spectrum = space.projected.spectrum();
    const auto residual = [&](int i) {  // of B, of its i-th largest eigenvalue
      return space.beta * std::abs(spectrum.vectors[spectrum.vectors.size() - 1 - static_cast<std::size_t>(i)].back());
    };
    const double size = std::max(std::abs(spectrum.values.front()), std::abs(spectrum.values.back()));
    const auto unit = [&](int i) {
      return parameters.relative_to_each
                 ? std::abs(spectrum.values[spectrum.values.size() - 1 - static_cast<std::size_t>(i)])
                 : size;
    };
    int small = 0;
    while (small < count && residual(small) <= std::max(parameters.tolerance * unit(small), rounding * size)) ++small;
    if (small == count || restarts == parameters.max_restarts) {
      Eigenvectors<T> result = measured(matrix, space.largest(spectrum, count), parameters.largest);
      measurements += result.applications;
      result.converged = true;
      for (std::size_t i = 0; i < result.values.size(); ++i) {
        const bool own = parameters.relative_to_each && (filter_is_chosen || !parameters.filter);
        const double unit_of_a = own ? std::abs(result.values[i]) : scale;
        result.converged =
            result.converged && result.residuals[i] <= std::max(parameters.tolerance * unit_of_a, rounding * scale);
      }
      if (result.converged || restarts == parameters.max_restarts) {
        result.restarts = restarts;
        result.applications = enlarged.applications() + measurements;
        return result;
      }
    }
    known = std::min(count + (basis - count) / 2, basis - 1);
    space.restart(spectrum, known);
  }
}

/// A filter that enlarges eigenvalues up to `lower` of those up to `upper`: zero by cosh(4) = 27, or, where `lower` is
/// not small, a linear one.
ChebyshevFilter filter_below(double lower, double upper) {
  constexpr double largest_part = 0.5, smallest_part = 4e-6;  // 1000 applications
  if (lower > largest_part * upper) return {.degree = 1, .lower = 0.0, .upper = upper};
  lower = std::max(lower, smallest_part * upper);
  return {.degree = static_cast<int>(std::ceil(2.0 * std::sqrt(upper / lower))), .lower = lower, .upper = upper};
}

/// A filter for the smallest eigenvalues. Each one gives Ritz values of A, which lie above them and below which the
/// next filter ends, until that is no longer much lower. Replaces `start` by the sum of the last Ritz vectors.
template <class T>
ChebyshevFilter choose_filter(const LinearOperator<T>& matrix, EigenvectorParameters parameters, SpinorField<T>& start,
                              double scale, long& applications) {
  constexpr int most_attempts = 10;
  constexpr double margin = 1.3, close = 0.5;
  const double upper = 1.1 * scale;
  parameters.filter = filter_below(0.1 * upper, upper);
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    Enlarged<T> enlarged(matrix, parameters, start);
    LanczosSpace<T> space(matrix, enlarged, basis_of(matrix, parameters), start, parameters.seed);
    space.extend(0);
    const Eigenvectors<T> found =
        measured(matrix, space.largest(space.projected.spectrum(), parameters.count), parameters.largest);
    applications += enlarged.applications() + found.applications;
    blas::set_zero(start);
    for (const SpinorField<T>& vector : found.vectors) blas::axpy(start, vector, blas::Reals{1.0});
    const double before = parameters.filter->lower, lower = margin * found.values.back();
    if (lower <= before && lower > close * before) break;
    parameters.filter = filter_below(lower, upper);
    if (parameters.filter->degree == 1 || parameters.filter->lower == before) break;
  }
  return *parameters.filter;
}

}  // namespace

template <class T>
Eigenvectors<T> find_eigenvectors(const LinearOperator<T>& matrix, const EigenvectorParameters& given) {
  (void)basis_of(matrix, given);  // what makes no sense is refused before any work
  SpinorField<T> start = matrix.make_field(1);
  set_gaussian(start, {.seed = given.seed});
  const double scale = std::abs(detail::largest_eigenvalue(matrix, start));
  if (given.filter && !given.largest && given.filter->lower < given.filter->upper.value_or(0.0)) {
    require(*given.filter->upper >= scale, [&] {
      return fmt::format(
          "a Chebyshev filter that damps eigenvalues up to {}, but the largest is {} or more: raise the upper end",
          *given.filter->upper, scale);
    });
  }
  EigenvectorParameters parameters = given;
  const bool choose = !given.filter && !given.largest && scale > 0.0;
  long applications = 0;
  if (choose) parameters.filter = choose_filter(matrix, parameters, start, scale, applications);
  for (;;) {
    Eigenvectors<T> found = iterate(matrix, parameters, choose, start, scale);
    found.applications += applications;
    const bool within =
        choose && found.converged && parameters.filter->degree > 1 && found.values.back() >= parameters.filter->lower;
    if (!within) {
      require_outside(found, parameters);
      return found;
    }
    applications = found.applications;
    parameters.filter = filter_below(2.0 * found.values.back(), *parameters.filter->upper);
  }
}

template Eigenvectors<double> find_eigenvectors(const LinearOperator<double>&, const EigenvectorParameters&);
template Eigenvectors<float> find_eigenvectors(const LinearOperator<float>&, const EigenvectorParameters&);

}  // namespace kaon
