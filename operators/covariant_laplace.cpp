// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/link_codes.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/covariant_laplace.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

template <class T>
CovariantLaplace<T>::CovariantLaplace(const GaugeField<T>& links, const LaplaceParameters& parameters)
    : links_(links.share()), dimensions_(parameters.dimensions), spins_(parameters.spins) {
  detail::require_storage(links.storage(), LinkStorage::full);
  require(std::isfinite(parameters.kappa), [&] { return fmt::format("kappa = {} is not finite", parameters.kappa); });
  require(dimensions_ == 3 || dimensions_ == 4,
          [&] { return fmt::format("a Laplace operator has 3 or 4 dimensions, not {}", dimensions_); });
  require(spins_ >= 1, [&] { return fmt::format("a Laplace operator acts on one spin or more, not on {}", spins_); });
  const std::array<bool, 4> directions{true, true, true, dimensions_ == 4};
  sum_ = {.forward = directions, .backward = directions, .weight = -parameters.kappa, .center = 1.0};
}

template <class T>
void CovariantLaplace<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  covariant_sum(out, in, links_, sum_);
}

template <class T>
double CovariantLaplace<T>::flops() const {
  const int terms = 2 * dimensions_;
  return static_cast<double>(lattice().volume()) * spins_ * (66.0 * terms + 6.0 * (terms - 1) + 18.0);
}

template <class T>
double CovariantLaplace<T>::bytes() const {
  return static_cast<double>(lattice().volume()) * (18.0 * dimensions_ + 12.0 * spins_) * sizeof(T);
}

template class CovariantLaplace<double>;
template class CovariantLaplace<float>;

}  // namespace kaon
