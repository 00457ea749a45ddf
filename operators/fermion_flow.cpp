// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/covariant_sum.hpp>
#include <kaon/operators/fermion_flow.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

/// weight Delta + center
CovariantSum laplace(double weight, double center) {
  constexpr std::array<bool, 4> all{true, true, true, true};
  return {.forward = all, .backward = all, .weight = weight, .center = center - 8.0 * weight};
}

SpinorField<double> copy_of(const SpinorField<double>& fermions, const GaugeField<double>& links) {
  require(fermions.lattice() == links.lattice(), "fermions that flow must be on the lattice of the links");
  require(fermions.subset() == Subset::full && fermions.colors() == 3, [&] {
    return fmt::format("fermions that flow have 3 colours and all sites, not {} colours and {} of 2 parities",
                       fermions.colors(), fermions.parities());
  });
  return blas::clone(fermions);
}

}  // namespace

FermionFlow::FermionFlow(const GaugeField<double>& links, const SpinorField<double>& fermions,
                         const FlowParameters& parameters)
    : flow_(links, parameters),
      step_(parameters.step),
      chi_(copy_of(fermions, links)),
      first_(fermions.lattice(), fermions.parameters()),
      second_(fermions.lattice(), fermions.parameters()) {
  require(parameters.order == 3, "fermions flow by the method of order 3");
  require(parameters.anisotropy == 1.0,
          [&] { return fmt::format("anisotropy {}: fermions flow on isotropic lattices, 1", parameters.anisotropy); });
}

void FermionFlow::advance(int steps) {
  flow_.advance(steps, [&](int stage, const GaugeField<double>& links) {
    switch (stage) {
      case 0:
        covariant_sum(first_, chi_, links, laplace(step_ / 4.0, 1.0));
        break;
      case 1:  // with e Delta(V) chi = 4 (phi_1 - chi)
        covariant_sum(second_, first_, links, laplace(8.0 / 9.0 * step_, -8.0 / 9.0));
        blas::axpy(second_, chi_, 17.0 / 9.0);
        break;
      default:
        covariant_sum(chi_, second_, links, laplace(3.0 / 4.0 * step_, 0.0));
        blas::add(chi_, first_);
    }
  });
}

}  // namespace kaon
