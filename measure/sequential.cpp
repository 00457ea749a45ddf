// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "baryon_terms.hpp"
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "gamma_matrices.hpp"
#include "momentum_bounds.hpp"
#include "operators/stencil/crossing.hpp"
#include "propagator_checks.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/operators/covariant_sum.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace kaon {
namespace {

using detail::Colors;
using detail::Complex;
using detail::SiteSpinor;

/// The sites of a sequential source, and exp(i p.(x - x0)) on them.
struct SourceWave {
  int time;  ///< a slice of the lattice; -1: all
  int momentum[3], site[3], origin[4], extent[3];

  SourceWave(const Lattice& lattice, const SequentialParameters& parameters, int sign) : time(-1) {
    const Coordinates& extents = lattice.extents();
    detail::require_momentum(parameters.momentum, extents);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int place = parameters.source_site[mu];
      require(place >= 0 && place < extents[mu], [&] {
        return fmt::format("source {} = {}: the lattice has 0 to {}", "xyzt"[mu], place, extents[mu] - 1);
      });
      origin[mu] = lattice.origin()[mu];
      if (mu == 3) continue;
      momentum[mu] = sign * parameters.momentum[mu];
      site[mu] = place;
      extent[mu] = extents[mu];
    }
    if (!parameters.time) return;
    const int t = *parameters.time;
    require(t >= 0 && t < extents[3], [&] {
      return fmt::format("a sequential source at the distance {} in time: the lattice has 0 to {}", t, extents[3] - 1);
    });
    time = (parameters.source_site[3] + t) % extents[3];
  }

  KOKKOS_FUNCTION bool covers(const int (&x)[4]) const { return time < 0 || x[3] + origin[3] == time; }
  KOKKOS_FUNCTION Complex<double> phase(const int (&x)[4]) const {
    constexpr double turn = 2.0 * std::numbers::pi;
    double angle = 0.0;
    for (int mu = 0; mu < 3; ++mu) {
      angle += turn * (momentum[mu] * (x[mu] + origin[mu] - site[mu]) % extent[mu]) / extent[mu];
    }
    return {Kokkos::cos(angle), Kokkos::sin(angle)};
  }
};

/// eta(x) = exp(i p.(x - x0)) G S(x)
template <class T>
struct SpinProductKernel {
  SiteSpinor<T> eta, s;
  SourceWave wave;
  Complex<double> matrix[4][4];

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!wave.covers(x)) return;
    const Complex<double> phase = wave.phase(x);
    for (int rhs = 0; rhs < 12; ++rhs) {
      for (int color = 0; color < 3; ++color) {
        Complex<double> spins[4];
        for (int spin = 0; spin < 4; ++spin) spins[spin] = s.load(x, 3 * spin + color, rhs);
        for (int row = 0; row < 4; ++row) {
          Complex<double> sum = {};
          for (int spin = 0; spin < 4; ++spin) detail::multiply_add(sum, matrix[row][spin], spins[spin]);
          eta.store(phase * sum, x, 3 * row + color, rhs);
        }
      }
    }
  }
};

/// psi(x) = exp(i p.(x - x0)) psi(x)
template <class T>
struct PlaneWaveKernel {
  SiteSpinor<T> psi;
  SourceWave wave;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const Complex<double> phase = wave.phase(x);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int component = 0; component < psi.components; ++component) {
        psi.store(phase * psi.load(x, component, rhs), x, component, rhs);
      }
    }
  }
};

template <class T>
void set_spin_product(SpinorField<T>& eta, const SpinorField<T>& s, const SpinMatrix& matrix, const SourceWave& wave) {
  detail::require_propagators(eta, s, 4);
  require(&eta != &s, "a sequential source cannot replace the propagator that it is made of");
  blas::set_zero(eta);
  SpinProductKernel<T> kernel{detail::site_access(eta), detail::site_access(s), wave, {}};
  for (std::size_t n = 0; n < 16; ++n) {
    const std::complex<double> entry = matrix[n / 4][n % 4];
    kernel.matrix[n / 4][n % 4] = {entry.real(), entry.imag()};
  }
  detail::for_each_single_site<T>("kaon::sequential_spin_product", eta.lattice(), kernel);
}

/// factor times the product `cross` of the colours of two propagators at pairs of spins.
struct PairOfQuarks {
  int quark[2], sink[2], source[2];
  Complex<double> factor;
};

/// Holds dC/dS at each of the 16 pairs of spins: `begin` has the first product of each pair.
struct Derivative {
  std::vector<PairOfQuarks> products;
  int begin[17] = {};
};

Derivative derivative_of_baryon(const BaryonOperator& sink, const BaryonOperator& source, int quark,
                                const SpinMatrix& projector) {
  const SpinMatrix bar = detail::source_diquark(source);
  using Key = std::array<int, 6>;  // of a product: quark, sink and source of one, then of the other
  std::array<std::map<Key, std::complex<double>>, 16> found;
  const auto add = [&](const detail::Contraction& c, std::size_t n, const std::array<int, 3>& sinks,
                       const std::array<int, 3>& sources, std::complex<double> factor) {
    const auto spins = [&](std::size_t m) {
      return std::array<int, 3>{c.quark[m], sinks[m], sources[static_cast<std::size_t>(c.place[m])]};
    };
    std::array<int, 3> one = spins((n + 1) % 3), other = spins((n + 2) % 3);
    if (other < one) std::swap(one, other);  // `cross` is symmetric
    const std::array<int, 3> self = spins(n);
    found[static_cast<std::size_t>(4 * self[1] + self[2])][{one[0], one[1], one[2], other[0], other[1], other[2]}] +=
        factor;
  };
  for (const detail::Contraction& c : detail::wick_contractions(sink, source)) {
    for (std::size_t n = 0; n < 3; ++n) {
      if (c.quark[n] != quark) continue;
      for (int place = 0; place < 16 * 16 * 16; ++place) {
        const int i = place / 1024, j = place / 256 % 4, s = place / 64 % 4;
        const int k = place / 16 % 4, l = place / 4 % 4, r = place % 4;
        const auto at = [](int spin) { return static_cast<std::size_t>(spin); };
        const std::complex<double> factor =
            c.factor * sink.diquark[at(i)][at(j)] * bar[at(k)][at(l)] * projector[at(r)][at(s)];
        if (factor != 0.0) add(c, n, {i, j, s}, {k, l, r}, factor);
      }
    }
  }
  Derivative derivative;
  for (std::size_t pair = 0; pair < 16; ++pair) {
    for (const auto& [key, factor] : found[pair]) {
      if (std::abs(factor) < 1e-14) continue;  // products of the projector that cancel
      derivative.products.push_back(
          {{key[0], key[3]}, {key[1], key[4]}, {key[2], key[5]}, {factor.real(), factor.imag()}});
    }
    derivative.begin[pair + 1] = static_cast<int>(derivative.products.size());
  }
  return derivative;
}

/// eta(x) = exp(i p.(x - x0)) g5 (dC/dS)^*
template <class T>
struct BaryonSourceKernel {
  SiteSpinor<T> eta;
  SiteSpinor<T> quarks[3];
  SourceWave wave;
  Kokkos::View<PairOfQuarks*, Memory> products;
  int begin[17];
  Complex<double> boundary;

  KOKKOS_FUNCTION Colors<double> load(const int (&x)[4], const PairOfQuarks& product, int n) const {
    Colors<double> colors;
    for (int c = 0; c < 9; ++c) {
      colors.e[c / 3][c % 3] =
          quarks[product.quark[n]].load(x, 3 * product.sink[n] + c / 3, 3 * product.source[n] + c % 3);
    }
    return colors;
  }
  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!wave.covers(x)) return;
    const Complex<double> phase = boundary * wave.phase(x);
    for (int pair = 0; pair < 16; ++pair) {
      Colors<double> sum;
      detail::clear(sum);
      for (int n = begin[pair]; n < begin[pair + 1]; ++n) {
        const PairOfQuarks& product = products(static_cast<std::size_t>(n));
        const Colors<double> colors = detail::cross(load(x, product, 0), load(x, product, 1));
        for (int c = 0; c < 9; ++c) {
          detail::multiply_add(sum.e[c / 3][c % 3], product.factor, colors.e[c / 3][c % 3]);
        }
      }
      const double sign = pair < 8 ? 1.0 : -1.0;  // g5
      for (int c = 0; c < 9; ++c) {
        const Complex<double> value = sum.e[c / 3][c % 3];
        eta.store(phase * Complex<double>{sign * value.re, -sign * value.im}, x, 3 * (pair / 4) + c / 3,
                  3 * (pair % 4) + c % 3);
      }
    }
  }
};

/// field(x) = phase field(x) on the last slice of a direction.
template <class T>
struct EdgeKernel {
  SiteSpinor<T> field;
  int direction, last, right_hand_sides;
  Complex<double> phase;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (x[direction] + field.map.origin[direction] != last) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int component = 0; component < field.components; ++component) {
        field.store(phase * field.load(x, component, rhs), x, component, rhs);
      }
    }
  }
};

/// U_mu(x) psi(x + mu), with the phase of the boundary.
template <class T>
SpinorField<T> shifted(const SpinorField<T>& psi, const GaugeField<T>& links, const BoundaryAngles& boundary,
                       int direction) {
  SpinorField<T> result(psi.lattice(), psi.parameters());
  covariant_shift(result, psi, links, {.direction = direction, .forward = true});
  const auto mu = static_cast<std::size_t>(direction);
  const std::complex<double> phase = detail::boundary_phase(boundary[mu]);
  if (phase == 1.0) return result;
  detail::for_each_single_site<T>("kaon::boundary_phase", psi.lattice(),
                                  EdgeKernel<T>{detail::site_access(result),
                                                direction,
                                                psi.lattice().extents()[mu] - 1,
                                                psi.right_hand_sides(),
                                                {phase.real(), phase.imag()}});
  return result;
}

/// One slice of a field, on both parities.
template <class T>
SpinorField<T> slice_of(const SpinorField<T>& field, int s) {
  SpinorParameters parameters = field.parameters();
  parameters.slices = 1;
  SpinorField<T> slice(field.lattice(), parameters);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    blas::copy(slice.parity(parity), field.parity(parity).slice(s));
  }
  return slice;
}

/// sums += more; without any sums yet, they are `more`.
void add(SpatialSums& sums, SpatialSums more) {
  if (sums.values.empty()) {
    sums = std::move(more);
    return;
  }
  for (std::size_t n = 0; n < sums.values.size(); ++n) sums.values[n] += more.values[n];
}

/// Traces of W with J and B: tr[ J S B Q^dag g5 ].
std::vector<std::complex<double>> traces(const SpatialSums& w, const SpinMatrix& current, const SpinMatrix& source) {
  return meson_traces(w, detail::spin_product(gamma_product(15), current), source);
}

}  // namespace

template <class T>
void set_meson_sequential_source(SpinorField<T>& eta, const SpinorField<T>& antiquark, const SpinMatrix& sink,
                                 const SequentialParameters& parameters) {
  const SpinMatrix g5 = gamma_product(15);
  require(parameters.time.has_value(), "a sequential source through a sink needs its time");
  set_spin_product(eta, antiquark, detail::spin_product(detail::spin_product(g5, detail::adjoint(sink)), g5),
                   SourceWave(antiquark.lattice(), parameters, 1));
}

template <class T>
void set_current_sequential_source(SpinorField<T>& eta, const SpinorField<T>& propagator, const SpinMatrix& current,
                                   const SequentialParameters& parameters) {
  set_spin_product(eta, propagator, current, SourceWave(propagator.lattice(), parameters, -1));
}

template <class T>
void set_baryon_sequential_source(SpinorField<T>& eta, const BaryonOperator& sink, const BaryonOperator& source,
                                  std::span<const SpinorField<T>* const> quarks, int quark, const SpinMatrix& projector,
                                  const SequentialParameters& parameters) {
  const auto needed = static_cast<std::size_t>(std::max(baryon_quarks(sink), baryon_quarks(source)));
  require(quarks.size() == needed, [&] {
    return fmt::format("a baryon of {} different quarks needs as many propagators, not {}", needed, quarks.size());
  });
  require(quark >= 0 && static_cast<std::size_t>(quark) < needed,
          [&] { return fmt::format("a current on quark {}: the baryon has quarks 0 to {}", quark, needed - 1); });
  for (const SpinorField<T>* each : quarks) {
    detail::require_propagators(eta, *each, 4);
    require(&eta != each, "a sequential source cannot replace the propagator that it is made of");
  }
  require(parameters.time.has_value(), "a sequential source through a sink needs its time");
  const Lattice& lattice = eta.lattice();
  const SourceWave wave(lattice, parameters, 1);
  const Derivative derivative = derivative_of_baryon(sink, source, quark, projector);
  require(!derivative.products.empty(), "the quarks of a baryon's sink are not those of its source");
  const Kokkos::View<PairOfQuarks*, Memory> products("kaon::contractions", derivative.products.size());
  Kokkos::deep_copy(products, Kokkos::View<const PairOfQuarks*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                  derivative.products.data(), derivative.products.size()));
  const auto access = [&](std::size_t n) { return detail::site_access(*quarks[std::min(n, needed - 1)]); };
  const bool beyond = parameters.source_site[3] + *parameters.time >= lattice.extents()[3];
  const std::complex<double> phase =
      beyond && parameters.time_boundary != dirichlet ? detail::boundary_phase(parameters.time_boundary) : 1.0;
  const std::complex<double> three = std::conj(phase * phase * phase);  // of Q^dag
  BaryonSourceKernel<T> kernel{.eta = detail::site_access(eta),
                               .quarks = {access(0), access(1), access(2)},
                               .wave = wave,
                               .products = products,
                               .begin = {},
                               .boundary = {three.real(), three.imag()}};
  std::copy(std::begin(derivative.begin), std::end(derivative.begin), std::begin(kernel.begin));
  blas::set_zero(eta);
  detail::for_each_single_site<T>("kaon::baryon_sequential_source", lattice, kernel);
}

template <class T>
void multiply_plane_wave(SpinorField<T>& psi, const Coordinates& source_site, const SpatialMomentum& momentum) {
  require(psi.subset() == Subset::full && psi.slices() == 1,
          "a plane wave needs a field of one slice on both parities");
  const SourceWave wave(psi.lattice(), {.source_site = source_site, .time = std::nullopt, .momentum = momentum}, 1);
  detail::for_each_single_site<T>("kaon::plane_wave", psi.lattice(),
                                  PlaneWaveKernel<T>{detail::site_access(psi), wave, psi.right_hand_sides()});
}

SpinMatrix sequential_meson_source(const SpinMatrix& source) {
  using detail::spin_product;
  const SpinMatrix gt = gamma_product(8);
  const SpinMatrix product =
      spin_product(spin_product(gt, detail::adjoint(source)), spin_product(gt, gamma_product(15)));
  return detail::add_scaled(-1.0, product, {});
}

std::vector<std::complex<double>> sequential_currents(const SpatialSums& w, std::span<const SpinMatrix> currents,
                                                      const SpinMatrix& source) {
  std::vector<std::complex<double>> all(w.momenta * currents.size() * w.times);
  for (std::size_t n = 0; n < currents.size(); ++n) {
    const auto one = traces(w, currents[n], source);
    for (std::size_t p = 0; p < w.momenta; ++p) {
      std::copy_n(one.data() + p * w.times, w.times, all.data() + (p * currents.size() + n) * w.times);
    }
  }
  return all;
}

template <class T>
LinkSpinSums link_spin_sums(const SpinorField<T>& propagator, const SpinorField<T>& sequential,
                            const GaugeField<T>& links, const BoundaryAngles& boundary, int direction,
                            const ContractionParameters& parameters) {
  require(direction >= 0 && direction < 4,
          [&] { return fmt::format("a current along direction {}: directions are 0 to 3", direction); });
  const int slices = propagator.slices();
  require(sequential.slices() == slices, [&] {
    return fmt::format("a current needs equally many slices of both propagators, not {} and {}", slices,
                       sequential.slices());
  });
  LinkSpinSums sums{.direction = direction, .extents = propagator.lattice().extents(), .momenta = parameters.momenta};
  const auto add_sums = [&](const SpinorField<T>& s, const SpinorField<T>& q) {
    detail::require_propagators(s, q, 4);
    add(sums.forward, meson_spin_sums(shifted(s, links, boundary, direction), q, parameters));
    add(sums.backward, meson_spin_sums(s, shifted(q, links, boundary, direction), parameters));
  };
  if (slices == 1) {
    add_sums(propagator, sequential);
    return sums;
  }
  for (int s = 0; s < slices; ++s) add_sums(slice_of(propagator, s), slice_of(sequential, slices - 1 - s));
  return sums;
}

std::vector<std::complex<double>> conserved_current(const LinkSpinSums& sums, const SpinMatrix& source, double weight) {
  const SpinMatrix one = gamma_product(0), gamma = gamma_product(1 << sums.direction);
  std::vector<std::complex<double>> current = traces(sums.backward, detail::add_scaled(1.0, gamma, one), source);
  const auto forward = traces(sums.forward, detail::add_scaled(-1.0, gamma, one), source);
  for (std::size_t n = 0; n < current.size(); ++n) current[n] = 0.5 * weight * (current[n] - forward[n]);
  return current;
}

std::vector<std::complex<double>> derivative_currents(const LinkSpinSums& sums, std::span<const SpinMatrix> currents,
                                                      const SpinMatrix& source) {
  const std::size_t times = sums.forward.times, momenta = sums.forward.momenta;
  const auto mu = static_cast<std::size_t>(sums.direction);
  std::vector<std::complex<double>> all(momenta * currents.size() * times);
  for (std::size_t n = 0; n < currents.size(); ++n) {
    // D = [c(x) + c(x - mu)]/4, c(x) = qbar(x) J U q(x+mu) - qbar(x+mu) J U^dag q(x)
    std::vector<std::complex<double>> c = traces(sums.forward, currents[n], source);
    const auto backward = traces(sums.backward, currents[n], source);
    for (std::size_t k = 0; k < c.size(); ++k) c[k] -= backward[k];
    for (std::size_t p = 0; p < momenta; ++p) {
      const double angle = mu == 3 ? 0.0 : 2.0 * std::numbers::pi * sums.momenta[p][mu] / sums.extents[mu];
      for (std::size_t t = 0; t < times; ++t) {
        const std::size_t before = mu == 3 ? (t + times - 1) % times : t;
        all[(p * currents.size() + n) * times + t] =
            0.25 * (c[p * times + t] + std::polar(1.0, -angle) * c[p * times + before]);
      }
    }
  }
  return all;
}

template void set_meson_sequential_source(SpinorField<double>&, const SpinorField<double>&, const SpinMatrix&,
                                          const SequentialParameters&);
template void set_meson_sequential_source(SpinorField<float>&, const SpinorField<float>&, const SpinMatrix&,
                                          const SequentialParameters&);
template void set_current_sequential_source(SpinorField<double>&, const SpinorField<double>&, const SpinMatrix&,
                                            const SequentialParameters&);
template void set_current_sequential_source(SpinorField<float>&, const SpinorField<float>&, const SpinMatrix&,
                                            const SequentialParameters&);
template void set_baryon_sequential_source(SpinorField<double>&, const BaryonOperator&, const BaryonOperator&,
                                           std::span<const SpinorField<double>* const>, int, const SpinMatrix&,
                                           const SequentialParameters&);
template void set_baryon_sequential_source(SpinorField<float>&, const BaryonOperator&, const BaryonOperator&,
                                           std::span<const SpinorField<float>* const>, int, const SpinMatrix&,
                                           const SequentialParameters&);
template void multiply_plane_wave(SpinorField<double>&, const Coordinates&, const SpatialMomentum&);
template void multiply_plane_wave(SpinorField<float>&, const Coordinates&, const SpatialMomentum&);
template LinkSpinSums link_spin_sums(const SpinorField<double>&, const SpinorField<double>&, const GaugeField<double>&,
                                     const BoundaryAngles&, int, const ContractionParameters&);
template LinkSpinSums link_spin_sums(const SpinorField<float>&, const SpinorField<float>&, const GaugeField<float>&,
                                     const BoundaryAngles&, int, const ContractionParameters&);

}  // namespace kaon
