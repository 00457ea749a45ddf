// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/agreement.hpp"
#include "solvers/eigen/lanczos_space.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/random.hpp>
#include <kaon/solvers/eigenvectors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace kaon {
namespace {

using detail::FilteredOperator;
using detail::LanczosSpace;
using detail::RandomVectors;
using detail::SymmetricMatrix;

/// All that processes must agree on.
std::string describe(const EigenvectorParameters& given) {
  std::string text = fmt::format("count {}, {}, basis {}, tolerance {}{}, max_restarts {}, seed {}", given.count,
                                 given.largest ? "largest" : "smallest", given.basis.value_or(0), given.tolerance,
                                 given.relative_to_each ? " of each" : "", given.max_restarts, given.seed);
  if (given.filter) {
    text += fmt::format(", filter of degree {} from {} to {}", given.filter->degree, given.filter->lower,
                        given.filter->upper.value_or(0.0));
  }
  return text;
}

/// Eigenvalues and residuals of `vectors`, and their order.
template <class T>
Eigenvectors<T> measured(const LinearOperator<T>& matrix, std::vector<SpinorField<T>> vectors, bool largest) {
  struct Pair : detail::RitzPair {
    std::size_t of;
  };
  std::vector<Pair> pairs;
  SpinorField<T> image = matrix.make_field(1);
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    detail::normalize(vectors[k]);
    pairs.push_back({detail::ritz_pair(matrix, vectors[k], image), k});
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

/// Throws `Error` unless the filter enlarges all eigenvalues that were found: only outside of its range it is
/// monotonic, unless it is linear.
template <class T>
void require_outside(const Eigenvectors<T>& found, const EigenvectorParameters& parameters) {
  if (!found.converged || !parameters.filter || parameters.filter->degree == 1) return;
  const bool largest = parameters.largest;
  const double end = largest ? *parameters.filter->upper : parameters.filter->lower;
  const auto outside = std::ranges::count_if(found.values, [&](double of) { return largest ? of > end : of < end; });
  require(static_cast<std::size_t>(outside) == found.values.size(), [&] {
    return fmt::format(
        "a Chebyshev filter that damps eigenvalues {} {}, but {} of the {} {} ones have been found {} it: {} the end",
        largest ? "up to" : "from", end, outside, found.values.size(), largest ? "largest" : "smallest",
        largest ? "above" : "below", largest ? "lower" : "raise");
  });
}

/// Throws `Error` for a filter that enlarges no eigenvalue: its eigenvalues, whose largest one `ritz` approaches from
/// below, are then 1 at most, and very dense.
void require_filtered(double ritz, const EigenvectorParameters& parameters, double rounding) {
  if (!parameters.filter || parameters.filter->degree == 1) return;
  require(ritz > 1.0 + rounding * parameters.filter->degree, [&] {
    return parameters.largest
               ? fmt::format("a Chebyshev filter that damps eigenvalues up to {}, and none lies above: lower the end",
                             *parameters.filter->upper)
               : fmt::format("a Chebyshev filter that damps eigenvalues from {} on, and none lies below: raise the end",
                             parameters.filter->lower);
  });
}

/// The dimension of the space on which the operator acts.
template <class T>
double dimension_of(const LinearOperator<T>& matrix) {
  const SpinorField<T> field = matrix.make_field(1);
  return static_cast<double>(field.parameters().components_of_all_slices()) *
         static_cast<double>(field.lattice().volume()) * field.parities() / 2.0;
}

/// Vectors of the basis.
template <class T>
int basis_of(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters) {
  const double space = dimension_of(matrix);
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

/// When an eigenvector of B, the filtered operator, is good enough.
struct Accuracy {
  double tolerance;
  bool relative_to_each;
  double rounding;

  Accuracy(const EigenvectorParameters& parameters, double precision)
      : tolerance(parameters.tolerance), relative_to_each(parameters.relative_to_each), rounding(64.0 * precision) {}

  /// The residual that is small enough for an eigenvalue of B, if the largest one is `size`.
  double bound(double value, double size) const {
    return std::max(tolerance * (relative_to_each ? std::abs(value) : size), rounding * size);
  }
};

/// The i-th largest Ritz value of B and its residual.
struct Ritz {
  double value, residual;
  template <class T>
  Ritz(const LanczosSpace<T>& space, const SymmetricMatrix::Spectrum& spectrum, int i) {
    const std::size_t of = spectrum.values.size() - 1 - static_cast<std::size_t>(i);
    value = spectrum.values[of];
    residual = space.beta * std::abs(spectrum.vectors[of].back());
  }
};

double size_of(const SymmetricMatrix::Spectrum& spectrum) {
  return std::max(std::abs(spectrum.values.front()), std::abs(spectrum.values.back()));
}

/// Lanczos' method sees one vector of each eigenspace, the part of its first vector in it, and others by rounding. A
/// random vector that is orthogonal to all that have been found has a part along each that is missing: this iteration
/// starts with it and returns eigenvectors of B whose eigenvalues lie above the least one that was found. An empty list
/// means that no vector is missing, no value that the restarts ran out before that was known.
template <class T>
std::optional<std::vector<SpinorField<T>>> missing(LanczosSpace<T>& space, const Accuracy& accuracy, double least,
                                                   double space_dimension, int max_restarts, int& restarts) {
  constexpr int steps_before_a_look = 8;
  // The part of a random vector along an eigenvector is about one over the square root of the dimension.
  const double smallest_part = 1e-4 / std::sqrt(space_dimension);
  int steps = 0;
  for (double size = 0.0;; ++restarts) {
    while (space.size < space.dimension) {
      const int before = space.size;
      space.extend(std::min(space.size + steps_before_a_look, space.dimension));
      steps += space.size - before;
      const SymmetricMatrix::Spectrum spectrum = space.spectrum();
      size = std::max({size, size_of(spectrum), std::abs(least)});
      const double clearly = least + 2.0 * accuracy.bound(least, size);
      int above = 0, small = 0;
      for (; above < space.size && Ritz(space, spectrum, above).value > clearly; ++above) {
        const Ritz ritz(space, spectrum, above);
        if (small == above && ritz.residual <= accuracy.bound(ritz.value, size)) ++small;
      }
      if (small > 0 && small >= std::min(above, std::max(1, space.dimension / 2)))
        return space.largest(spectrum, small);
      if (above > 0) continue;
      const Ritz first(space, spectrum, 0);
      if (first.residual <= accuracy.bound(first.value, size)) return std::vector<SpinorField<T>>();
      // An eigenvalue at `least` would show: its part has grown by Chebyshev's T_steps of its distance to the others
      // (Y. Saad, SIAM J. Numer. Anal. 17 (1980) 687).
      const double top = first.value + first.residual, bottom = spectrum.values.front();
      const double growth = top < least ? steps * std::acosh(1.0 + 2.0 * (least - top) / (top - bottom)) : 0.0;
      if (growth > -std::log(smallest_part)) return std::vector<SpinorField<T>>();
    }
    if (restarts == max_restarts) return std::nullopt;
    space.restart(space.spectrum(), space.dimension / 2);
  }
}

/// Adds to `found` what the iteration has missed, until nothing is missing or the restarts are spent. Returns whether
/// nothing is missing.
template <class T>
bool complete(Eigenvectors<T>& found, const LinearOperator<T>& matrix, FilteredOperator<T>& filtered,
              const EigenvectorParameters& parameters, RandomVectors& random, int& restarts) {
  constexpr int largest_space = 32;
  const std::size_t count = found.vectors.size();
  const Accuracy accuracy(parameters, std::numeric_limits<T>::epsilon());
  const int dimension = std::min(largest_space, basis_of(matrix, parameters) - parameters.count);
  const double whole_space = dimension_of(matrix);
  for (;;) {
    LanczosSpace<T> space(matrix, filtered, dimension, std::span<const SpinorField<T>>(found.vectors), random);
    double least = filtered.value(found.values.back());
    for (const double value : found.values) least = std::min(least, filtered.value(value));
    auto more = missing(space, accuracy, least, whole_space, parameters.max_restarts, restarts);
    if (!more) return false;
    if (more->empty()) return true;
    std::vector<SpinorField<T>> vectors = std::move(found.vectors);
    for (SpinorField<T>& vector : *more) vectors.push_back(std::move(vector));
    const long applications = found.applications;
    found = measured(matrix, std::move(vectors), parameters.largest);
    found.applications += applications;
    found.values.resize(count);
    found.residuals.resize(count);
    found.vectors.erase(found.vectors.begin() + static_cast<std::ptrdiff_t>(count), found.vectors.end());
  }
}

/// The iteration with one filter, or without. `scale`: the largest |eigenvalue|. With a `choice`, it may end early to
/// use a better filter: `start` is then the sum of the vectors that it has found, and it returns no value.
template <class T>
std::optional<Eigenvectors<T>> iterate(const LinearOperator<T>& matrix, const EigenvectorParameters& parameters,
                                       FilterChoice* choice, SpinorField<T>& start, double scale, long& applications) {
  constexpr int restarts_before_a_look = 4;
  const int basis = basis_of(matrix, parameters), count = parameters.count;
  const Accuracy accuracy(parameters, std::numeric_limits<T>::epsilon());
  const auto are_good = [&](const Eigenvectors<T>& found) {
    const bool own = parameters.relative_to_each && (choice != nullptr || !parameters.filter);
    bool good = true;
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      const double unit = own ? std::abs(found.values[i]) : scale;
      good = good && found.residuals[i] <= std::max(accuracy.tolerance * unit, accuracy.rounding * scale);
    }
    return good;
  };
  FilteredOperator<T> filtered(matrix, parameters, start);
  RandomVectors random{parameters.seed};
  std::optional<LanczosSpace<T>> space(std::in_place, matrix, filtered, basis, start, random);
  for (int restarts = 0;; ++restarts) {
    const long before = filtered.applications();
    space->extend(basis);
    applications += filtered.applications() - before;
    const SymmetricMatrix::Spectrum spectrum = space->spectrum();
    const double size = size_of(spectrum);
    int small = 0;
    for (; small < count; ++small) {
      const Ritz ritz(*space, spectrum, small);
      if (ritz.residual > accuracy.bound(ritz.value, size)) break;
    }
    const bool last = restarts == parameters.max_restarts;
    if (choice == nullptr && restarts == restarts_before_a_look) {
      require_filtered(spectrum.values.back(), parameters, accuracy.rounding);
    }
    if (small == count || last || (choice != nullptr && restarts == 0)) {
      Eigenvectors<T> result = measured(matrix, space->largest(spectrum, count), parameters.largest);
      applications += result.applications;
      if (choice != nullptr && (restarts == 0 || small == count) && choice->improve(result)) {
        blas::set_zero(start);
        for (const SpinorField<T>& vector : result.vectors) blas::axpy(start, vector, 1.0);
        return std::nullopt;
      }
      result.converged = are_good(result);
      if (result.converged || last) {
        if (result.converged) {
          space.reset();  // its memory is for the search
          const long so_far = filtered.applications();
          result.applications = 0;
          result.complete = complete(result, matrix, filtered, parameters, random, restarts);
          result.converged = are_good(result);
          applications += filtered.applications() - so_far + result.applications;
        }
        require_outside(result, parameters);
        result.restarts = restarts;
        result.applications = applications;
        return result;
      }
    }
    space->restart(spectrum, std::min(count + (basis - count) / 2, basis - 1));
  }
}

}  // namespace

template <class T>
Eigenvectors<T> find_eigenvectors(const LinearOperator<T>& matrix, const EigenvectorParameters& given) {
  detail::require_same(matrix.lattice().communicator(), "searches for eigenvectors", describe(given));
  (void)basis_of(matrix, given);  // what makes no sense is refused before any work
  SpinorField<T> start = matrix.make_field(1);
  set_gaussian(start, {.seed = given.seed});
  const detail::SpectrumEnds ends = detail::spectrum_ends(matrix, start);
  const double scale = ends.norm();
  if (!ends.finite()) {
    throw SolveError(fmt::format(
        "the largest eigenvalue is {}: look for NaN, infinity and huge numbers in the links and masses of the operator",
        ends.largest));
  }
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

template <class T>
Eigenvectors<T> in_16_bits(Eigenvectors<T> eigenvectors) {
  for (SpinorField<T>& v : eigenvectors.vectors) {
    const SpinorField<T> whole = std::move(v);  // its memory is free for the next one
    SpinorField<half>& rounded = eigenvectors.rounded.emplace_back(whole.lattice(), whole.parameters());
    blas::copy(rounded, whole);
  }
  eigenvectors.vectors.clear();
  return eigenvectors;
}

template Eigenvectors<double> in_16_bits(Eigenvectors<double>);
template Eigenvectors<float> in_16_bits(Eigenvectors<float>);
template Eigenvectors<double> find_eigenvectors(const LinearOperator<double>&, const EigenvectorParameters&);
template Eigenvectors<float> find_eigenvectors(const LinearOperator<float>&, const EigenvectorParameters&);

}  // namespace kaon
