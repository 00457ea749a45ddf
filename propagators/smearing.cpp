// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/repeated_sum.hpp"

#include <kaon/core/error.hpp>
#include <kaon/propagators/smearing.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

template <class T>
void gaussian_smear(SpinorField<T>& chi, const GaugeField<T>& links, const GaussianSmearingParameters& parameters) {
  require(std::isfinite(parameters.width) && parameters.width > 0.0,
          [&] { return fmt::format("smearing width must be positive, got {}", parameters.width); });
  require(parameters.steps > 0,
          [&] { return fmt::format("smearing needs at least one step, got {}", parameters.steps); });
  require(chi.lattice() == links.lattice(), [&] {
    return fmt::format("a field on lattice {} cannot be smeared by links on lattice {}",
                       to_string(chi.lattice().extents()), to_string(links.lattice().extents()));
  });
  require(chi.colors() == 3 && chi.subset() == Subset::full, [&] {
    return fmt::format("smearing needs a field of 3 colours on both parities, not {} colours on {}", chi.colors(),
                       chi.parities() == 2 ? "both" : "one");
  });
  const double a = parameters.width * parameters.width / (4.0 * parameters.steps);
  constexpr std::array<bool, 4> in_space{true, true, true, false};
  detail::repeat_covariant_sum(
      chi, links, {.forward = in_space, .backward = in_space, .weight = a, .center = 1.0 - 6.0 * a}, parameters.steps);
}

template void gaussian_smear(SpinorField<double>&, const GaugeField<double>&, const GaussianSmearingParameters&);
template void gaussian_smear(SpinorField<float>&, const GaugeField<float>&, const GaussianSmearingParameters&);

}  // namespace kaon
