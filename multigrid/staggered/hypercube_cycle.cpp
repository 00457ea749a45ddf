// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered/hypercube_cycle.hpp"

#include "multigrid/coarse/whole_system.hpp"

namespace kaon::detail {

HypercubeSmoother::HypercubeSmoother(const HypercubeOperator<float>& hypercubes, const MultigridParameters& parameters,
                                     const Weights& weights)
    : hypercubes_(hypercubes),
      system_(make_system<float>(hypercubes.left_matrix())),
      relaxation_(make_relaxation<float>(*system_, parameters, weights)) {}

void HypercubeSmoother::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
  this->require_domain(z, r);
  SpinorField<float>& t = system_->keep_fields(fields_, 1, r.right_hand_sides())[0];
  hypercubes_.inverse_root().apply(t, r);
  relaxation_->apply(z, t);
  hypercubes_.root().apply(z, z);
}

void HypercubeCycle::apply(SpinorField<float>& z, const SpinorField<float>& r) const {
  this->require_domain(z, r);
  const int right_hand_sides = r.right_hand_sides();
  const EvenOddSystem<float>& system = levels_.system();
  const auto fields = system.full().keep_fields(fields_, 2, right_hand_sides);
  SpinorField<float>&b = fields[0], &c = fields[1];
  SpinorField<float>& source = system.keep_fields(source_, 1, right_hand_sides)[0];
  hypercubes_.map().gather(b, r);
  hypercubes_.inverse_root().apply_to_all(b, b);
  system.prepare(source, b);
  SpinorField<float> c_p = c.parity(system.parity());
  levels_.cycle().apply(c_p, source);
  system.reconstruct(c, b);
  hypercubes_.inverse_root().apply_to_all(c, c);
  hypercubes_.map().scatter(z, c);
}

}  // namespace kaon::detail
