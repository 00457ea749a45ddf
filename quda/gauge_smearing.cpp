// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/call.hpp"
#include "quda/describe.hpp"
#include "quda/observables.hpp"
#include "quda/parameters.hpp"
#include "quda/resident_links.hpp"
#include "quda/spinors.hpp"
#include "quda/state.hpp"

#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/hop_factors.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/operators/fermion_flow.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kaon::quda {
namespace {

/// The direction that a client leaves out. None says so by a number that is no direction; a negative one is time for
/// APE and stout smearing.
template <class Structure>
std::optional<int> omitted_direction(const Structure& given) {
  int direction = -1;
  if constexpr (requires { given.dir_ignore; }) direction = given.dir_ignore;
  const bool in_space = given.smear_type == QUDA_GAUGE_SMEAR_APE || given.smear_type == QUDA_GAUGE_SMEAR_STOUT;
  if (direction < 0 && in_space) direction = 3;
  return direction >= 0 && direction <= 3 ? std::optional(direction) : std::nullopt;
}

[[noreturn]] void refuse_type(QudaGaugeSmearType type, const char* supported) {
  require(!is_unset(type), "parameter smear_type is not set");
  throw Error(fmt::format("smear_type = {} is not supported; supported: {}", static_cast<long>(type), supported));
}

GaugeField<double> smeared(const GaugeField<double>& links, const QudaGaugeSmearParam& given, int steps) {
  const std::optional<int> omitted = omitted_direction(given);
  switch (given.smear_type) {
    case QUDA_GAUGE_SMEAR_APE:
      return ape_links(links, {.alpha = given.alpha, .steps = steps, .omitted = omitted});
    case QUDA_GAUGE_SMEAR_STOUT:
      return stout_links(links, {.rho = given.rho, .steps = steps, .omitted = omitted});
    case QUDA_GAUGE_SMEAR_OVRIMP_STOUT:
      return stout_links(
          links,
          {.rho = given.rho, .steps = steps, .omitted = omitted, .weights = over_improved_weights(given.epsilon)});
    case QUDA_GAUGE_SMEAR_HYP:
      return hyp_links(links, {.alpha_1 = given.alpha1,
                               .alpha_2 = given.alpha2,
                               .alpha_3 = given.alpha3,
                               .steps = steps,
                               .omitted = omitted});
    default:
      refuse_type(given.smear_type,
                  "QUDA_GAUGE_SMEAR_APE, QUDA_GAUGE_SMEAR_STOUT, QUDA_GAUGE_SMEAR_OVRIMP_STOUT, QUDA_GAUGE_SMEAR_HYP");
  }
}

LoopWeights flow_weights(QudaGaugeSmearType type) {
  if (type == QUDA_GAUGE_SMEAR_WILSON_FLOW) return wilson_weights;
  if (type == QUDA_GAUGE_SMEAR_SYMANZIK_FLOW) return symanzik_weights;
  refuse_type(type, "QUDA_GAUGE_SMEAR_WILSON_FLOW, QUDA_GAUGE_SMEAR_SYMANZIK_FLOW");
}

/// Makes `links` the smeared links of the program.
void keep(GaugeField<double> links, const ResidentLinks& from) {
  const LinkFactors factors = from.factors;
  const bool single = from.single;
  state().set_links(Links::smeared, {std::move(links), factors, LinkStorage::full, single});
}

/// All steps, with a measurement before the first and after every `meas_interval` of them. `advance(steps)` goes on and
/// returns the smeared links.
template <class Advance>
void make_steps(const QudaGaugeSmearParam& given, QudaGaugeObservableParam* observables, const ResidentLinks& from,
                const Advance& advance) {
  require(observables != nullptr, "the pointer to the observables is NULL");
  require(given.meas_interval > 0, "meas_interval = 0: steps from one measurement to the next are needed, 1 or more");
  constexpr unsigned most = 1u << 30;
  const auto steps = static_cast<int>(std::min(given.n_steps, most));
  const auto interval = static_cast<int>(std::min(given.meas_interval, most));
  const ResidentLinks start{from.links.share(), from.factors, from.sloppy, from.single};
  keep(start.links.clone(), start);
  measure_observables(*observables);
  for (int done = 0; done < steps;) {
    const int more = std::min(interval, steps - done);
    keep(advance(more), start);
    done += more;
    if (done % interval == 0) measure_observables(*++observables);
  }
}

void smear(const QudaGaugeSmearParam& given, QudaGaugeObservableParam* observables) {
  require_same_size(given, "QudaGaugeSmearParam");
  const ResidentLinks& resident = state().links(Links::wilson);
  require_plain(resident, "smearing");
  make_steps(given, observables, resident,
             [&](int steps) { return smeared(state().links(Links::smeared).links, given, steps); });
}

void flow(const QudaGaugeSmearParam& given, QudaGaugeObservableParam* observables) {
  require_same_size(given, "QudaGaugeSmearParam");
  const bool restart = given.restart == QUDA_BOOLEAN_TRUE;
  const ResidentLinks& resident = state().links(restart ? Links::smeared : Links::wilson);
  require_plain(resident, "a flow");
  GradientFlow links(resident.links, {.step = given.epsilon, .weights = flow_weights(given.smear_type)});
  make_steps(given, observables, resident, [&](int steps) {
    links.advance(steps);
    return links.links().clone();
  });
}

/// Links and a fermion.
void flow_fermions(void* h_out, const void* h_in, const QudaInvertParam& of, const QudaGaugeSmearParam& given,
                   QudaGaugeObservableParam* observables) {
  require_same_size(given, "QudaGaugeSmearParam");
  require(h_in != nullptr && h_out != nullptr, "a pointer to a spinor is NULL");
  const ResidentLinks& resident = state().links(given.restart == QUDA_BOOLEAN_TRUE ? Links::smeared : Links::wilson);
  require_plain(resident, "a flow");
  const HopFactors sign{.antiperiodic = resident.factors.antiperiodic};
  const SpinorDescription spinors = describe_plain_spinors(of);
  SpinorField<double> chi(resident.links.lattice(), {.spins = spins_of(of)});
  read_spinor(chi, 0, h_in, spinors);
  FermionFlow flow(with_factors(resident), chi, {.step = given.epsilon, .weights = flow_weights(given.smear_type)});
  make_steps(given, observables, resident, [&](int steps) {
    flow.advance(steps);
    GaugeField<double> links = flow.links().clone();
    multiply_hop_factors(links, sign);  // with_factors, undone
    return links;
  });
  write_spinor(h_out, flow.fermions(), 0, spinors);
}

}  // namespace
}  // namespace kaon::quda

extern "C" {

void performGaugeSmearQuda(QudaGaugeSmearParam* smear_param, QudaGaugeObservableParam* obs_param) {
  kaon::quda::call(__func__, smear_param,
                   [&](const QudaGaugeSmearParam& given) { kaon::quda::smear(given, obs_param); });
}

void performWFlowQuda(QudaGaugeSmearParam* smear_param, QudaGaugeObservableParam* obs_param) {
  kaon::quda::call(__func__, smear_param,
                   [&](const QudaGaugeSmearParam& given) { kaon::quda::flow(given, obs_param); });
}

void performGFlowQuda(void* h_out, void* h_in, QudaInvertParam* inv_param, QudaGaugeSmearParam* smear_param,
                      QudaGaugeObservableParam* obs_param) {
  kaon::quda::call(__func__, inv_param, [&](const QudaInvertParam& of) {
    kaon::require(smear_param != nullptr, "the parameters are NULL");
    kaon::quda::flow_fermions(h_out, h_in, of, *smear_param, obs_param);
  });
}
}
