// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/layout.hpp"

#include <kaon/solvers/adapters.hpp>

#include <utility>

namespace kaon {

template <class T>
Schwarz<T>::Schwarz(Ref<Schur<T>> schur, const SchwarzParameters& parameters)
    : schur_(std::move(schur)),
      parameters_(parameters),
      smoother_(Schur<T>(blockable(schur_->full()).on_blocks(parameters.block), schur_->parameters()),
                {.omega = parameters.omega, .steps = parameters.steps}) {}

template <class T>
void Schwarz<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  const Lattice& isolated = smoother_.lattice();
  SpinorField<T> part = out.on(isolated);
  smoother_.apply(part, in.on(isolated));
}

// A step applies the operator once, then <t, r>, |t|^2 and the updates of x and r.
template <class T>
double Schwarz<T>::flops() const {
  const double reals = 2.0 * domain().components_of_all_slices() * 0.5 * static_cast<double>(lattice().volume());
  return parameters_.steps * (schur_->flops() + reals * (6.0 + 8.0));
}

template <class T>
double Schwarz<T>::bytes() const {
  const double vector =
      detail::site_bytes<T>(domain().components_of_all_slices()) * 0.5 * static_cast<double>(lattice().volume());
  return parameters_.steps * (schur_->bytes() + 7.0 * vector);
}

template class Schwarz<double>;
template class Schwarz<float>;
template class Schwarz<half>;

}  // namespace kaon
