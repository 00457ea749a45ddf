// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/reference/gauge.hpp"
#include "tests/reference/improved_links.hpp"
#include "tests/reference/staggered.hpp"
#include "tests/reference/wilson.hpp"

#include <gtest/gtest.h>
#include <quda.h>

#include <array>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

// A client of QUDA's interface, with fields of the slow reference in the orders that clients have.

namespace kaon::test {

using reference::Complex;

inline const Coordinates extents{4, 4, 4, 8};

/// The place of a site in the client's even-odd order.
inline std::size_t even_odd_place(const Coordinates& x) {
  const auto volume = static_cast<std::size_t>(volume_of(extents));
  const auto half = static_cast<std::size_t>(lexicographic_index(x, extents)) / 2;
  return half + (reference::parity_of(x) == 1 ? volume / 2 : 0);
}

/// Between the reference's order of sites and the client's.
inline std::vector<Complex> reordered(const std::vector<Complex>& field, bool to_client) {
  const std::size_t components = field.size() / static_cast<std::size_t>(volume_of(extents));
  std::vector<Complex> result(field.size());
  reference::for_each_site(extents, [&](const Coordinates& x) {
    const auto plain = static_cast<std::size_t>(lexicographic_index(x, extents)) * components;
    const std::size_t client = even_odd_place(x) * components;
    for (std::size_t c = 0; c < components; ++c) {
      result[(to_client ? client : plain) + c] = field[(to_client ? plain : client) + c];
    }
  });
  return result;
}
inline std::vector<Complex> even_odd(const std::vector<Complex>& field) { return reordered(field, true); }
inline std::vector<Complex> lexicographic(const std::vector<Complex>& field) { return reordered(field, false); }

/// The half of a field in the client's order that is on a parity.
inline Complex* half(std::vector<Complex>& field, int parity) {
  return field.data() + (parity == 1 ? field.size() / 2 : 0);
}

inline std::vector<Complex> times(std::vector<Complex> field, double factor) {
  for (Complex& z : field) z *= factor;
  return field;
}

/// Spin 0 of a spinor, and a spinor of it alone.
inline std::vector<Complex> first_spin(const reference::Spinor& psi) {
  std::vector<Complex> chi;
  for (std::size_t k = 0; k < psi.size(); k += 12) chi.insert(chi.end(), {psi[k], psi[k + 1], psi[k + 2]});
  return chi;
}
inline reference::Spinor with_spin(const std::vector<Complex>& chi) {
  reference::Spinor psi(4 * chi.size());
  for (std::size_t k = 0; k < chi.size(); ++k) psi[12 * (k / 3) + k % 3] = chi[k];
  return psi;
}

/// Links in QDP's order: an array for each direction.
struct QdpLinks {
  explicit QdpLinks(const reference::Links& links) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      std::vector<Complex> of_mu;
      for (std::size_t k = 0; k < links.size(); ++k) {
        if (k / 9 % 4 == mu) of_mu.push_back(links[k]);
      }
      parts[mu] = even_odd(of_mu);
    }
  }
  void** pointers() {
    for (std::size_t mu = 0; mu < 4; ++mu) addresses[mu] = parts[mu].data();
    return addresses.data();
  }
  std::array<std::vector<Complex>, 4> parts;
  std::array<void*, 4> addresses{};
};

/// Links of QDP's order back in the reference's.
inline reference::Links from_qdp(const QdpLinks& links) {
  reference::Links result(4 * links.parts[0].size());
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const std::vector<Complex> of_mu = lexicographic(links.parts[mu]);
    for (std::size_t k = 0; k < of_mu.size(); ++k) result[k / 9 * 36 + 9 * mu + k % 9] = of_mu[k];
  }
  return result;
}

/// Links times -1 on temporal ones of the last time slice, and times a number in space.
inline reference::Links multiplied(reference::Links links, bool antiperiodic, double spatial) {
  const std::size_t slice = links.size() / static_cast<std::size_t>(extents[3]);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const bool in_time = k / 9 % 4 == 3;
    if (!in_time) links[k] *= spatial;
    if (in_time && antiperiodic && k >= links.size() - slice) links[k] *= -1.0;
  }
  return links;
}

inline QudaGaugeParam gauge_param(QudaLinkType type = QUDA_WILSON_LINKS) {
  QudaGaugeParam param = newQudaGaugeParam();
  for (std::size_t mu = 0; mu < 4; ++mu) param.X[mu] = extents[mu];
  param.type = type;
  param.anisotropy = 1.0;
  param.gauge_order = QUDA_QDP_GAUGE_ORDER;
  param.t_boundary = QUDA_ANTI_PERIODIC_T;
  param.cpu_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec_sloppy = QUDA_HALF_PRECISION;
  param.reconstruct = QUDA_RECONSTRUCT_NO;
  param.reconstruct_sloppy = QUDA_RECONSTRUCT_12;
  param.gauge_fix = QUDA_GAUGE_FIXED_NO;
  param.ga_pad = 0;
  return param;
}

/// Makes a client's links resident for any later calls with these parameters.
inline void load_links(QdpLinks& links, QudaGaugeParam param) {
  param.use_resident_gauge = 0;
  loadGaugeQuda(links.pointers(), &param);
}

/// Text that a call writes through `setVerbosityQuda`'s file.
inline std::string written(const std::function<void()>& call, QudaVerbosity verbosity = QUDA_SUMMARIZE) {
  std::FILE* const file = std::tmpfile();
  setVerbosityQuda(verbosity, "prefix: ", file);
  call();
  setVerbosityQuda(QUDA_SILENT, "", stderr);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

/// `performGFlowQuda` for one fermion; newer headers take arrays.
template <class Of>
void flow_fermion(void* out, void* in, Of* of, QudaGaugeSmearParam* param, QudaGaugeObservableParam* observables) {
  if constexpr (requires { performGFlowQuda(&out, &in, of, param, observables, std::size_t{1}); }) {
    performGFlowQuda(&out, &in, of, param, observables, 1);
  } else {
    performGFlowQuda(out, in, of, param, observables);
  }
}

inline QudaInvertParam invert_param(QudaDslashType dslash) {
  QudaInvertParam param = newQudaInvertParam();
  param.dslash_type = dslash;
  param.inv_type = QUDA_BICGSTAB_INVERTER;
  // 1/2: MatQuda divides results of staggered matrices, too, by 2 kappa in mass normalisation.
  param.kappa = dslash == QUDA_STAGGERED_DSLASH || dslash == QUDA_ASQTAD_DSLASH ? 0.5 : 0.124;
  param.mass = 0.3;
  param.mu = 0.1;
  param.twist_flavor = QUDA_TWIST_SINGLET;
  param.clover_coeff = 1.3 * param.kappa;
  param.compute_clover = 1;
  param.compute_clover_inverse = 1;
  param.clover_cpu_prec = QUDA_DOUBLE_PRECISION;
  param.clover_cuda_prec = QUDA_DOUBLE_PRECISION;
  param.clover_order = QUDA_PACKED_CLOVER_ORDER;
  param.solution_type = QUDA_MAT_SOLUTION;
  param.solve_type = QUDA_DIRECT_PC_SOLVE;
  param.matpc_type = QUDA_MATPC_EVEN_EVEN;
  param.dagger = QUDA_DAG_NO;
  param.mass_normalization = QUDA_KAPPA_NORMALIZATION;
  param.cpu_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec = QUDA_DOUBLE_PRECISION;
  param.cuda_prec_sloppy = QUDA_HALF_PRECISION;
  param.dirac_order = QUDA_DIRAC_ORDER;
  param.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
  param.tol = 1e-10;
  param.maxiter = 2000;
  param.reliable_delta = 0.1;
  param.verbosity = QUDA_SILENT;
  return param;
}

/// N in of a client's matrix, in the reference's order.
inline std::vector<Complex> mat(const std::vector<Complex>& in, QudaInvertParam param) {
  std::vector<Complex> from = even_odd(in), out(in.size());
  MatQuda(out.data(), from.data(), &param);
  return lexicographic(out);
}

inline reference::Links random_links(unsigned seed) {
  std::mt19937_64 generator(seed);
  return reference::random_links(extents, generator);
}
/// Normal numbers on all sites, in the client's order.
inline std::vector<Complex> random_field(int components, unsigned seed) {
  std::mt19937_64 generator(seed);
  return reference::random_vector(static_cast<std::size_t>(components * volume_of(extents)), generator);
}

inline constexpr double u0 = 0.87;

/// asqtad's coefficients in QUDA's order, with signs for links that hold phases.
inline std::array<double, 6> asqtad_with_phases() {
  const reference::PathCoefficients paths = reference::asqtad_paths(u0);
  return {paths.one_link,    -1.0 / (24.0 * u0 * u0), -paths.three_staple,
          paths.five_staple, -paths.seven_staple,     paths.lepage};
}

/// asqtad's operator on plain links.
inline reference::StaggeredOperator asqtad_operator(const reference::Links& links, double mass) {
  return {reference::fat_links(links, reference::asqtad_paths(u0), extents),
          reference::third_links(links, extents),
          extents,
          {.mass = mass, .third_weight = -1.0 / (24.0 * u0 * u0)}};
}

/// Links and, where the operator has one, a clover term that are resident while the object lives.
class Loaded {
 public:
  explicit Loaded(const reference::Links& links, QudaDslashType dslash, double anisotropy = 1.0)
      : given_(dslash == QUDA_STAGGERED_DSLASH ? reference::fold_phases(links, extents, true, 1)
                                               : multiplied(links, true, 1.0 / anisotropy)) {
    QudaGaugeParam param = gauge_param();
    param.anisotropy = anisotropy;
    if (dslash == QUDA_STAGGERED_DSLASH) {
      param.staggered_phase_type = QUDA_STAGGERED_PHASE_MILC;
      param.staggered_phase_applied = 1;
    }
    loadGaugeQuda(given_.pointers(), &param);
    if (dslash == QUDA_CLOVER_WILSON_DSLASH || dslash == QUDA_TWISTED_CLOVER_DSLASH) {
      QudaInvertParam clover = invert_param(dslash);
      loadCloverQuda(nullptr, nullptr, &clover);
    }
  }
  ~Loaded() {
    freeCloverQuda();
    freeGaugeQuda();
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

 private:
  QdpLinks given_;
};

}  // namespace kaon::test
