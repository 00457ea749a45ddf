// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/measure/spin_basis.hpp>

#include <array>
#include <complex>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaon {

// Correlators of mesons and baryons from propagators, with momenta. Each function reads its propagators once and
// returns sums over space with open spins; gamma matrices and projectors follow on the host. All sums are computed in
// double. Their order depends on the lattice, its lanes and its cut into processes alone: the same digits for any
// threads.

/// (n_x, n_y, n_z), in units of 2 pi / L.
using SpatialMomentum = std::array<int, 3>;

/// All momenta with n^2 <= `squared`, by n^2, then by n_x, n_y, n_z: 1, 7, 19, 27, 33 momenta for 0, 1, 2, 3, 4. Throws
/// `Error` for a negative number.
std::vector<SpatialMomentum> momenta_up_to(int squared);

/// Sums over space are sum_x exp(-i p.(x - x0)) ..., with t relative to x0 too.
struct ContractionParameters {
  Coordinates source_site{};                          ///< x0
  std::vector<SpatialMomentum> momenta{{{0, 0, 0}}};  ///< p
};

/// Sums over space for each momentum and time, of `components` numbers each: values[(momentum * times + t) * components
/// + component]. Copies share their values, which are in the memory to which kernels wrote them.
struct SpatialSums {
  std::size_t momenta = 0;
  std::size_t times = 0;
  std::size_t components = 0;
  std::span<std::complex<double>> values;
  std::shared_ptr<void> memory;  ///< of the values

  const std::complex<double>* at(std::size_t momentum, std::size_t t) const {
    return values.data() + (momentum * times + t) * components;
  }
};

/// Words of the 16 products of gamma matrices.
inline constexpr std::array<std::string_view, 16> gamma_words{
    "1", "g5", "g1", "g2", "g3", "g4", "g1g5", "g2g5", "g3g5", "g4g5", "g1g2", "g1g3", "g1g4", "g2g3", "g2g4", "g3g4"};

/// A product of gamma matrices by its word, in kaon's basis. Throws `Error` for other words.
SpinMatrix gamma_matrix(std::string_view word);

/// gamma_x^b0 gamma_y^b1 gamma_z^b2 gamma_t^b3 of the bits of `number`, which is how Chroma numbers them: 15 is
/// gamma_5. Throws `Error` for numbers other than 0 to 15.
SpinMatrix gamma_product(int number);

/// Open-spin form of all mesons without derivatives:
///
///   W_{ac,bd}(p, t) = sum_x exp(-i p.(x - x0)) sum_colours S_{ac}(x) conj(S'_{bd}(x)),
///
/// a and b the spins at the sink, c and d those at the source; the component is ((a * 4 + c) * 4 + b) * 4 + d. Periodic
/// in t. 18432 flops a site beside the phases. Collective.
///
/// Throws `Error` unless both fields are propagators of 4 spins (12 right-hand sides, both parities, one slice) on one
/// lattice, for a source outside the lattice and for an empty list of momenta.
template <class T>
SpatialSums meson_spin_sums(const SpinorField<T>& quark, const SpinorField<T>& antiquark,
                            const ContractionParameters& parameters);

/// The gamma matrices of a meson qbar' Gamma q.
struct MesonChannel {
  SpinMatrix sink{};
  SpinMatrix source{};
};

/// "SINK:SOURCE" in words, or "GAMMA" for both. Throws `Error` for other words.
MesonChannel meson_channel(std::string_view words);

/// < O_sink(p, t) O_source(0)^dag > of O = qbar' Gamma q, without disconnected parts:
///
///   C = -sum_x exp(-i p.(x - x0)) tr[ Gamma_sink S(x) g_t Gamma_source^dag g_t g5 S'(x)^dag g5 ],
///
/// from W: [momentum][channel][t]. "g5" at p = 0 is sum |S|^2 for S' = S. Throws `Error` unless W has 256 components.
std::vector<std::complex<double>> meson_correlators(const SpatialSums& w, std::span<const MesonChannel> channels);

/// sum_x exp(-i p.(x - x0)) tr[ A S(x) B S'(x)^dag ] from W: [momentum][t], for any matrices of spins.
std::vector<std::complex<double>> meson_traces(const SpatialSums& w, const SpinMatrix& a, const SpinMatrix& b);

/// One term of a baryon's operator: coefficient eps_abc (q1_a^T G q2_b) q3_c, the quarks by their number.
struct BaryonTerm {
  double coefficient = 1.0;
  std::array<int, 3> quarks{};
};

struct BaryonOperator {
  std::vector<BaryonTerm> terms;
  SpinMatrix diquark{};  ///< G
};

/// Operators by name; C = g_t g_y, quarks by the letters of the formula in alphabetical order (their numbers 0, 1, 2):
///
/// - "nucleon": (a^T Cg5 b) a. Proton: a = u, b = d; Sigma+: u, s; Xi0: s, u.
/// - "lambda": [2 (a^T Cg5 b) c + (a^T Cg5 c) b - (b^T Cg5 c) a] / sqrt6: a = u, b = d, c = s.
/// - "delta_x", "delta_y", "delta_z": (a^T Cg_k a) a. Delta++: a = u; Omega: s.
/// - "sigma_star_x", ..: [2 (a^T Cg_k b) a + (a^T Cg_k a) b] / sqrt3. Sigma*+: a = u, b = s; Xi*0: s, u.
///
/// Throws `Error` for other names.
BaryonOperator baryon_operator(std::string_view name);

/// The number of different quarks of an operator.
int baryon_quarks(const BaryonOperator& baryon);

struct BaryonParameters : ContractionParameters {
  /// Quarks have psi(x + T) = exp(i `time_boundary`) psi(x). Times at which they have gone over this boundary, those
  /// from T - x0_t on, have its three phases taken out, so that C(t) does not depend on x0; 0 leaves the values.
  double time_boundary = std::numbers::pi;
};

/// < B(p, t)_s Bbar(0)_s' > with open spins, all Wick contractions; the component is s * 4 + s':
///
///   sum_x exp(-i p.(x - x0)) sum_terms c c' G_{ij} G'_{i'j'} sum_{contractions} eps_abc eps_a'b'c' Q1 Q2 Q3,
///   G' = g_t G^* g_t^T,
///
/// with Q_n the propagator from the quark of the source that the contraction joins to quark n of the sink. Bbar has no
/// g_t beyond that of the quarks: tr[(1 + g_t)/2 B] is the state of the operator's parity. quarks[n] is the propagator
/// of quark number n. Collective. Throws `Error` as `meson_spin_sums`, and unless there is a propagator for each quark.
template <class T>
SpatialSums baryon_spin_sums(const BaryonOperator& sink, const BaryonOperator& source,
                             std::span<const SpinorField<T>* const> quarks, const BaryonParameters& parameters);

/// sum_{s s'} P_{s' s} B_{s s'}: [momentum][t]. Throws `Error` unless the sums have 16 components.
std::vector<std::complex<double>> baryon_correlator(const SpatialSums& sums, const SpinMatrix& projector);

/// (1 + parity g_t)/2. Throws `Error` unless `parity` is 1 or -1.
SpinMatrix parity_projector(int parity);
/// (1 + parity g_t)/2 i g5 g_k, k = `direction` = 0, 1, 2: the polarisation along x, y, z. Throws `Error` for others.
SpinMatrix polarization_projector(int parity, int direction);

/// Three quarks with all spins open, from which every local baryon follows:
///
///   sum_x exp(-i p.(x - x0)) eps_abc eps_a'b'c' S1^{aa'}_{ii'} S2^{bb'}_{jj'} S3^{cc'}_{kk'},
///
/// 4096 components ((((i * 4 + j) * 4 + k) * 4 + i') * 4 + j') * 4 + k'. Collective. Throws as `meson_spin_sums`.
template <class T>
SpatialSums three_quark_spin_sums(const SpinorField<T>& first, const SpinorField<T>& second,
                                  const SpinorField<T>& third, const BaryonParameters& parameters);

/// Staggered mesons: sum_x exp(-i p.(x - x0)) sum_colours psi_{c}(x) conj(phi_{c}(x)) over right-hand sides as well:
/// [momentum][t]. With psi the sink's `apply_spin_taste` of the propagator whose source has that operator, phi the
/// propagator from the plain source, it is the correlator of any of the 16 tastes.
template <class T>
std::vector<std::complex<double>> staggered_meson_correlators(const SpinorField<T>& psi, const SpinorField<T>& phi,
                                                              const ContractionParameters& parameters);

/// The local staggered baryon: sum over the sites whose x - x0, y - y0 and z - z0 are even of exp(-i p.(x - x0)) det
/// S(x): [momentum][t]. Throws `Error` unless the field is a propagator of 1 spin.
template <class T>
std::vector<std::complex<double>> staggered_baryon_correlators(const SpinorField<T>& propagator,
                                                               const BaryonParameters& parameters);

}  // namespace kaon
