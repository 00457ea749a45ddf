// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/smoothing/exponential_stage.hpp"
#include "gauge/smoothing/projected_kernels.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/gauge/stout_force.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace kaon {
namespace {

using detail::NearLinks;
using detail::none_omitted;

/// The direction that is left out, behind all checks.
int checked(const GaugeField<double>& links, std::string_view method, double sum_of_coefficients, int steps,
            std::optional<int> omitted) {
  require(std::isfinite(sum_of_coefficients),
          [&] { return fmt::format("coefficients of {} must be finite numbers", method); });
  require(steps >= 0, [&] { return fmt::format("{} steps of {} cannot be made: 0 or more are", steps, method); });
  const int direction = omitted.value_or(none_omitted);
  require(!omitted || (direction >= 0 && direction < directions), [&] {
    return fmt::format("direction {} cannot be left out of {}: directions are 0 to 3, x to t", direction, method);
  });
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_unitary(links, method);
  return direction;
}

/// Throws `Error` where a step has not led to SU(3), for the `cause`.
void require_result(const GaugeField<double>& links, std::string_view method, std::string_view cause) {
  if (detail::have_stayed_unitary(links)) return;
  const UnitarityDeviation::Worst worst = deviation_from_su3(links).unitarity;
  const Coordinates& x = worst.site;
  throw Error(fmt::format("{}: in direction {} at site ({}, {}, {}, {}) {}: take other coefficients", method,
                          "xyzt"[worst.direction], x[0], x[1], x[2], x[3], cause));
}

/// The link is not a number if its projection has no result.
void require_projections(const GaugeField<double>& links, std::string_view method) {
  require_result(links, method, "the sum of paths is singular and has no projection to SU(3)");
}

/// `step(out, in)` so many times.
template <class Step>
GaugeField<double> repeated(const GaugeField<double>& links, int steps, const Step& step) {
  GaugeField<double> result = links.clone();
  if (steps == 0) return result;
  GaugeField<double> next(links.lattice());
  for (int n = 0; n < steps; ++n) {
    step(next, result);
    std::swap(next, result);
  }
  return result;
}

void ape_step(GaugeField<double>& out, const GaugeField<double>& links, double alpha, int omitted, double time) {
  detail::with_near_matrices(links.lattice(), [&]<class Matrices>() {
    using Smeared = detail::ApeLinks<typename Matrices::Access>;
    const Matrices u(links);
    const NearLinks<double, typename Smeared::V> target(out);
    const detail::ProjectedStep<Smeared> kernel{
        u.access().node, target, {{u.access(), omitted, time}, alpha, omitted == none_omitted ? 6.0 : 4.0}};
    detail::run_near("kaon::ape_links", links.lattice(), kernel);
  });
}

void hyp_step(GaugeField<double>& out, const GaugeField<double>& links, const HypParameters& parameters, int omitted) {
  const Lattice& lattice = links.lattice();
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    const detail::SubLattice& node = u.access().node;
    const NearLinks<double, typename Access::Value> target(out);
    Matrices first(lattice, detail::hyp_matrices);
    const detail::HypFirst<Access> make_first{node, first.access(), u.access(), parameters.alpha_3, omitted};
    detail::run_near("kaon::hyp_first", lattice, make_first);
    first.exchange();
    if (omitted != none_omitted) {
      const detail::ProjectedStep<detail::HypLinksInThree<Access>> make_links{
          node, target, {u.access(), first.access(), parameters.alpha_2, omitted}};
      detail::run_near("kaon::hyp_links_in_three", lattice, make_links);
      return;
    }
    Matrices second(lattice, detail::hyp_matrices);
    const detail::HypSecond<Access> make_second{node, second.access(), u.access(), first.access(), parameters.alpha_2};
    detail::run_near("kaon::hyp_second", lattice, make_second);
    second.exchange();
    const detail::ProjectedStep<detail::HypLinks<Access>> make_links{
        node, target, {u.access(), second.access(), parameters.alpha_1, omitted}};
    detail::run_near("kaon::hyp_links", lattice, make_links);
  });
}

}  // namespace

namespace {

/// A step of stout smearing, behind all checks.
void stout_step(GaugeField<double>& out, const GaugeField<double>& links, const detail::ExponentialStage& stage) {
  detail::exponential_stage(out, links, stage);
  require_result(out, "stout smearing", "the exponential overflows or is rounding");
}

}  // namespace

GaugeField<double> stout_links(const GaugeField<double>& links, const StoutParameters& parameters) {
  const LoopWeights& weights = parameters.weights;
  const int omitted = checked(links, "stout smearing", parameters.rho + weights.plaquette + weights.rectangle,
                              parameters.steps, parameters.omitted);
  const double time = detail::time_weight(parameters.anisotropy, omitted);
  // A step is one of Euler's method: it multiplies a wave of rate w by 1 - rho w.
  detail::warn_of_growth(links.lattice().communicator(), fmt::format("stout smearing with rho = {} is", parameters.rho),
                         "rho", parameters.rho, 2.0 / detail::rate_of_short_waves(weights, time, omitted));
  return repeated(links, parameters.steps, [&](GaugeField<double>& out, const GaugeField<double>& in) {
    stout_step(out, in, {.weights = weights, .omitted = omitted, .time = time, .gain = parameters.rho});
  });
}

std::optional<int> StoutSmearing::omitted() const {
  const auto* const found = std::find(rho.begin(), rho.end(), 0.0);
  return found == rho.end() ? std::nullopt : std::optional<int>(found - rho.begin());
}

void require_possible(const StoutSmearing& smearing) {
  require(std::ranges::all_of(smearing.rho, [](double rho) { return std::isfinite(rho) && rho >= 0.0; }), [&] {
    return fmt::format("stout smearing with rho = {}: numbers from 0 on are possible", fmt::join(smearing.rho, ", "));
  });
  require(std::ranges::count(smearing.rho, 0.0) <= 1, [&] {
    return fmt::format(
        "stout smearing with rho = {} in x, y, z, t: 0 is possible for one direction, which is not smeared",
        fmt::join(smearing.rho, ", "));
  });
  require(smearing.levels >= 1, [&] {
    return fmt::format("{} levels of stout smearing cannot be made: 1 or more are possible", smearing.levels);
  });
}

bool is_stable(const StoutSmearing& smearing) {
  const double twice = 2.0 * (smearing.omitted() ? 3.0 : 4.0);
  constexpr double rounding = 1e-12;
  int above = 0;
  double sum = 0.0;
  for (const double rho : smearing.rho) {
    const double excess = twice * rho - 1.0;
    above += excess > rounding ? 1 : 0;
    sum += 2.0 * rho / (excess > rounding ? excess : std::min(excess, -rounding));
  }
  return above == 0 || (above == 1 && sum >= 1.0);
}

std::vector<GaugeField<double>> stout_levels(const GaugeField<double>& links, const StoutSmearing& smearing) {
  require_possible(smearing);
  const int omitted = checked(links, "stout smearing", 0.0, smearing.levels, smearing.omitted());
  std::vector<GaugeField<double>> levels;
  levels.push_back(links.clone());
  for (int level = 0; level < smearing.levels; ++level) {
    GaugeField<double> next(links.lattice());
    stout_step(next, levels.back(),
               {.weights = wilson_weights, .omitted = omitted, .gain = 1.0, .factors = smearing.rho});
    levels.push_back(std::move(next));
  }
  return levels;
}

GaugeField<double> ape_links(const GaugeField<double>& links, const ApeParameters& parameters) {
  const int omitted = checked(links, "APE smearing", parameters.alpha, parameters.steps, parameters.omitted);
  const double time = detail::time_weight(parameters.anisotropy, omitted);
  // 3/4 or, of three directions, 2/3: P is stout smearing to first order, with rho = alpha/(2 (D - 1)) where xi = 1.
  const double paths = omitted == none_omitted ? 6.0 : 4.0;
  detail::warn_of_growth(links.lattice().communicator(),
                         fmt::format("APE smearing with alpha = {} is", parameters.alpha), "alpha", parameters.alpha,
                         2.0 * paths / detail::rate_of_short_waves(wilson_weights, 1.0, omitted));
  return repeated(links, parameters.steps, [&](GaugeField<double>& out, const GaugeField<double>& in) {
    ape_step(out, in, parameters.alpha, omitted, time);
    require_projections(out, "APE smearing");
  });
}

GaugeField<double> hyp_links(const GaugeField<double>& links, const HypParameters& parameters) {
  const int omitted = checked(links, "HYP smearing", parameters.alpha_1 + parameters.alpha_2 + parameters.alpha_3,
                              parameters.steps, parameters.omitted);
  return repeated(links, parameters.steps, [&](GaugeField<double>& out, const GaugeField<double>& in) {
    hyp_step(out, in, parameters, omitted);
    require_projections(out, "HYP smearing");
  });
}

}  // namespace kaon
