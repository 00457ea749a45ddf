// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/action_terms.hpp"

#include <kaon/gauge/momenta.hpp>
#include <kaon/solvers/solver.hpp>

using namespace kaon::capi;

struct kaon_action_term : MadeObject {
  std::shared_ptr<kaon::ActionTerm> term;
};

namespace {

const kaon::GaugeField<double>& links_of(const kaon_gauge* gauge) {
  return in_precision<double>(gauge->links, "gauge");
}

}  // namespace

extern "C" {

kaon_status kaon_action_term_create_gauge(const kaon_gauge_action_options* options, kaon_action_term** term) {
  return call(__func__, {{"options", options}, {"term", term}}, [&] {
    const auto& given = checked(*options);
    *term = new kaon_action_term{Place{kaon::capi::session()}, gauge_term(given)};
  });
}

kaon_status kaon_action_term_create_quarks(const kaon_operator_options* quarks, const kaon_quark_term_options* options,
                                           kaon_action_term** term) {
  const Arguments arguments{{"quarks", quarks}, {"options", options, or_defaults}, {"term", term}};
  return call(__func__, arguments, [&] {
    const auto& physics = checked(*quarks);
    const kaon_quark_term_options& given = options_or_defaults(options);
    SharedLinks own;
    *term = new kaon_action_term{Place{kaon::capi::session()}, quark_term(physics, given, own)};
  });
}

kaon_status kaon_action_term_draw(kaon_action_term* term, const kaon_gauge* gauge, uint64_t seed, uint32_t stream,
                                  double* value) {
  const Arguments arguments{{"term", term}, {"gauge", gauge}, {"seed", seed}, {"stream", stream}, {"value", value}};
  return collective<kaon::SolveError>(
      __func__, arguments, [&] { *value = term->term->draw(links_of(gauge), {.seed = seed, .stream = stream}); });
}

kaon_status kaon_action_term_value(kaon_action_term* term, const kaon_gauge* gauge, double* value) {
  return collective<kaon::SolveError>(__func__, {{"term", term}, {"gauge", gauge}, {"value", value}},
                                      [&] { *value = term->term->value(links_of(gauge)); });
}

kaon_status kaon_action_term_kick(kaon_action_term* term, kaon_momenta* momenta, const kaon_gauge* gauge, double dt) {
  const Arguments arguments{{"term", term}, {"momenta", momenta}, {"gauge", gauge}, {"dt", dt}};
  return collective<kaon::SolveError>(__func__, arguments, [&] {
    kaon::GaugeField<double>& kicked = momenta->field;
    const kaon::GaugeField<double>& links = links_of(gauge);
    kaon::GaugeField<double> matrices(links.lattice());
    term->term->add_force(matrices, links);
    kaon::kick_momenta(kicked, matrices, dt);
  });
}

kaon_status kaon_action_term_iterations(const kaon_action_term* term, double* iterations) {
  return call(__func__, {{"term", term}},
              [&] { needed(iterations, "iterations") = static_cast<double>(term->term->iterations()); });
}

void kaon_action_term_destroy(kaon_action_term** term) { destroy(term); }
}
