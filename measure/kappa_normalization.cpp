// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/kappa_normalization.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

template <class T>
void scale(SpinorField<T>& field, double factor) {
  blas::scale(field, blas::Reals(static_cast<std::size_t>(field.right_hand_sides()), factor));
}

void require_kappa(double kappa) {
  require(std::isfinite(kappa) && kappa > 0.0, [&] { return fmt::format("kappa must be positive, got {}", kappa); });
}

}  // namespace

template <class T>
void from_kappa_normalization(SpinorField<T>& propagator, double kappa) {
  require_kappa(kappa);
  scale(propagator, 2.0 * kappa);
}

template <class T>
void to_kappa_normalization(SpinorField<T>& propagator, double kappa) {
  require_kappa(kappa);
  scale(propagator, 0.5 / kappa);
}

template void from_kappa_normalization(SpinorField<double>&, double);
template void from_kappa_normalization(SpinorField<float>&, double);
template void to_kappa_normalization(SpinorField<double>&, double);
template void to_kappa_normalization(SpinorField<float>&, double);

}  // namespace kaon
