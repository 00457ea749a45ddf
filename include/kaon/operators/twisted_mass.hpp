// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/operators/wilson.hpp>

#include <array>
#include <memory>
#include <optional>

namespace kaon {

struct TwistedMassParameters {
  double mass = 0.0;  ///< bare mass m, also called the untwisted one
  double mu = 0.0;    ///< twisted mass of this flavour; of the other flavour of a doublet it is -mu
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// Throws `ParameterError` for parameters that `TwistedMass` refuses on any links.
void check_parameters(const TwistedMassParameters& parameters);

/// Wilson's operator with a twisted mass, M = (m + 1 + 3 nu/xi_0) + i mu gamma5 - D/2: one flavour of the doublet
/// M = D_W + m + i mu gamma5 tau3 of Frezzotti, Grassi, Sint and Weisz (arXiv:hep-lat/0101001). M in the normalisation
/// 1 - kappa D + 2 i kappa mu gamma5 is 2 kappa times this one. gamma5 M(mu) gamma5 = M(-mu)^dag.
/// 1416 flops a site; (8*18 + 3*24) reals a site, 8*12 or 8*8 for compressed links.
template <class T>
class TwistedMass final : public WilsonLike<T> {
 public:
  /// Stores a handle to `links`; changing them later changes the operator.
  /// Throws `Error` for an anisotropy that is not positive, masses that are no numbers, and a site term of zero.
  TwistedMass(const GaugeField<T>& links, const TwistedMassParameters& parameters,
              HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision, like that of `Wilson`.
  template <class S>
  explicit TwistedMass(const TwistedMass<S>& other, std::optional<LinkStorage> storage = {},
                       std::optional<HaloPrecision> halo = {})
      : TwistedMass(GaugeField<T>(other.links(), storage.value_or(other.links().storage())), other.parameters(),
                    halo.value_or(other.halo())) {}

  const TwistedMassParameters& parameters() const { return parameters_; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm term) const override;

  TwistedMassParameters parameters_;
};

struct TwistedCloverParameters {
  double mass = 0.0;                     ///< bare mass m
  double mu = 0.0;                       ///< twisted mass
  double csw = 1.0;                      ///< c_sw of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< c_sw^t
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
  /// rho is added to mu on even and on odd sites: C + i (mu + rho) gamma5. On one parity alone, p, it is Hasenbusch's
  /// mass shift of the even-odd preconditioned operator on p: A_q^-1 of the other parity has no shift.
  std::array<double, 2> rho{};

  /// mu + rho of even and of odd sites.
  std::array<double, 2> twists() const { return {mu + rho[0], mu + rho[1]}; }
  /// The parameters of the operator without twist.
  WilsonCloverParameters untwisted() const { return {mass, csw, csw_temporal, anisotropy, boundary}; }
};

/// The clover operator with a twisted mass, M = C + i mu gamma5 - D/2, C = m + 1 + 3 nu/xi_0 + A as in `WilsonClover`.
/// The inverse of the site term is (C - i mu gamma5) (C^2 + mu^2)^-1; C and the second factor are stored, 72 reals a
/// site each. 2472 flops a site for (C + i mu gamma5)^-1 D; (8*18 + 2*24 + 144) reals a site.
template <class T>
class TwistedClover final : public WilsonLike<T> {
 public:
  /// Computes the clover term and (C^2 + mu^2)^-1 from `links`, in double. Owns a handle to `links`, which must not be
  /// changed afterwards. Throws `Error` for an anisotropy that is not positive and where the site term is singular.
  /// In `half`, convert an operator of another precision instead.
  TwistedClover(const GaugeField<T>& links, const TwistedCloverParameters& parameters) requires FloatingPrecision<T>;
  /// M = C + i mu gamma5 - D/2 with C of another code (`copy_in`), the mass in it; (C^2 + mu^2)^-1 is computed. Owns
  /// handles to both. `parameters()` has no mass and no csw then, but NaN. Throws `Error` unless `clover` has all sites
  /// of the links' lattice, for a twist that is no number, and where C^2 + mu^2 is singular.
  TwistedClover(const GaugeField<T>& links, const CloverField<T>& clover, double mu,
                const WilsonHopParameters& parameters,
                const std::array<double, 2>& rho = {}) requires FloatingPrecision<T>;
  /// The operator in another precision, like that of `WilsonClover`.
  template <class S>
  explicit TwistedClover(const TwistedClover<S>& other, std::optional<LinkStorage> storage = {},
                         std::optional<HaloPrecision> halo = {})
      : TwistedClover(other.parameters(), GaugeField<T>(other.links(), storage.value_or(other.links().storage())),
                      detail::in_precision<T>(other.clover()), detail::in_precision<T>(other.norm_inverse()),
                      halo.value_or(other.halo())) {}

  const TwistedCloverParameters& parameters() const { return parameters_; }
  /// C, and (C^2 + (mu + rho)^2)^-1.
  const CloverField<T>& clover() const { return clover_; }
  const CloverField<T>& norm_inverse() const { return norm_inverse_; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm term) const override;

  TwistedClover(const TwistedCloverParameters& parameters, const GaugeField<T>& links, CloverField<T> clover,
                CloverField<T> norm_inverse, HaloPrecision halo = HaloPrecision::field);

  TwistedCloverParameters parameters_;
  CloverField<T> clover_;
  CloverField<T> norm_inverse_;
};

struct TwistedDoubletParameters {
  double mass = 0.0;                     ///< bare mass m, also called the untwisted one
  double mu = 0.0;                       ///< twisted mass: mu of the first flavour, -mu of the second
  double epsilon = 0.0;                  ///< splitting: without mu, the masses are m -+ epsilon
  std::optional<double> csw{};           ///< c_sw of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< c_sw^t
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// Throws `ParameterError` for parameters that `TwistedDoublet` refuses on any links.
void check_parameters(const TwistedDoubletParameters& parameters);

/// The doublet of two twisted flavours with different masses (Frezzotti and Rossi, arXiv:hep-lat/0311008), on fields of
/// two slices, the flavours:
///
///   M = A_2 - D/2,   A_2 = C + i mu g5 tau3 - epsilon tau1,   C = m + 1 + 3 nu/xi_0 (+ the clover term of
///   `WilsonClover`).
///
/// epsilon = 0 is `TwistedMass` or `TwistedClover` with mu and with -mu. With mu = 0, (psi_0 +- psi_1)/sqrt2 have the
/// masses m -+ epsilon. g5 tau1 M tau1 g5 = M^dag, so that det M is real. M in the normalisation 1 - kappa D + 2 i
/// kappa mu g5 tau3 - 2 kappa epsilon tau1 is 2 kappa times this one.
///
/// A_2^-1 = (C - i mu g5 tau3 + epsilon tau1) (C^2 + mu^2 - epsilon^2)^-1, whose second factor must be positive.
/// 2 (1320 + 120) flops a site of a hop with A_2 or A_2^-1; with a clover term 2 (1320 + 648) and 2 (1320 + 1200).
template <class T>
class TwistedDoublet final : public WilsonLike<T> {
 public:
  static constexpr int flavors = 2;

  /// Stores a handle to `links`, which must not be changed afterwards if there is a clover term. Throws `Error` for
  /// an anisotropy that is not positive, parameters that are not numbers, and where C^2 + mu^2 - epsilon^2 is not
  /// positive. In `half`, convert an operator of another precision instead.
  TwistedDoublet(const GaugeField<T>& links, const TwistedDoubletParameters& parameters) requires FloatingPrecision<T>;
  /// M with C of another code (`copy_in`), the mass in it. Owns handles to both. `parameters()` has no mass and no csw
  /// then, but NaN. Throws `Error` unless `clover` has all sites of the links' lattice, for mu and epsilon that are no
  /// numbers, and where C^2 + mu^2 - epsilon^2 is not positive.
  TwistedDoublet(const GaugeField<T>& links, const CloverField<T>& clover, double mu, double epsilon,
                 const WilsonHopParameters& parameters) requires FloatingPrecision<T>;
  /// The operator in another precision, like that of `WilsonClover`.
  template <class S>
  explicit TwistedDoublet(const TwistedDoublet<S>& other, std::optional<LinkStorage> storage = {},
                          std::optional<HaloPrecision> halo = {})
      : TwistedDoublet(other.parameters(), GaugeField<T>(other.links(), storage.value_or(other.links().storage())),
                       halo.value_or(other.halo())) {
    if (other.clover() == nullptr) return;
    clover_.emplace(detail::in_precision<T>(*other.clover()));
    norm_inverse_.emplace(detail::in_precision<T>(*other.norm_inverse()));
  }

  const TwistedDoubletParameters& parameters() const { return parameters_; }
  SpinorParameters domain() const override { return {.slices = flavors}; }
  bool is_indefinite() const override { return true; }
  /// C and (C^2 + mu^2 - epsilon^2)^-1; null without a clover term.
  const CloverField<T>* clover() const { return clover_ ? &*clover_ : nullptr; }
  const CloverField<T>* norm_inverse() const { return norm_inverse_ ? &*norm_inverse_ : nullptr; }
  /// m and c_sw of the clover term.
  WilsonCloverParameters untwisted() const;

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm term) const override;

  TwistedDoublet(const TwistedDoubletParameters& parameters, const GaugeField<T>& links, HaloPrecision halo);
  void set_clover(CloverField<T> clover) requires FloatingPrecision<T>;
  /// out = A_2 in + x_scale x, or A_2^-1.
  void apply_matrix(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger, const SpinorField<T>* x,
                    double x_scale) const;

  TwistedDoubletParameters parameters_;
  std::optional<CloverField<T>> clover_, norm_inverse_;
};

}  // namespace kaon
