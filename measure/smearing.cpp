// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/operators/covariant_sum.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

/// `steps` times chi <- (1 - 2 D a) chi + a sum of products of two links and chi two sites ahead and behind.
template <class T>
void smear_over_two_links(SpinorField<T>& chi, const GaugeField<T>& links, double a, int dimensions, int steps) {
  SpinorField<T> sum(chi.lattice(), chi.parameters()), once(chi.lattice(), chi.parameters()),
      twice(chi.lattice(), chi.parameters());
  const auto times = [&](double number) {
    return blas::Reals(static_cast<std::size_t>(chi.right_hand_sides()), number);
  };
  for (int step = 0; step < steps; ++step) {
    blas::copy(sum, chi);
    blas::scale(sum, times(1.0 - 2.0 * dimensions * a));
    for (int mu = 0; mu < dimensions; ++mu) {
      for (const bool forward : {true, false}) {
        const CovariantShift shift{.direction = mu, .forward = forward};
        covariant_shift(once, chi, links, shift);
        covariant_shift(twice, once, links, shift);
        blas::axpy(sum, twice, times(a));
      }
    }
    blas::copy(chi, sum);
  }
}

void require_positive(double width, int steps) {
  require(std::isfinite(width) && width > 0.0,
          [&] { return fmt::format("smearing width must be positive, got {}", width); });
  require(steps > 0, [&] { return fmt::format("smearing needs at least one step, got {}", steps); });
}

}  // namespace

template <class T>
void gaussian_smear(SpinorField<T>& chi, const GaugeField<T>& links, const GaussianSmearingParameters& parameters) {
  const detail::Phase phase(detail::PhaseName::source);
  require_positive(parameters.width, parameters.steps);
  require(parameters.stride == 1 || parameters.stride == 2,
          [&] { return fmt::format("smearing over {} links at a time: 1 and 2 are possible", parameters.stride); });
  require(parameters.dimensions == 3 || parameters.dimensions == 4,
          [&] { return fmt::format("smearing in {} dimensions: 3 and 4 are possible", parameters.dimensions); });
  require(chi.lattice() == links.lattice(), [&] {
    return fmt::format("a field on lattice {} cannot be smeared by links on lattice {}",
                       to_string(chi.lattice().extents()), to_string(links.lattice().extents()));
  });
  require(chi.colors() == 3 && chi.subset() == Subset::full, [&] {
    return fmt::format("smearing needs a field of 3 colours on both parities, not {} colours on {}", chi.colors(),
                       chi.parities() == 2 ? "both" : "one");
  });
  if (parameters.time.has_value()) {
    const int length = chi.lattice().extents()[3];
    require(*parameters.time >= 0 && *parameters.time < length, [&] {
      return fmt::format("smearing of the slice t = {}: the lattice has t = 0 to {}", *parameters.time, length - 1);
    });
    require(parameters.stride == 1 && parameters.dimensions == 3, [&] {
      return fmt::format("smearing of one slice takes one link at a time in 3 dimensions, not {} in {}",
                         parameters.stride, parameters.dimensions);
    });
  }
  const double stride = parameters.stride, dimensions = parameters.dimensions;
  const double a = parameters.width * parameters.width / (4.0 * parameters.steps * stride * stride);
  require(std::isfinite(2.0 * dimensions * a),
          [&] { return fmt::format("the weight of a step overflows for the width {}", parameters.width); });
  if (parameters.stride == 2) return smear_over_two_links(chi, links, a, parameters.dimensions, parameters.steps);
  const std::array<bool, 4> directions{true, true, true, parameters.dimensions == 4};
  detail::repeat_covariant_sum(
      chi, links, {.forward = directions, .backward = directions, .weight = a, .center = 1.0 - 2.0 * dimensions * a},
      parameters.steps, parameters.time);
}

void require_stable_smearing(double width, int steps) {
  require_positive(width, steps);
  if (width * width <= 2.0 / 3.0 * steps) return;
  throw ParameterError("width", fmt::format("smearing to {} in {} steps grows without bound: width^2 is at most 2/3 of "
                                            "the steps",
                                            width, steps));
}

template void gaussian_smear(SpinorField<double>&, const GaugeField<double>&, const GaussianSmearingParameters&);
template void gaussian_smear(SpinorField<float>&, const GaugeField<float>&, const GaussianSmearingParameters&);

}  // namespace kaon
