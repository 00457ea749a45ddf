// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/layout.hpp"

#include <kaon/core/error.hpp>
#include <kaon/solvers/schwarz.hpp>

namespace kaon {

template <class T>
Schwarz<T>::Schwarz(const Schur<T>& schur, const SchwarzParameters& parameters)
    : schur_(schur),
      parameters_(parameters),
      blocks_(schur.full().on_blocks(parameters.block)),
      block_schur_(*blocks_, schur.parameters()),
      smoother_(block_schur_, {.omega = parameters.omega, .steps = parameters.steps}) {}

template <class T>
void Schwarz<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  SpinorField<T> part = out.on(blocks_->lattice());
  smoother_.apply(part, in.on(blocks_->lattice()));
}

template <class T>
void Schwarz<T>::apply_dagger(SpinorField<T>&, const SpinorField<T>&) const {
  throw Error("a Schwarz preconditioner has no adjoint");
}

// A step applies the operator once, then <t, r>, |t|^2 and the updates of x and r.
template <class T>
double Schwarz<T>::flops() const {
  const double reals = 2.0 * domain().components() * 0.5 * static_cast<double>(lattice().volume());
  return parameters_.steps * (schur_.flops() + reals * (6.0 + 8.0));
}

template <class T>
double Schwarz<T>::bytes() const {
  const double vector = detail::site_bytes<T>(domain().components()) * 0.5 * static_cast<double>(lattice().volume());
  return parameters_.steps * (schur_.bytes() + 7.0 * vector);
}

template class Schwarz<double>;
template class Schwarz<float>;
template class Schwarz<half>;

}  // namespace kaon
