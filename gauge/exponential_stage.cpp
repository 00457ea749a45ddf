// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/exponential_stage.hpp"

#include "gauge/exponential_kernels.hpp"
#include "gauge/loop_staples.hpp"

namespace kaon::detail {
namespace {

/// A step with `staples`, whose plaquettes have the weight 1 or their own.
template <class Staples>
void run_step(const char* label, GaugeField<double>& out, const ExponentialStage& stage, double gain,
              const Staples& staples) {
  using Stored = NearLinks<double, typename Staples::V>;
  const Stored target(out);
  const ExponentialStep<Staples> kernel{staples.links.node,
                                        target,
                                        stage.keep != 0.0 ? Stored(*stage.before) : target,
                                        stage.after != nullptr ? Stored(*stage.after) : target,
                                        staples,
                                        gain,
                                        stage.keep,
                                        stage.after != nullptr};
  run_near(label, out.lattice(), kernel);
}

}  // namespace

void exponential_stage(GaugeField<double>& out, const GaugeField<double>& links, const ExponentialStage& stage) {
  require_storage(links.storage(), LinkStorage::full);
  for_staples(links, stage.weights, stage.omitted, [&](const auto& staples, double weight) {
    const char* label =
        stage.weights.rectangle == 0.0 ? "kaon::exponential_step" : "kaon::exponential_step_of_rectangles";
    run_step(label, out, stage, weight * stage.gain, staples);
  });
}

}  // namespace kaon::detail
