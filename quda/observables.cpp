// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/call.hpp"
#include "quda/parameters.hpp"
#include "quda/state.hpp"

#include <kaon/gauge/plaquette.hpp>
#include <kaon/gauge/polyakov_loop.hpp>

#include <cmath>
#include <complex>

namespace kaon::quda {
namespace {

/// Mean, spatial and temporal plaquette of the resident links, as the client multiplied them.
void measure_plaquette(double (&result)[3]) {
  const ResidentLinks& resident = state().links(Links::wilson);
  const Plaquette found = plaquette(resident.links);
  const double w = resident.factors.spatial;
  result[1] = std::pow(w, 4) * found.spatial;
  result[2] = w * w * found.temporal;
  result[0] = 0.5 * (result[1] + result[2]);
}

/// The trace of the Polyakov loop, averaged over space, of the resident links as the client multiplied them.
void measure_polyakov_loop(double (&result)[2]) {
  const ResidentLinks& resident = state().links(Links::wilson);
  const std::complex<double> found = (resident.factors.antiperiodic ? -3.0 : 3.0) * polyakov_loop(resident.links);
  result[0] = found.real();
  result[1] = found.imag();
}

}  // namespace
}  // namespace kaon::quda

using kaon::quda::call;

extern "C" {

void plaqQuda(double plaq[3]) {
  call(__func__, [&] {
    kaon::require(plaq != nullptr, "the pointer to the plaquette is NULL");
    double result[3];
    kaon::quda::measure_plaquette(result);
    std::copy_n(result, 3, plaq);
  });
}

void polyakovLoopQuda(double ploop[2], int dir) {
  call(__func__, [&] {
    kaon::require(ploop != nullptr, "the pointer to the Polyakov loop is NULL");
    kaon::require(dir == 3, [&] { return fmt::format("dir = {}: loops in time, dir = 3, are supported", dir); });
    double result[2];
    kaon::quda::measure_polyakov_loop(result);
    std::copy_n(result, 2, ploop);
  });
}

void gaugeObservablesQuda(QudaGaugeObservableParam* param) {
  call(__func__, param, [](QudaGaugeObservableParam& given) {
    kaon::quda::require_same_size(given, "QudaGaugeObservableParam");
    const auto refuse = [](QudaBoolean wanted, const char* name) {
      kaon::require(wanted != QUDA_BOOLEAN_TRUE, [&] {
        return fmt::format("{} is not supported; supported: compute_plaquette, compute_polyakov_loop", name);
      });
    };
    refuse(given.compute_gauge_loop_trace, "compute_gauge_loop_trace");
    refuse(given.compute_qcharge, "compute_qcharge");
    refuse(given.compute_qcharge_density, "compute_qcharge_density");
    refuse(given.su_project, "su_project");
    if (given.compute_plaquette == QUDA_BOOLEAN_TRUE) kaon::quda::measure_plaquette(given.plaquette);
    if (given.compute_polyakov_loop == QUDA_BOOLEAN_TRUE) kaon::quda::measure_polyakov_loop(given.ploop);
  });
}
}
