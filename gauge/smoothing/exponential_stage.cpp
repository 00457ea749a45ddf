// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/smoothing/exponential_stage.hpp"

#include "gauge/hmc/loop_staples.hpp"
#include "gauge/su3_exponential.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon::detail {
namespace {

/// P = gain_mu TA(C U^dag) + keep P', out = exp(P) U. Links of the omitted direction are copied. 1100 flops and those
/// of C.
template <class Staples>
struct ExponentialStep {
  using Links = typename Staples::Links;
  using V = typename Links::Value;
  static constexpr int calls = 2 * Staples::directions;
  SubLattice node;
  NearLinks<double, V> out;
  NearLinks<double, V> before, after;  ///< P' and P; not touched where keep = 0 and where P is not `stored`
  Staples staples;
  Kokkos::Array<double, 4> gain;
  double keep;
  bool stored;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Links& links = staples.links;
    for (int n = first; n < last; ++n) {
      const int parity = n / Staples::directions, mu = staples.direction(n % Staples::directions);
      const auto site = links.start(index, parity);
      const auto here = out.start(index, parity);
      const ColorMatrix<V> u = links.load(site, mu);
      if (mu == staples.omitted) {
        out.store(u, here, mu);
        continue;
      }
      ColorMatrix<V> p = zero_matrix<V>();
      add_multiple(p, gain[mu], traceless_antihermitian(times_adjoint(staples(site, links.step(site, mu, +1), mu), u)));
      if (keep != 0.0) add_multiple(p, keep, before.load(here, mu));
      if (stored) after.store(p, here, mu);
      out.store(exponential(p) * u, here, mu);
    }
  }
};

/// A step with `staples`, whose plaquettes have the weight 1 or their own.
template <class Staples>
void run_step(const char* label, GaugeField<double>& out, const ExponentialStage& stage, double gain,
              const Staples& staples) {
  using Stored = NearLinks<double, typename Staples::V>;
  const Stored target(out);
  Kokkos::Array<double, 4> gains;
  for (std::size_t mu = 0; mu < gains.size(); ++mu) gains[mu] = gain * stage.factors[mu];
  const ExponentialStep<Staples> kernel{staples.links.node,
                                        target,
                                        stage.keep != 0.0 ? Stored(*stage.before) : target,
                                        stage.after != nullptr ? Stored(*stage.after) : target,
                                        staples,
                                        gains,
                                        stage.keep,
                                        stage.after != nullptr};
  run_near(label, out.lattice(), kernel);
}

}  // namespace

double time_weight(double anisotropy, int omitted) {
  const double time = anisotropy * anisotropy;
  require(anisotropy > 0.0 && std::isnormal(time) && std::isnormal(1.0 / time), [&] {
    return fmt::format("anisotropy {}: a_s/a_t is needed, a number above 0, and 1 on isotropic lattices", anisotropy);
  });
  return omitted == 3 ? 1.0 : time;
}

double rate_of_short_waves(const LoopWeights& weights, double time, int omitted) {
  const double of_space = omitted >= 0 && omitted < 3 ? 2.0 : 3.0, of_time = omitted == 3 ? 0.0 : time;
  return 4.0 * weights.plaquette * (of_space + of_time);
}

void warn_of_growth(const Communicator& communicator, const std::string& what, const std::string& name, double number,
                    double largest) {
  constexpr double rounding = 1e-12;
  const bool is_stable = number >= 0.0 && number <= largest * (1.0 + rounding);
  if (!(largest > 0.0) || is_stable || communicator.rank() != 0) return;
  const std::string bound = number < 0.0 ? "below 0" : fmt::format("above {:.3g}", largest);
  tell(MessageKind::warning, fmt::format("{} unstable: short waves of the links grow with {} {}", what, name, bound));
}

void exponential_stage(GaugeField<double>& out, const GaugeField<double>& links, const ExponentialStage& stage) {
  require_storage(links.storage(), LinkStorage::full);
  const auto step = [&](const auto& staples, double weight) {
    const char* label =
        stage.weights.rectangle == 0.0 ? "kaon::exponential_step" : "kaon::exponential_step_of_rectangles";
    run_step(label, out, stage, weight * stage.gain, staples);
  };
  for_staples(links, stage.weights, stage.omitted, step, stage.time);
}

}  // namespace kaon::detail
