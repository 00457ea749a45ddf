// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/cycle.hpp"

#include <kaon/core/blas.hpp>

#include <utility>

namespace kaon::detail {

Cycle::Cycle(const EvenOddSystem<float>& system, const CoarseCorrection& correction,
             Ref<LinearOperator<float>> smoother)
    : system_(system), next_(correction), smoother_(std::move(smoother)) {}

// Vectors of this level read and written beside S, its site term, the transfers and the smoother:
//   t = r - S z   2, 1
//   z = z + w     2, 1
void Cycle::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
  this->require_domain(z, r);
  const int right_hand_sides = r.right_hand_sides();
  correct(z, next_.system.keep_fields(source_, 1, right_hand_sides)[0], r);
  const auto here = system_.keep_fields(here_, 2, right_hand_sides);
  SpinorField<float>&t = here[0], &w = here[1];
  system_.apply(t, z);
  blas::xpay(t, r, -1.0);  // t = r - S z
  smoother_->apply(w, t);
  blas::add(z, w);
}

void Cycle::correct(SpinorField<float>& z, SpinorField<float>& source, const SpinorField<float>& r) const {
  const int right_hand_sides = r.right_hand_sides();
  SpinorField<float>& t = system_.keep_fields(here_, 2, right_hand_sides)[0];
  const auto next = next_.system.full().keep_fields(next_full_, 2, right_hand_sides);
  SpinorField<float>&b = next[0], &c = next[1];
  system_.full_residual(t, r);  // A_p r: with the other parity eliminated, the residual of M x = b is (A_p r, 0)
  next_.transfer.restrict(b, t);
  next_.system.prepare(source, b);
  SpinorField<float> c_p = c.parity(next_.system.parity());
  next_.solver.apply(c_p, source);
  next_.system.reconstruct(c, b);
  next_.transfer.prolong(z, c);
}

double Cycle::flops() const {
  // Restriction and prolongation: a complex product for each vector and component of this level's sites.
  const double transfers = 2.0 * 8.0 * next_.transfer.vectors() * system_.domain().components() *
                           static_cast<double>(lattice().volume()) / lattice().parities();
  return transfers + 2.0 * flops_of<float>(system_) + flops_of(*smoother_) + flops_of(next_.solver);
}

void Rounded::apply(SpinorField<float>& out, const SpinorField<float>& in) const {
  const auto fields = inner_->keep_fields(fields_, 2, in.right_hand_sides());
  blas::copy(fields[0], in);
  inner_->apply(fields[1], fields[0]);
  blas::copy(out, fields[1]);
}

}  // namespace kaon::detail
