// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/spinor_levels.hpp"

#include "multigrid/setup/hierarchy_builder.hpp"

#include <kaon/operators/schur.hpp>

namespace kaon::detail {
namespace {

class SpinorLevels final : public Levels {
 public:
  SpinorLevels(const Ref<EvenOddOperator<float>>& dirac, const MultigridParameters& parameters,
               const HierarchyKind<float>& kind)
      : hierarchy_(build_hierarchy(dirac, parameters, kind)) {}

  const LinearOperator<float>& matrix() const override { return hierarchy_.system(); }
  const LinearOperator<float>& cycle() const override { return hierarchy_.cycle(); }
  bool on_all_sites() const override { return false; }
  const MultigridReport& report() const override { return hierarchy_.report(); }
  SpinorField<float> near_null_vectors() const override { return hierarchy_.near_null_vectors(); }

 private:
  Hierarchy<float> hierarchy_;
};

}  // namespace

std::shared_ptr<const Levels> make_spinor_levels(const Ref<EvenOddOperator<float>>& dirac,
                                                 const std::optional<Ref<EvenOddOperator<half>>>& rounded,
                                                 const MultigridParameters& parameters) {
  HierarchyKind<float> kind;
  if (rounded) {
    kind.make_smoother = [&](const Weights& weights) -> Ref<LinearOperator<float>> {
      return Rounded<float, half>(make_relaxation<half>(Schur<half>(*rounded), parameters, weights));
    };
  }
  return std::make_shared<SpinorLevels>(dirac, parameters, kind);
}

}  // namespace kaon::detail
