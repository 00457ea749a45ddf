// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/links/observables.hpp"

#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/links/paths.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/observables.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace kaon::quda {
namespace {

/// Mean, spatial and temporal plaquette of links as the client multiplied them.
void measure_plaquette(const ResidentLinks& resident, double (&result)[3]) {
  const Plaquette found = plaquette(resident.links);
  const double w = resident.factors.spatial;
  result[1] = std::pow(w, 4) * found.spatial;
  result[2] = w * w * found.temporal;
  result[0] = 0.5 * (result[1] + result[2]);
}

/// Mean, spatial and temporal 2x1 rectangle in both positions, of links as the client multiplied them. Older headers
/// lack it.
template <class Structure>
void measure_rectangle(const ResidentLinks& resident, Structure& given) {
  if constexpr (requires { given.compute_rectangle; }) {
    if (given.compute_rectangle != QUDA_BOOLEAN_TRUE) return;
    std::vector<LinkPath> rectangles;
    std::vector<int> steps_in_space;
    for (int mu = 1; mu <= directions; ++mu) {
      for (int nu = 1; nu <= directions; ++nu) {
        if (nu == mu) continue;
        rectangles.push_back({mu, mu, nu, -mu, -mu, -nu});
        steps_in_space.push_back((mu < directions ? 4 : 0) + (nu < directions ? 2 : 0));
      }
    }
    const std::vector<std::complex<double>> traces = loop_traces(resident.links, rectangles);
    double means[2] = {0.0, 0.0};
    for (std::size_t k = 0; k < traces.size(); ++k) {
      means[steps_in_space[k] < 6] += std::pow(resident.factors.spatial, steps_in_space[k]) * traces[k].real() / 6.0;
    }
    given.rectangle[0] = 0.5 * (means[0] + means[1]);
    given.rectangle[1] = means[0];
    given.rectangle[2] = means[1];
  }
}

/// The trace of the Polyakov loop, averaged over space, of links as the client multiplied them.
void measure_polyakov_loop(const ResidentLinks& resident, double (&result)[2]) {
  const std::complex<double> found = (resident.factors.antiperiodic ? -3.0 : 3.0) * polyakov_loop(resident.links);
  result[0] = found.real();
  result[1] = found.imag();
}

/// Energy, summed over planes, in space and in time, and topological charge of links as the client multiplied them:
/// F_xy has four links in space, F_xt two.
void measure_charge(const ResidentLinks& resident, QudaGaugeObservableParam& given) {
  const CloverObservables found = clover_observables(resident.links);
  const double w2 = std::pow(resident.factors.spatial, 2);
  given.energy[1] = std::pow(w2, 4) * found.spatial_energy;
  given.energy[2] = std::pow(w2, 2) * found.temporal_energy;
  given.energy[0] = given.energy[1] + given.energy[2];
  given.qcharge = std::pow(w2, 3) * found.charge;
}

/// The density of the charge on the sites of this process, even ones first.
template <class T>
void copy_charge_density(const ResidentLinks& resident, T* to) {
  const std::vector<double> density = topological_charge_density(resident.links);
  const double factor = std::pow(resident.factors.spatial, 6);
  const Coordinates& extents = resident.links.lattice().local_extents();
  for (std::size_t k = 0; k < density.size(); ++k) {
    const Coordinates x = lexicographic_site(static_cast<std::ptrdiff_t>(k), extents);
    const bool odd = (x[0] + x[1] + x[2] + x[3]) % 2 != 0;
    to[k / 2 + (odd ? density.size() / 2 : 0)] = static_cast<T>(factor * density[k]);
  }
}

}  // namespace

void measure_observables(QudaGaugeObservableParam& given) {
  require_same_size(given, "QudaGaugeObservableParam");
  ResidentLinks resident = shared(state().smeared_or_gauge_links());
  if (given.su_project == QUDA_BOOLEAN_TRUE) resident.links = project_to_su3(resident.links);
  if (given.compute_plaquette == QUDA_BOOLEAN_TRUE) measure_plaquette(resident, given.plaquette);
  measure_rectangle(resident, given);
  if (given.compute_polyakov_loop == QUDA_BOOLEAN_TRUE) measure_polyakov_loop(resident, given.ploop);
  const bool density = given.compute_qcharge_density == QUDA_BOOLEAN_TRUE;
  if (density || given.compute_qcharge == QUDA_BOOLEAN_TRUE) measure_charge(resident, given);
  if (density) {
    require(given.qcharge_density != nullptr, "compute_qcharge_density is set, but qcharge_density is NULL");
    if (resident.single) {
      copy_charge_density(resident, static_cast<float*>(given.qcharge_density));
    } else {
      copy_charge_density(resident, static_cast<double*>(given.qcharge_density));
    }
  }
  if (given.compute_gauge_loop_trace == QUDA_BOOLEAN_TRUE) {
    require(given.traces != nullptr, "compute_gauge_loop_trace is set, but traces is NULL");
    const auto found =
        traces_of(resident, given.input_path_buff,
                  {given.num_paths, given.path_length, given.max_length, given.loop_coeff}, given.factor);
    std::copy(found.begin(), found.end(), reinterpret_cast<std::complex<double>*>(given.traces));
  }
}

}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void plaqQuda(double plaq[3]) {
  call(__func__, [&] {
    require(plaq != nullptr, "the pointer to the plaquette is NULL");
    double result[3];
    measure_plaquette(state().links(LinkKind::wilson), result);
    std::copy_n(result, 3, plaq);
  });
}

void polyakovLoopQuda(double ploop[2], int dir) {
  call(__func__, [&] {
    require(ploop != nullptr, "the pointer to the Polyakov loop is NULL");
    require(dir == 3, [&] { return fmt::format("dir = {}: loops in time, dir = 3, are supported", dir); });
    double result[2];
    measure_polyakov_loop(state().smeared_or_gauge_links(), result);
    std::copy_n(result, 2, ploop);
  });
}

void gaugeObservablesQuda(QudaGaugeObservableParam* param) {
  call(__func__, param, [](QudaGaugeObservableParam& given) { measure_observables(given); });
}
}
