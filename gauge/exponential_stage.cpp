// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/exponential_stage.hpp"

#include "gauge/exponential_kernels.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/near_launch.hpp"

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
  const Lattice& lattice = links.lattice();
  const LoopWeights& weights = stage.weights;
  with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    if (weights.rectangle == 0.0) {
      run_step("kaon::exponential_step", out, stage, stage.gain * weights.plaquette,
               PlaquetteStaples<Access>{u.access(), stage.omitted});
      return;
    }
    Matrices x(lattice, 3), w(lattice, 3);
    for (int mu = 0; mu < directions; ++mu) {
      run_near("kaon::first_staples", lattice, FirstStaples<Access>{u.access().node, x.access(), u.access(), mu});
      x.exchange();
      run_near("kaon::staples_across", lattice, StaplesAcross<Access>{u.access().node, w.access(), u.access(), mu});
      w.exchange();
      run_step("kaon::exponential_step_of_rectangles", out, stage, stage.gain,
               RectangleStaples<Access>{u.access(), x.access(), w.access(), weights, mu, stage.omitted});
    }
  });
}

}  // namespace kaon::detail
