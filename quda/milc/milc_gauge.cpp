// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/parameters.hpp"
#include "quda/milc/milc.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <vector>

// MILC's functions for gauge fields and momenta, on top of those of quda.h.

namespace kaon::quda {
namespace {

/// Links in MILC's structures of sites, or in an array.
QudaGaugeParam site_parameters(int precision, const QudaMILCSiteArg_t& sites, int phases) {
  QudaGaugeParam param = link_parameters(precision, QUDA_WILSON_LINKS);
  if (sites.site != nullptr) {
    param.gauge_order = QUDA_MILC_SITE_GAUGE_ORDER;
    param.gauge_offset = sites.link_offset;
    param.mom_offset = sites.mom_offset;
    param.site_size = sites.size;
  }
  param.staggered_phase_applied = phases;
  if (phases != 0) param.t_boundary = QUDA_ANTI_PERIODIC_T;
  return param;
}

/// The parameters of momenta, and of links that the momenta change.
QudaGaugeParam momentum_parameters(int precision, const QudaMILCSiteArg_t* sites, int phases = 0) {
  require(sites != nullptr, "the structure of sites is NULL");
  QudaGaugeParam param = site_parameters(precision, *sites, phases);
  param.use_resident_mom = param.make_resident_mom = milc().momenta_resident;
  return param;
}

void* links_of(const QudaMILCSiteArg_t& sites) { return sites.site != nullptr ? sites.site : sites.link; }
void* momenta_of(const QudaMILCSiteArg_t& sites) { return sites.site != nullptr ? sites.site : sites.mom; }

/// Runs `measure` with MILC's links resident.
template <class Measure>
void with_links_of(const char* function, int precision, QudaMILCSiteArg_t* arg, int phases, const Measure& measure) {
  kaon::quda::call(function, [&] {
    require(arg != nullptr, "the structure of sites is NULL");
    QudaGaugeParam param = site_parameters(precision, *arg, phases);
    loadGaugeQuda(links_of(*arg), &param);
    measure();
    freeGaugeQuda();
  });
}

/// MILC's links contain the antiperiodic sign, so that its Polyakov loop has the opposite sign.
void milcs_polyakov_loop(double* loop, int direction) {
  polyakovLoopQuda(loop, direction);
  for (int k = 0; k < 2; ++k) loop[k] = -loop[k];
}

/// The closed paths whose first step is forward in direction mu, without this step, in QUDA's codes: plaquettes,
/// rectangles, and parallelograms in three directions. Each is listed once.
using Loops = std::vector<std::vector<int>>;
using Steps = std::vector<int>;  // +1 to +4 forward in x to t, -1 to -4 backward

/// Rotates the loops of `make(a, b, c)`, for all signed a, b, c in different directions, to each of their links forward
/// in direction mu, and leaves out this first step.
template <class Make>
Loops loops_at(int mu, const Make& make) {
  std::set<Steps> found;
  for (int a = -4; a <= 4; ++a) {
    for (int b = -4; b <= 4; ++b) {
      for (int c = -4; c <= 4; ++c) {
        const std::array<int, 3> sizes{std::abs(a), std::abs(b), std::abs(c)};
        if (a * b * c == 0 || sizes[0] == sizes[1] || sizes[0] == sizes[2] || sizes[1] == sizes[2]) continue;
        Steps loop = make(a, b, c);
        for (std::size_t k = 0; k < loop.size(); ++k) {
          if (loop.front() == mu + 1) found.emplace(loop.begin() + 1, loop.end());
          std::rotate(loop.begin(), loop.begin() + 1, loop.end());
        }
      }
    }
  }
  Loops codes(found.begin(), found.end());
  for (Steps& loop : codes) {
    for (int& step : loop) step = step > 0 ? step - 1 : step + 8;
  }
  return codes;
}

Loops plaquettes_at(int mu) {
  return loops_at(mu, [](int a, int b, int) { return Steps{a, b, -a, -b}; });
}

Loops rectangles_at(int mu) {
  return loops_at(mu, [](int a, int b, int) { return Steps{a, a, b, -a, -a, -b}; });
}

Loops parallelograms_at(int mu) {
  return loops_at(mu, [](int a, int b, int c) { return Steps{a, b, c, -a, -b, -c}; });
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

double qudaMomAction(int precision, QudaMILCSiteArg_t* arg) {
  return call(__func__, [&] {
    QudaGaugeParam param = momentum_parameters(precision, arg);
    return momActionQuda(momenta_of(*arg), &param);
  });
}

void qudaMomLoad(int precision, QudaMILCSiteArg_t* arg) {
  call(__func__, [&] {
    QudaGaugeParam param = momentum_parameters(precision, arg);
    param.make_resident_mom = 1;
    param.return_result_mom = 0;
    momResidentQuda(momenta_of(*arg), &param);
    milc().momenta_resident = true;
  });
}

void qudaMomSave(int precision, QudaMILCSiteArg_t* arg) {
  call(__func__, [&] {
    QudaGaugeParam param = momentum_parameters(precision, arg);
    param.make_resident_mom = 0;
    param.return_result_mom = 1;
    momResidentQuda(momenta_of(*arg), &param);
    milc().momenta_resident = false;
  });
}

// A client with a pipeline of links gets them back from every call, too: the resident ones are no others.
void qudaUpdateUPhasedPipeline(int precision, double eps, QudaMILCSiteArg_t* arg, int phase_in, int) {
  call(__func__, [&] {
    QudaGaugeParam param = momentum_parameters(precision, arg, phase_in);
    updateGaugeFieldQuda(links_of(*arg), momenta_of(*arg), eps, 0, 0, &param);
  });
}

void qudaUpdateUPhased(int precision, double eps, QudaMILCSiteArg_t* arg, int phase_in) {
  qudaUpdateUPhasedPipeline(precision, eps, arg, phase_in, 0);
}

void qudaUpdateU(int precision, double eps, QudaMILCSiteArg_t* arg) { qudaUpdateUPhased(precision, eps, arg, 0); }

void qudaGaugeForcePhased(int precision, int num_loop_types, double milc_loop_coeff[3], double eb3,
                          QudaMILCSiteArg_t* arg, int phase_in) {
  call(__func__, [&] {
    require(num_loop_types >= 1 && num_loop_types <= 3,
            [&] { return fmt::format("num_loop_types = {}: 1 to 3 are possible", num_loop_types); });
    QudaGaugeParam param = momentum_parameters(precision, arg, phase_in);
    param.return_result_mom = !milc().momenta_resident;
    constexpr Loops (*kinds[])(int) = {plaquettes_at, rectangles_at, parallelograms_at};
    std::array<Loops, 4> paths;
    std::array<std::vector<int*>, 4> pointers;
    std::array<int**, 4> of_direction{};
    std::vector<int> lengths;
    std::vector<double> coefficients;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (int kind = 0; kind < num_loop_types; ++kind) {
        for (const std::vector<int>& path : kinds[kind](static_cast<int>(mu))) {
          paths[mu].push_back(path);
          if (mu > 0) continue;
          lengths.push_back(static_cast<int>(path.size()));
          coefficients.push_back(milc_loop_coeff[kind]);
        }
      }
      for (std::vector<int>& path : paths[mu]) pointers[mu].push_back(path.data());
      of_direction[mu] = pointers[mu].data();
    }
    computeGaugeForceQuda(momenta_of(*arg), links_of(*arg), of_direction.data(), lengths.data(), coefficients.data(),
                          static_cast<int>(lengths.size()), 6, eb3, &param);
  });
}

void qudaGaugeForce(int precision, int num_loop_types, double milc_loop_coeff[3], double eb3, QudaMILCSiteArg_t* arg) {
  qudaGaugeForcePhased(precision, num_loop_types, milc_loop_coeff, eb3, arg, 0);
}

// MILC adds what it gets to its momenta.
void qudaHisqForce(int precision, int num_terms, int num_naik_terms, double dt, double** coeff, void** quark_field,
                   const double level2_coeff[6], const double fat7_coeff[6], const void* const w_link,
                   const void* const v_link, const void* const u_link, void* const milc_momentum) {
  call(__func__, [&] {
    QudaGaugeParam param = link_parameters(precision, QUDA_GENERAL_LINKS);
    param.use_resident_mom = param.make_resident_mom = milc().momenta_resident;
    param.return_result_mom = !milc().momenta_resident;
    computeHISQForceQuda(milc_momentum, dt, level2_coeff, fat7_coeff, w_link, v_link, u_link, quark_field, num_terms,
                         num_naik_terms, coeff, &param);
  });
}

void qudaUnitarizeSU3Phased(int prec, double tol, QudaMILCSiteArg_t* arg, int phase_in) {
  call(__func__, [&] {
    QudaGaugeParam param = momentum_parameters(prec, arg, phase_in);
    projectSU3Quda(links_of(*arg), tol, &param);
    freeGaugeQuda();
  });
}

void qudaGaugeFixingOVR(int precision, unsigned int gauge_dir, int Nsteps, int verbose_interval, double relax_boost,
                        double tolerance, unsigned int reunit_interval, unsigned int stopWtheta,
                        QudaMILCSiteArg_t* arg) {
  call(__func__, [&] {
    require(arg != nullptr, "the structure of sites is NULL");
    QudaGaugeParam param = site_parameters(precision, *arg, 0);
    computeGaugeFixingOVRQuda(links_of(*arg), gauge_dir, static_cast<unsigned>(std::max(0, Nsteps)),
                              static_cast<unsigned>(std::max(0, verbose_interval)), relax_boost, tolerance,
                              reunit_interval, stopWtheta, &param);
  });
}

void qudaGaugeFixingFFT(int precision, unsigned int gauge_dir, int Nsteps, int verbose_interval, double alpha,
                        unsigned int autotune, double tolerance, unsigned int stopWtheta, void* milc_sitelink) {
  call(__func__, [&] {
    QudaGaugeParam param = link_parameters(precision, QUDA_WILSON_LINKS);
    computeGaugeFixingFFTQuda(milc_sitelink, gauge_dir, static_cast<unsigned>(std::max(0, Nsteps)),
                              static_cast<unsigned>(std::max(0, verbose_interval)), alpha, autotune, tolerance,
                              stopWtheta, &param);
  });
}

void qudaUnitarizeSU3(int prec, double tol, QudaMILCSiteArg_t* arg) { qudaUnitarizeSU3Phased(prec, tol, arg, 0); }

void qudaRephase(int prec, void* gauge, int flag, double i_mu) {
  call(__func__, [&] {
    QudaGaugeParam param = link_parameters(prec, QUDA_WILSON_LINKS);
    param.i_mu = i_mu;
    param.t_boundary = QUDA_ANTI_PERIODIC_T;
    param.staggered_phase_applied = 1 - flag;
    staggeredPhaseQuda(gauge, &param);
  });
}

void qudaPlaquettePhased(int precision, double plaq[3], QudaMILCSiteArg_t* arg, int phase_in) {
  with_links_of(__func__, precision, arg, phase_in, [&] { plaqQuda(plaq); });
}

void qudaGaugeLoopTracePhased(int precision, double* traces, int** input_path_buf, int* path_length, double* loop_coeff,
                              int num_paths, int max_length, double factor, QudaMILCSiteArg_t* arg, int phase_in) {
  with_links_of(__func__, precision, arg, phase_in, [&] {
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(traces), input_path_buf, path_length, loop_coeff,
                              num_paths, max_length, factor);
  });
}

void qudaGaugeMeasurementsPhased(int precision, double plaq[3], double ploop[2], int dir, double* traces,
                                 int** input_path_buf, int* path_length, double* loop_coeff, int num_paths,
                                 int max_length, double factor, QudaMILCSiteArg_t* arg, int phase_in) {
  with_links_of(__func__, precision, arg, phase_in, [&] {
    plaqQuda(plaq);
    milcs_polyakov_loop(ploop, dir);
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(traces), input_path_buf, path_length, loop_coeff,
                              num_paths, max_length, factor);
  });
}

void qudaPolyakovLoopPhased(int precision, double ploop[2], int dir, QudaMILCSiteArg_t* arg, int phase_in) {
  with_links_of(__func__, precision, arg, phase_in, [&] { milcs_polyakov_loop(ploop, dir); });
}

void qudaHisqParamsInit(QudaHisqParams_t) {}  // the projection to U(3) needs none

void qudaLoadKSLink(int precision, QudaFatLinkArgs_t, const double act_path_coeff[6], void* inlink, void* fatlink,
                    void* longlink) {
  QudaGaugeParam param = link_parameters(precision, QUDA_GENERAL_LINKS);
  computeKSLinkQuda(fatlink, longlink, nullptr, inlink, const_cast<double*>(act_path_coeff), &param);
  freeGaugeQuda();
  milc().makes_links = true;
}

void qudaLoadUnitarizedLink(int precision, QudaFatLinkArgs_t, const double path_coeff[6], void* inlink, void* fatlink,
                            void* ulink) {
  QudaGaugeParam param = link_parameters(precision, QUDA_GENERAL_LINKS);
  computeKSLinkQuda(fatlink, nullptr, ulink, inlink, const_cast<double*>(path_coeff), &param);
  freeGaugeQuda();
  milc().makes_links = true;
}

void qudaFreeGaugeField() { freeGaugeQuda(); }
}
