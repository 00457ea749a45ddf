// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/lanczos_space.hpp"

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

using detail::Enlarged;
using detail::LanczosSpace;
using detail::SymmetricMatrix;

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
    detail::normalize(vectors[k]);
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
  const long count = parameters.count, basis = parameters.basis ? *parameters.basis : 2 * count + 16;
  require(count >= 1 && basis > count + 1 && static_cast<double>(basis) < space, [&] {
    return fmt::format(
        "{} eigenvectors in a space of {} dimensions with a basis of {}: the basis must be larger than "
        "their number and smaller than the space",
        count, space, basis);
  });
  require(parameters.tolerance > 0.0 && parameters.tolerance < 1.0 && parameters.max_restarts >= 0, [&] {
    return fmt::format("eigenvectors to a tolerance of {} in {} restarts: a tolerance between 0 and 1 is possible",
                       parameters.tolerance, parameters.max_restarts);
  });
  return static_cast<int>(basis);
}

/// A filter that enlarges eigenvalues up to `lower` of those up to `upper`, zero by cosh(4) = 27; a linear one where
/// `lower` is not small.
ChebyshevFilter filter_below(double lower, double upper) {
  constexpr double largest_part = 0.5, smallest_part = 4e-6;  // 1000 applications
  if (lower > largest_part * upper) return {.degree = 1, .lower = 0.0, .upper = upper};
  lower = std::max(lower, smallest_part * upper);
  return {.degree = static_cast<int>(std::ceil(2.0 * std::sqrt(upper / lower))), .lower = lower, .upper = upper};
}

/// A filter that is made while eigenvectors are sought. It ends at three times the largest Ritz value of A that is
/// wanted (of a negative one, which rounding or few applications may not have shown before, as far above it), which
/// lies above the eigenvalue: a lower end needs more applications, a higher one more restarts.
class FilterChoice {
 public:
  explicit FilterChoice(double largest) : upper_(detail::above(largest)), filter_(filter_below(0.1 * upper_, upper_)) {}

  const ChebyshevFilter& filter() const { return filter_; }
  /// Takes another filter, if one is much better for these Ritz values.
  template <class T>
  bool improve(const Eigenvectors<T>& found) {
    constexpr int most_improvements = 12;
    constexpr double margin = 3.0, close = 0.3;
    const double lower = found.values.back() + (margin - 1.0) * std::abs(found.values.back());
    const bool good = found.values.back() < filter_.lower && lower > close * filter_.lower;
    if (good || filter_.degree == 1 || ++improvements_ > most_improvements) return false;
    const ChebyshevFilter better = filter_below(lower, upper_);
    if (better.degree == filter_.degree) return false;
    filter_ = better;
    return true;
  }

 private:
  double upper_;
  ChebyshevFilter filter_;
  int improvements_ = 0;
};

/// The iteration with one filter, or with none. `scale`: the largest |eigenvalue|. Where a filter is chosen, it may
/// leave with a better one; `start` is then the sum of the vectors that it has found, and nothing is returned.
template <class T>
std::optional<Eigenvectors<T>> iterate(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters,
                                       FilterChoice* choice, SpinorField<T>& start, double scale, long& applications) {
  const int basis = basis_of(matrix, parameters), count = parameters.count;
  constexpr double rounding = 64.0 * std::numeric_limits<T>::epsilon();
  Enlarged<T> enlarged(matrix, parameters, start);
  LanczosSpace<T> space(matrix, enlarged, basis, start, parameters.seed);
  for (int known = 0, restarts = 0;; ++restarts) {
    const long before = enlarged.applications();
    space.extend(known);
    applications += enlarged.applications() - before;
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
    const bool last = restarts == parameters.max_restarts;
    if (small == count || last || (choice != nullptr && restarts == 0)) {
      Eigenvectors<T> result = measured(matrix, space.largest(spectrum, count), parameters.largest);
      applications += result.applications;
      if (choice != nullptr && (restarts == 0 || small == count) && choice->improve(result)) {
        blas::set_zero(start);
        for (const SpinorField<T>& vector : result.vectors) blas::axpy(start, vector, blas::Reals{1.0});
        return std::nullopt;
      }
      result.converged = true;
      for (std::size_t i = 0; i < result.values.size(); ++i) {
        const bool own = parameters.relative_to_each && (choice != nullptr || !parameters.filter);
        const double unit_of_a = own ? std::abs(result.values[i]) : scale;
        result.converged =
            result.converged && result.residuals[i] <= std::max(parameters.tolerance * unit_of_a, rounding * scale);
      }
      if (result.converged || last) {
        require_outside(result, parameters);
        result.restarts = restarts;
        result.applications = applications;
        return result;
      }
    }
    known = std::min(count + (basis - count) / 2, basis - 1);
    space.restart(spectrum, known);
  }
}

}  // namespace

template <class T>
Eigenvectors<T> find_eigenvectors(const LinearOperator<T>& matrix, const EigenvectorParameters& given) {
  (void)basis_of(matrix, given);  // what makes no sense is refused before any work
  SpinorField<T> start = matrix.make_field(1);
  set_gaussian(start, {.seed = given.seed});
  const detail::SpectrumEnds ends = detail::spectrum_ends(matrix, start);
  const double scale = ends.norm();
  require(ends.finite(), [&] {
    return fmt::format(
        "the largest eigenvalue is {}: look for NaN, infinity and huge numbers in the links and masses of the operator",
        ends.largest);
  });
  if (given.filter && !given.largest && given.filter->lower < given.filter->upper.value_or(0.0)) {
    require(*given.filter->upper >= ends.largest, [&] {
      return fmt::format(
          "a Chebyshev filter that damps eigenvalues up to {}, but the largest is {} or more: raise the upper end",
          *given.filter->upper, ends.largest);
    });
  }
  long applications = 0;
  const bool positive = ends.smallest >= -64.0 * std::numeric_limits<T>::epsilon() * scale && ends.largest > 0.0;
  if (given.filter || given.largest || !positive) {  // choices are for positive operators
    return *iterate<T>(matrix, given, nullptr, start, scale, applications);
  }
  FilterChoice choice(ends.largest);
  for (EigenvectorParameters parameters = given;;) {
    parameters.filter = choice.filter();
    if (auto found = iterate(matrix, parameters, &choice, start, scale, applications)) return std::move(*found);
  }
}

template Eigenvectors<double> find_eigenvectors(const LinearOperator<double>&, const EigenvectorParameters&);
template Eigenvectors<float> find_eigenvectors(const LinearOperator<float>&, const EigenvectorParameters&);

}  // namespace kaon
