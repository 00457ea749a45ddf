// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/links/paths.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/gauge/gauge_fixing.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

// Changes of links and momenta, resident or a client's own.

namespace kaon::quda {
namespace {

/// Degree of the exponential's series where a client does not want the exponential.
constexpr int series_order = 8;

/// Links that a client's parameters name, without its factors, in memory of their own.
ResidentLinks links_to_change(const QudaGaugeParam& given, void* pointer) {
  if (given.use_resident_gauge != 0) {
    const ResidentLinks& resident = state().links(LinkKind::wilson);
    return {resident.links.clone(), resident.factors, resident.sloppy, resident.single};
  }
  return read_without_factors(describe_thin(given), pointer);
}

/// Removes the signs of the conventions from links with other phases than MILC's, or restores them.
void exchange_conventions(ResidentLinks& links) {
  if (!links.factors.staggered_phases || links.factors.convention == PhaseConvention::milc) return;
  fold_staggered_phases(links.links, {.antiperiodic = false});
  fold_staggered_phases(links.links, {.antiperiodic = false, .convention = links.factors.convention});
}

/// Changed links to where the client wants them.
void keep(const QudaGaugeParam& given, void* pointer, ResidentLinks links) {
  if (given.return_result_gauge != 0) write_links(describe_thin(given), pointer, links);
  if (given.make_resident_gauge != 0) state().set_links(LinkKind::wilson, std::move(links));
}

/// Calls body(momenta) with the resident momenta or the client's array (`use_resident_mom`). Afterwards the momenta are
/// resident, or freed (`make_resident_mom`).
template <class Body>
auto with_momenta(const QudaGaugeParam& given, const void* pointer, const Body& body) {
  const bool resident = given.use_resident_mom != 0;
  std::optional<GaugeField<double>> own;
  if (!resident) own.emplace(read_momenta(given, pointer));
  const auto result = body(resident ? state().momenta() : *own);
  if (given.make_resident_mom == 0) {
    state().free_momenta();
  } else if (!resident) {
    state().set_momenta(std::move(*own));
  }
  return result;
}

void advance(void* links, const void* momenta, double step, bool exact, const QudaGaugeParam& given) {
  ResidentLinks changed = links_to_change(given, links);
  const std::optional<int> order = exact ? std::nullopt : std::optional(series_order);
  with_momenta(given, momenta, [&](const GaugeField<double>& p) {
    advance_links(changed.links, p, {.size = step, .order = order});
    return true;
  });
  keep(given, links, std::move(changed));
}

/// P = P - step TA(U_mu(x) sum_i c_i P_i(x+mu)), from 0 if they are to be overwritten.
void add_gauge_force(void* h_momenta, void* h_links, int*** paths, const PathsGiven& given, double step,
                     const QudaGaugeParam& param) {
  const auto of_direction = paths_behind_links(paths, given, 1.0);
  ResidentLinks links = links_for_paths(param, h_links);
  GaugeField<double> momenta = momenta_to_change(param, h_momenta);
  GaugeField<double> matrices(links.links.lattice());
  add_link_paths(matrices, links_of_paths(links), of_direction);
  kick_momenta(momenta, matrices, -step);
  if (param.return_result_mom != 0) write_momenta(param, h_momenta, momenta);
  param.make_resident_mom != 0 ? state().set_momenta(std::move(momenta)) : state().free_momenta();
  keep_links(param, std::move(links));
}

/// When a client wants gauge fixing to end.
struct GaugeFixingLimits {
  unsigned direction;  // 3: Coulomb gauge, else Landau gauge
  unsigned steps, said_every;
  double tolerance;
  bool on_theta;  // of QUDA's theta, which is 4 of kaon's; else of the change of F in an iteration
};

void fix(const QudaGaugeParam& given, void* pointer, const GaugeFixingLimits& limits, double relaxation) {
  require(pointer != nullptr, "the links are NULL");
  require(limits.steps <= static_cast<unsigned>(std::numeric_limits<int>::max()),
          [&] { return fmt::format("{} iterations are too many", limits.steps); });
  ResidentLinks links = read_without_factors(describe_thin(given), pointer);
  exchange_conventions(links);
  GaugeFixingParameters parameters{
      .condition = limits.direction == 3 ? GaugeCondition::coulomb : GaugeCondition::landau,
      .tolerance = limits.on_theta ? limits.tolerance / 4.0 : 0.0,
      .max_iterations = static_cast<int>(limits.steps),
      .relaxation = relaxation};
  double last = gauge_quality(links.links, parameters.condition).functional;
  unsigned next = limits.said_every;
  bool still = false;
  parameters.on_check = [&](int iterations, const GaugeQuality& quality) {
    const double change = std::abs(quality.functional - std::exchange(last, quality.functional)) / gauge_fixing_check;
    if (limits.said_every > 0 && static_cast<unsigned>(iterations) >= next) {
      say(fmt::format("kaon: gauge fixing, iteration {}: F = {:.16e}, theta = {:.16e}", iterations, quality.functional,
                      4.0 * quality.theta));
      next = static_cast<unsigned>(iterations) + limits.said_every;
    }
    still = !limits.on_theta && change < limits.tolerance;
    return !still;
  };
  const GaugeFixingResult result = fix_gauge(links.links, parameters);
  if (!result.converged && !still && limits.tolerance > 0.0) {
    say(fmt::format("kaon: WARNING: the gauge is not fixed to the tolerance after {} iterations: theta = {:.3e}",
                    result.iterations, 4.0 * result.quality.largest_theta));
  }
  exchange_conventions(links);
  write_links(describe_thin(given), pointer, links);
  if (given.make_resident_gauge != 0) state().set_links(LinkKind::wilson, std::move(links));
}

void move_momenta(void* pointer, const QudaGaugeParam& given) {
  const bool make = given.make_resident_mom != 0, give_back = given.return_result_mom != 0;
  require(make != give_back, [&] {
    return fmt::format("make_resident_mom = {} and return_result_mom = {}: one of them must be 1",
                       given.make_resident_mom, given.return_result_mom);
  });
  if (make) return state().set_momenta(read_momenta(given, pointer));
  write_momenta(given, pointer, state().momenta());
  state().free_momenta();
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void updateGaugeFieldQuda(void* gauge, void* momentum, double dt, int conj_mom, int exact, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    // P^dag = -P
    advance(gauge, momentum, conj_mom != 0 ? -dt : dt, exact != 0, given);
  });
}

int computeGaugeForceQuda(void* mom, void* sitelink, int*** input_path_buf, int* path_length, double* loop_coeff,
                          int num_paths, int max_length, double dt, QudaGaugeParam* qudaGaugeParam) {
  call(__func__, qudaGaugeParam, [&](const QudaGaugeParam& given) {
    add_gauge_force(mom, sitelink, input_path_buf, {num_paths, path_length, max_length, loop_coeff}, dt, given);
  });
  return 0;
}

void projectSU3Quda(void* gauge_h, double, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    ResidentLinks changed = links_to_change(given, gauge_h);
    exchange_conventions(changed);
    changed.links = project_to_su3(changed.links);
    exchange_conventions(changed);
    QudaGaugeParam in_place = given;  // resident links change in place, as in QUDA
    if (given.use_resident_gauge != 0) in_place.make_resident_gauge = 1;
    keep(in_place, gauge_h, std::move(changed));
  });
}

int computeGaugeFixingOVRQuda(void* gauge, const unsigned int gauge_dir, const unsigned int Nsteps,
                              const unsigned int verbose_interval, const double relax_boost, const double tolerance,
                              const unsigned int, const unsigned int stopWtheta, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    fix(given, gauge, {gauge_dir, Nsteps, verbose_interval, tolerance, stopWtheta != 0}, relax_boost);
  });
  return 0;
}

int computeGaugeFixingFFTQuda(void* gauge, const unsigned int gauge_dir, const unsigned int Nsteps,
                              const unsigned int verbose_interval, const double, const unsigned int,
                              const double tolerance, const unsigned int stopWtheta, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    fix(given, gauge, {gauge_dir, Nsteps, verbose_interval, tolerance, stopWtheta != 0},
        GaugeFixingParameters{}.relaxation);
  });
  return 0;
}

void gaussGaugeQuda(unsigned long long seed, double sigma) {
  call(__func__, [&] {
    const ResidentLinks& resident = state().links(LinkKind::wilson);
    GaugeField<double> links(resident.links.lattice()), momenta(resident.links.lattice());
    set_gaussian_momenta(momenta, sigma, {.seed = seed});
    set_unit(links);
    advance_links(links, momenta, {.size = 1.0});
    state().set_links(LinkKind::wilson, {std::move(links), {}, resident.sloppy, resident.single});
  });
}

void gaussMomQuda(unsigned long long seed, double sigma) {
  call(__func__, [&] { set_gaussian_momenta(state().momenta(), sigma, {.seed = seed}); });
}

void momResidentQuda(void* mom, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) { move_momenta(mom, given); });
}

double momActionQuda(void* momentum, QudaGaugeParam* param) {
  return call(__func__, param, [&](const QudaGaugeParam& given) {
    return with_momenta(given, momentum, [](const GaugeField<double>& momenta) { return kinetic_energy(momenta); });
  });
}
}
