// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/links/observables.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/gauge/gradient_flow.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/smeared_links.hpp>
#include <kaon/operators/fermion_flow.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace kaon::quda {
namespace {

/// The direction that a client leaves out, if the number is a direction. A negative number means time for APE and
/// stout smearing.
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

/// a_s/a_t of newer headers, 1 of older ones.
template <class Structure>
double anisotropy_of(const Structure& given) {
  if constexpr (requires { given.smear_anisotropy; }) {
    return given.smear_anisotropy;
  } else {
    return 1.0;
  }
}

GaugeField<double> smeared(const GaugeField<double>& links, const QudaGaugeSmearParam& given, int steps) {
  const std::optional<int> omitted = omitted_direction(given);
  const double anisotropy = anisotropy_of(given);
  switch (given.smear_type) {
    case QUDA_GAUGE_SMEAR_APE:
      return ape_links(links, {.alpha = given.alpha, .steps = steps, .omitted = omitted, .anisotropy = anisotropy});
    case QUDA_GAUGE_SMEAR_STOUT:
      return stout_links(links, {.rho = given.rho, .steps = steps, .omitted = omitted, .anisotropy = anisotropy});
    case QUDA_GAUGE_SMEAR_OVRIMP_STOUT:
      return stout_links(links, {.rho = given.rho,
                                 .steps = steps,
                                 .omitted = omitted,
                                 .weights = over_improved_weights(given.epsilon),
                                 .anisotropy = anisotropy});
    case QUDA_GAUGE_SMEAR_HYP:
      require(anisotropy == 1.0, [&] {
        return fmt::format("smear_anisotropy = {}: HYP smearing has none, and QUDA ignores it: set it to 1",
                           anisotropy);
      });
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

/// A client's flow. Newer headers have more members.
template <class Structure>
FlowParameters flow_parameters(const Structure& given) {
  require_same_size(given, "QudaGaugeSmearParam");
  FlowParameters flow{
      .step = given.epsilon, .weights = flow_weights(given.smear_type), .anisotropy = anisotropy_of(given)};
  if constexpr (requires { given.rk_order; }) flow.order = static_cast<int>(given.rk_order);
  return flow;
}

/// Makes `links` the smeared links of the program.
void keep(GaugeField<double> links, const ResidentLinks& from) {
  const LinkFactors factors = from.factors;
  const bool single = from.single;
  state().set_links(LinkKind::smeared, {std::move(links), factors, LinkStorage::full, single});
}

/// All steps, with a measurement before the first and after every `meas_interval` of them. `advance(steps)` returns the
/// links after further steps.
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
  const ResidentLinks& resident = state().links(LinkKind::wilson);
  require_plain(resident, "smearing");
  make_steps(given, observables, resident,
             [&](int steps) { return smeared(state().links(LinkKind::smeared).links, given, steps); });
}

void flow(const QudaGaugeSmearParam& given, QudaGaugeObservableParam* observables) {
  const FlowParameters parameters = flow_parameters(given);
  const bool restart = given.restart == QUDA_BOOLEAN_TRUE;
  const ResidentLinks& resident = state().links(restart ? LinkKind::smeared : LinkKind::wilson);
  require_plain(resident, "a flow");
  GradientFlow links(resident.links, parameters);
  make_steps(given, observables, resident, [&](int steps) {
    links.advance(steps);
    return links.links().clone();
  });
}

/// Links and fermions.
void flow_fermions(std::span<void* const> h_out, std::span<void* const> h_in, const QudaInvertParam& of,
                   const QudaGaugeSmearParam& given, QudaGaugeObservableParam* observables) {
  const FlowParameters parameters = flow_parameters(given);
  const ResidentLinks& resident =
      state().links(given.restart == QUDA_BOOLEAN_TRUE ? LinkKind::smeared : LinkKind::wilson);
  require_plain(resident, "a flow");
  const HopFactors sign{.antiperiodic = resident.factors.antiperiodic};
  const SpinorDescription spinors = describe_plain_spinors(of);
  const int count = static_cast<int>(h_in.size());
  SpinorField<double> chi(resident.links.lattice(), {.spins = spins_of(of), .right_hand_sides = count});
  read_spinors(chi, h_in, spinors);
  FermionFlow flow(with_factors(resident), chi, parameters);
  make_steps(given, observables, resident, [&](int steps) {
    flow.advance(steps);
    GaugeField<double> links = flow.links().clone();
    multiply_hop_factors(links, sign);  // with_factors, undone
    return links;
  });
  write_spinors(h_out, flow.fermions(), spinors);
}

/// Checks a client's pointers and calls the function above.
void flow_fermions(std::span<void* const> h_out, std::span<void* const> h_in, QudaInvertParam* of,
                   const QudaGaugeSmearParam* given, QudaGaugeObservableParam* observables) {
  call("performGFlowQuda", of, [&](const QudaInvertParam& parameters) {
    require(given != nullptr, "the parameters are NULL");
    require(h_in.data() != nullptr && h_out.data() != nullptr, "a list of pointers to spinors is NULL");
    flow_fermions(h_out, h_in, parameters, *given, observables);
  });
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void performGaugeSmearQuda(QudaGaugeSmearParam* smear_param, QudaGaugeObservableParam* obs_param) {
  call(__func__, smear_param, [&](const QudaGaugeSmearParam& given) { smear(given, obs_param); });
}

void performWFlowQuda(QudaGaugeSmearParam* smear_param, QudaGaugeObservableParam* obs_param) {
  call(__func__, smear_param, [&](const QudaGaugeSmearParam& given) { flow(given, obs_param); });
}

#ifdef KAON_QUDA_FLOWS_SETS
void performGFlowQuda(void** h_out, void** h_in, QudaInvertParam* inv_param, QudaGaugeSmearParam* smear_param,
                      QudaGaugeObservableParam* obs_param, size_t nSpinors) {
  flow_fermions({h_out, nSpinors}, {h_in, nSpinors}, inv_param, smear_param, obs_param);
}
#else
void performGFlowQuda(void* h_out, void* h_in, QudaInvertParam* inv_param, QudaGaugeSmearParam* smear_param,
                      QudaGaugeObservableParam* obs_param) {
  flow_fermions({&h_out, 1}, {&h_in, 1}, inv_param, smear_param, obs_param);
}
#endif
}
