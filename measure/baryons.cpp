// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "baryon_kernels.hpp"
#include "core/fields/right_hand_sides.hpp"
#include "gamma_matrices.hpp"
#include "momentum_sums.hpp"
#include "propagator_checks.hpp"

#include <kaon/operators/dirichlet.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace kaon {
namespace {

using detail::Colors;
using detail::Complex;
using detail::Contraction;
using detail::cross;
using detail::dot;
using detail::load_colors;

constexpr int most_quarks = detail::most_quarks;

/// T_{ijk i'j'k'} of one i and j of the sink.
template <class T, class V>
struct ThreeQuarkKernel {
  detail::RightHandSides<T> quarks[3];
  int first, second;

  KOKKOS_FUNCTION void operator()(const detail::LaneSite& x, const detail::SiteValues<V>& values) const {
    for (int pair = 0; pair < 16; ++pair) {
      const Colors<V> diquark =
          cross(load_colors<V>(quarks[0], x, first, pair / 4), load_colors<V>(quarks[1], x, second, pair % 4));
      for (int third = 0; third < 16; ++third) {
        values.store((third / 4 * 16 + pair) * 4 + third % 4,
                     dot(diquark, load_colors<V>(quarks[2], x, third / 4, third % 4)));
      }
    }
  }
};

/// 1 for a symmetric matrix, -1 for an antisymmetric one, 0 for others.
double symmetry(const SpinMatrix& matrix) {
  double sign = 0.0;
  for (const double tried : {1.0, -1.0}) {
    bool fits = true;
    for (std::size_t n = 0; n < 16; ++n) fits = fits && matrix[n % 4][n / 4] == tried * matrix[n / 4][n % 4];
    if (fits) sign = tried;
  }
  return sign;
}

/// Leaves one of the contractions that differ by an exchange of the quarks of a diquark, which has a sign, with the sum
/// of their factors: two of the six of a delta.
std::vector<Contraction> without_equal(const std::vector<Contraction>& contractions, const SpinMatrix& sink,
                                       const SpinMatrix& source) {
  std::map<std::array<int, 6>, double> factors;  // by quarks and places
  for (const Contraction& c : contractions) {
    std::array<int, 6> first{c.quark[0], c.quark[1], c.quark[2], c.place[0], c.place[1], c.place[2]};
    double sign = 1.0;
    for (const auto& [at_sink, at_source] : {std::pair{true, false}, {false, true}, {true, true}}) {
      std::array<int, 6> other{c.quark[0], c.quark[1], c.quark[2], c.place[0], c.place[1], c.place[2]};
      if (at_sink) {
        std::swap(other[0], other[1]);
        std::swap(other[3], other[4]);
      }
      for (std::size_t n = 3; n < 6; ++n) {
        if (at_source && other[n] < 2) other[n] = 1 - other[n];
      }
      const double other_sign = (at_sink ? symmetry(sink) : 1.0) * (at_source ? symmetry(source) : 1.0);
      if (other_sign == 0.0 || other >= first) continue;
      first = other;
      sign = other_sign;
    }
    factors[first] += sign * c.factor;
  }
  std::vector<Contraction> different;
  for (const auto& [c, factor] : factors) {
    if (factor != 0.0) different.push_back({{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, factor});
  }
  return different;
}

/// Multiplies the times of a baryon beyond the boundary by its three phases. No quark goes over a Dirichlet boundary.
void take_out_boundary(SpatialSums& sums, const BaryonParameters& parameters) {
  if (parameters.time_boundary == dirichlet) return;
  // Antiperiodic quarks have the phase -1 itself.
  const std::complex<double> phase = std::abs(parameters.time_boundary) == std::numbers::pi
                                         ? std::complex<double>(-1.0)
                                         : std::polar(1.0, 3.0 * parameters.time_boundary);
  for (std::size_t p = 0; p < sums.momenta; ++p) {
    for (std::size_t t = sums.times - static_cast<std::size_t>(parameters.source_site[3]); t < sums.times; ++t) {
      std::complex<double>* values = sums.values.data() + (p * sums.times + t) * sums.components;
      for (std::size_t n = 0; n < sums.components; ++n) values[n] *= phase;
    }
  }
}

/// eps_abc (.. G ..) with G = C g of a matrix g, C = g_t g_y.
SpinMatrix diquark_of(const SpinMatrix& matrix) {
  using detail::spin_product;
  return spin_product(spin_product(gamma_product(8), gamma_product(2)), matrix);
}

}  // namespace

namespace detail {

std::vector<Contraction> wick_contractions(const BaryonOperator& sink, const BaryonOperator& source) {
  std::vector<Contraction> contractions;
  for (const BaryonTerm& a : sink.terms) {
    for (const BaryonTerm& b : source.terms) {
      std::array<std::size_t, 3> places{0, 1, 2};
      do {
        Contraction contraction{.quark = {}, .place = {}, .factor = a.coefficient * b.coefficient};
        bool joined = true;
        for (std::size_t n = 0; n < 3; ++n) {
          joined = joined && a.quarks[n] == b.quarks[places[n]];
          contraction.quark[n] = a.quarks[n];
          contraction.place[n] = static_cast<int>(places[n]);
        }
        if (joined) contractions.push_back(contraction);
      } while (std::ranges::next_permutation(places).found);
    }
  }
  return contractions;
}

SpinMatrix source_diquark(const BaryonOperator& source) {
  // g_t is real and symmetric.
  SpinMatrix conjugate = source.diquark;
  for (auto& row : conjugate) {
    for (auto& entry : row) entry = std::conj(entry);
  }
  const SpinMatrix gt = gamma_product(8);
  return spin_product(spin_product(gt, conjugate), gt);
}

}  // namespace detail

BaryonOperator baryon_operator(std::string_view name) {
  if (name == "nucleon") return {{{1.0, {0, 1, 0}}}, diquark_of(gamma_product(15))};
  if (name == "lambda") {
    const double unit = 1.0 / std::sqrt(6.0);
    return {{{2.0 * unit, {0, 1, 2}}, {unit, {0, 2, 1}}, {-unit, {1, 2, 0}}}, diquark_of(gamma_product(15))};
  }
  for (int k = 0; k < 3; ++k) {
    const std::string direction(1, "xyz"[k]);
    const SpinMatrix diquark = diquark_of(gamma_product(1 << k));
    if (name == "delta_" + direction) return {{{1.0, {0, 0, 0}}}, diquark};
    const double unit = 1.0 / std::sqrt(3.0);
    if (name == "sigma_star_" + direction) return {{{2.0 * unit, {0, 1, 0}}, {unit, {0, 0, 1}}}, diquark};
  }
  throw Error(
      fmt::format("\"{}\" is no baryon; there are nucleon, lambda, delta_x, _y, _z, sigma_star_x, _y, _z", name));
}

int baryon_quarks(const BaryonOperator& baryon) {
  int quarks = 0;
  for (const BaryonTerm& term : baryon.terms) quarks = std::max(quarks, 1 + std::ranges::max(term.quarks));
  return quarks;
}

namespace {

template <class T>
SpatialSums sum_baryon(const Lattice& lattice, const BaryonParameters& parameters,
                       const std::array<detail::RightHandSides<T>, most_quarks>& quarks, int fields,
                       const detail::BaryonSum& sum) {
  constexpr const char* label = "kaon::baryon_spin_sums";
  if constexpr (on_device) {
    using Teams = detail::BaryonTeams<T>;
    const int sites = Teams::sites_of(fields);
    Teams teams{.quarks = {quarks[0], quarks[1], quarks[2]},
                .fields = fields,
                .sum = sum,
                .inner = detail::SubLattice(lattice.local_extents(), lattice.lane_grid<T>()),
                .first = 0,
                .count = 0,
                .values = nullptr,
                .sites = sites,
                .team_bytes = Teams::bytes(fields, sites)};
    return detail::sum_slices<T>(lattice, parameters, 16, [&](int first, int count, Complex<double>* values) {
      teams.first = first;
      teams.count = count;
      teams.values = values;
      detail::launch_teams(label, lattice.execution(), teams.teams(), sites * Teams::pairs, teams);
    });
  } else {
    return detail::with_double_lanes<T>(lattice, [&]<class V>() {
      return detail::sum_sites<T, V>(label, lattice, parameters, 16,
                                     detail::BaryonKernel<T, V>{{quarks[0], quarks[1], quarks[2]}, sum});
    });
  }
}

}  // namespace

template <class T>
SpatialSums baryon_spin_sums(const BaryonOperator& sink, const BaryonOperator& source,
                             std::span<const SpinorField<T>* const> quarks, const BaryonParameters& parameters) {
  const auto needed = static_cast<std::size_t>(std::max(baryon_quarks(sink), baryon_quarks(source)));
  require(needed >= 1 && needed <= most_quarks && quarks.size() == needed, [&] {
    return fmt::format("a baryon of {} different quarks needs as many propagators, one to three, not {}", needed,
                       quarks.size());
  });
  for (const SpinorField<T>* quark : quarks) detail::require_propagators(*quarks[0], *quark, 4);
  std::vector<Contraction> all = detail::wick_contractions(sink, source);
  require(!all.empty(), "the quarks of a baryon's sink are not those of its source");
  // Quarks of equal propagators are one quark to the contractions, more of which are then equal.
  std::vector<detail::RightHandSides<T>> fields;
  std::array<int, most_quarks> field_of_quark{};
  for (std::size_t quark = 0; quark < needed; ++quark) {
    const auto given = detail::RightHandSides<T>::of(*quarks[quark]);
    const auto found = std::ranges::find(fields, given.data[0], [](const auto& field) { return field.data[0]; });
    field_of_quark[quark] = static_cast<int>(found - fields.begin());
    if (found == fields.end()) fields.push_back(given);
  }
  for (Contraction& contraction : all) {
    for (int& quark : contraction.quark) quark = field_of_quark[static_cast<std::size_t>(quark)];
  }
  const SpinMatrix at_source = detail::source_diquark(source);
  const std::vector<Contraction> contractions = without_equal(all, sink.diquark, at_source);
  const Kokkos::View<Contraction*, Memory> on_memory("kaon::contractions", contractions.size());
  Kokkos::deep_copy(on_memory, Kokkos::View<const Contraction*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                   contractions.data(), contractions.size()));
  const auto access = [&](std::size_t n) { return fields[std::min(n, fields.size() - 1)]; };
  const detail::BaryonSum sum{
      .contractions = on_memory, .sink = detail::Diquark::of(sink.diquark), .source = detail::Diquark::of(at_source)};
  SpatialSums sums = sum_baryon<T>(quarks[0]->lattice(), parameters, {access(0), access(1), access(2)},
                                   static_cast<int>(fields.size()), sum);
  take_out_boundary(sums, parameters);
  return sums;
}

std::vector<std::complex<double>> baryon_correlator(const SpatialSums& sums, const SpinMatrix& projector) {
  require(sums.components == 16,
          [&] { return fmt::format("sums of a baryon have 16 components, not {}", sums.components); });
  std::vector<std::complex<double>> correlator;
  for (std::size_t p = 0; p < sums.momenta; ++p) {
    for (std::size_t t = 0; t < sums.times; ++t) {
      std::complex<double> trace = 0.0;
      for (std::size_t n = 0; n < 16; ++n) trace += projector[n % 4][n / 4] * sums.at(p, t)[n];
      correlator.push_back(trace);
    }
  }
  return correlator;
}

template <class T>
SpatialSums three_quark_spin_sums(const SpinorField<T>& first, const SpinorField<T>& second,
                                  const SpinorField<T>& third, const BaryonParameters& parameters) {
  detail::require_propagators(first, second, 4);
  detail::require_propagators(first, third, 4);
  SpatialSums all;
  for (std::size_t pair = 0; pair < 16; ++pair) {
    const SpatialSums sums = detail::with_double_lanes<T>(first.lattice(), [&]<class V>() {
      return detail::sum_sites<T, V>(
          "kaon::three_quark_spin_sums", first.lattice(), parameters, 256,
          ThreeQuarkKernel<T, V>{.quarks = {detail::RightHandSides<T>::of(first), detail::RightHandSides<T>::of(second),
                                            detail::RightHandSides<T>::of(third)},
                                 .first = static_cast<int>(pair / 4),
                                 .second = static_cast<int>(pair % 4)});
    });
    if (pair == 0) {
      const auto numbers = std::make_shared<std::vector<std::complex<double>>>(sums.momenta * sums.times * 4096);
      all = {sums.momenta, sums.times, 4096, *numbers, numbers};
    }
    for (std::size_t place = 0; place < sums.momenta * sums.times; ++place) {
      std::copy_n(sums.values.data() + place * 256, 256, all.values.data() + place * 4096 + pair * 256);
    }
  }
  take_out_boundary(all, parameters);
  return all;
}

template SpatialSums baryon_spin_sums(const BaryonOperator&, const BaryonOperator&,
                                      std::span<const SpinorField<double>* const>, const BaryonParameters&);
template SpatialSums baryon_spin_sums(const BaryonOperator&, const BaryonOperator&,
                                      std::span<const SpinorField<float>* const>, const BaryonParameters&);
template SpatialSums three_quark_spin_sums(const SpinorField<double>&, const SpinorField<double>&,
                                           const SpinorField<double>&, const BaryonParameters&);
template SpatialSums three_quark_spin_sums(const SpinorField<float>&, const SpinorField<float>&,
                                           const SpinorField<float>&, const BaryonParameters&);

namespace {

/// sum over right-hand sides of psi conj(phi)
template <class T, class V>
struct StaggeredMesonKernel {
  detail::RightHandSides<T> psi, phi;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const detail::LaneSite& x, const detail::SiteValues<V>& values) const {
    Complex<V> sum = {V(0.0), V(0.0)};
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int c = 0; c < psi.components; ++c) {
        detail::conj_multiply_add(sum, phi.template load<V>(x.parity, x.index, x.lane, c, rhs),
                                  psi.template load<V>(x.parity, x.index, x.lane, c, rhs));
      }
    }
    values.store(0, sum);
  }
};

/// det S on the corners of cubes of two sites.
template <class T, class V>
struct StaggeredBaryonKernel {
  detail::RightHandSides<T> s;
  int odd[3];  // parities of origin - source

  KOKKOS_FUNCTION void operator()(const detail::LaneSite& x, const detail::SiteValues<V>& values) const {
    // Extents of virtual nodes are even: all lanes are corners, or none is.
    const bool corner = ((x.x[0] + odd[0]) % 2 + (x.x[1] + odd[1]) % 2 + (x.x[2] + odd[2]) % 2) == 0;
    const Colors<V> colors = load_colors<V>(s, x, 0, 0);
    values.store(0, V(corner ? 1.0 / 6.0 : 0.0) * dot(cross(colors, colors), colors));
  }
};

}  // namespace

template <class T>
std::vector<std::complex<double>> staggered_meson_correlators(const SpinorField<T>& psi, const SpinorField<T>& phi,
                                                              const ContractionParameters& parameters) {
  detail::require_propagators(psi, phi, 1);
  const SpatialSums sums = detail::with_double_lanes<T>(psi.lattice(), [&]<class V>() {
    return detail::sum_sites<T, V>(
        "kaon::staggered_meson_correlators", psi.lattice(), parameters, 1,
        StaggeredMesonKernel<T, V>{detail::RightHandSides<T>::of(psi), detail::RightHandSides<T>::of(phi),
                                   psi.right_hand_sides()});
  });
  return {sums.values.begin(), sums.values.end()};
}

template <class T>
std::vector<std::complex<double>> staggered_baryon_correlators(const SpinorField<T>& propagator,
                                                               const BaryonParameters& parameters) {
  detail::require_propagator(propagator, 1);
  const Lattice& lattice = propagator.lattice();
  const auto odd = [&](std::size_t mu) { return (lattice.origin()[mu] + parameters.source_site[mu]) % 2; };
  SpatialSums sums = detail::with_double_lanes<T>(lattice, [&]<class V>() {
    return detail::sum_sites<T, V>(
        "kaon::staggered_baryon_correlators", lattice, parameters, 1,
        StaggeredBaryonKernel<T, V>{.s = detail::RightHandSides<T>::of(propagator), .odd = {odd(0), odd(1), odd(2)}});
  });
  take_out_boundary(sums, parameters);
  return {sums.values.begin(), sums.values.end()};
}

template std::vector<std::complex<double>> staggered_meson_correlators(const SpinorField<double>&,
                                                                       const SpinorField<double>&,
                                                                       const ContractionParameters&);
template std::vector<std::complex<double>> staggered_meson_correlators(const SpinorField<float>&,
                                                                       const SpinorField<float>&,
                                                                       const ContractionParameters&);
template std::vector<std::complex<double>> staggered_baryon_correlators(const SpinorField<double>&,
                                                                        const BaryonParameters&);
template std::vector<std::complex<double>> staggered_baryon_correlators(const SpinorField<float>&,
                                                                        const BaryonParameters&);

}  // namespace kaon
