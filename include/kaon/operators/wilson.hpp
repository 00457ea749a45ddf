// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <array>
#include <memory>
#include <numbers>
#include <optional>

namespace kaon {

/// Angles theta_mu of the fermion boundary condition psi(x + L_mu mu) = exp(i theta_mu) psi(x).
using BoundaryAngles = std::array<double, 4>;
/// The usual choice: periodic in space, antiperiodic in time.
inline constexpr BoundaryAngles antiperiodic_in_time{0.0, 0.0, 0.0, std::numbers::pi};
inline constexpr BoundaryAngles periodic{0.0, 0.0, 0.0, 0.0};

/// Bare anisotropy xi_0 and bare fermion speed nu (Edwards, Joo and Lin, arXiv:0803.3960, eq. (3)).
struct Anisotropy {
  double xi0 = 1.0;
  double nu = 1.0;

  /// nu / xi_0, the weight of the spatial hops.
  double spatial_weight() const { return nu / xi0; }
  friend bool operator==(const Anisotropy&, const Anisotropy&) = default;
};

/// m = 1/(2 kappa) - 4, whatever the anisotropy: the convention of Chroma, whose anisotropic results it reproduces.
/// Throws `Error` for kappa <= 0.
double mass_from_kappa(double kappa);
/// kappa = 1 / (2 (4 + m)). Throws `Error` for m <= -4.
double kappa_from_mass(double mass);

struct WilsonParameters {
  double mass = 0.0;  ///< bare mass m
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
};

namespace detail {
template <class T>
class HopTerm;
}

/// Wilson's Dirac operator, M = (m + 1 + 3 nu/xi_0) - D/2,
///
///   D psi(x) = sum_mu w_mu [ (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^dag psi(x-mu) ],
///
/// w = nu/xi_0 in space and 1 in time; psi(x + L_mu mu) = exp(i theta_mu) psi(x). Isotropic: M = (4 + m) - D/2.
/// Wilson 1974; anisotropic as in arXiv:0803.3960, eq. (3). DeGrand-Rossi gamma matrices.
/// 1368 flops a site; (8*18 + 3*24) reals a site, 8*12 or 8*8 for compressed links.
template <class T>
class Wilson final : public EvenOddOperator<T> {
 public:
  /// Keeps a handle to `links`; changing them later changes the operator.
  /// Throws `Error` for an anisotropy that is not positive, a mass that is no number, and a diagonal of zero.
  Wilson(const GaugeField<T>& links, const WilsonParameters& parameters);
  /// The same operator in another precision.
  template <class S>
  explicit Wilson(const Wilson<S>& other) : Wilson(other, other.links().storage()) {}
  /// The same operator in another precision or with links stored in another way. Throws `Error` for links that cannot
  /// be stored so (see `GaugeField`).
  template <class S>
  Wilson(const Wilson<S>& other, LinkStorage storage) : Wilson(other, storage, other.halo()) {}
  /// The same operator, but for halos that travel in another precision.
  template <class S>
  Wilson(const Wilson<S>& other, LinkStorage storage, HaloPrecision halo);

  const WilsonParameters& parameters() const { return parameters_; }
  const GaugeField<T>& links() const;
  HaloPrecision halo() const;
  const Lattice& lattice() const override;
  SpinorParameters domain() const override { return {}; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;
  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 private:
  Wilson(const GaugeField<T>& links, const WilsonParameters& parameters, HaloPrecision halo);

  double diagonal() const;

  WilsonParameters parameters_;
  std::shared_ptr<const detail::HopTerm<T>> hop_;
};

struct WilsonCloverParameters {
  double mass = 0.0;                     ///< bare mass m
  double csw = 1.0;                      ///< c_sw of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< c_sw^t
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;

  double temporal_coefficient() const { return csw_temporal.value_or(csw); }
};

/// Wilson's operator with the clover term of Sheikholeslami and Wohlert (1985), M = (m + 1 + 3 nu/xi_0) + A - D/2,
///
///   A(x) = -(1/2) sum_{mu<nu} c_{mu nu} sigma_{mu nu} F_{mu nu}(x),  sigma_{mu nu} = (i/2) [g_mu, g_nu],
///
/// F the clover-leaf field strength, c = c_sw / xi_0 in spatial planes and c_sw^t in temporal ones (arXiv:0803.3960,
/// eq. (3)); isotropic: c = c_sw in all. The site term m + 1 + 3 nu/xi_0 + A and its inverse are stored, 72 reals a
/// site each. 1872 flops a site for A^-1 D; (8*18 + 2*24 + 72) reals a site.
template <class T>
class WilsonClover final : public EvenOddOperator<T> {
 public:
  /// Computes the clover term and its inverse from `links`, in double. Keeps a handle to `links`, which must not be
  /// changed afterwards. Throws `Error` for an anisotropy that is not positive and where the site term is singular.
  /// In `half`, convert an operator of another precision instead.
  WilsonClover(const GaugeField<T>& links, const WilsonCloverParameters& parameters) requires FloatingPrecision<T>;
  /// The same operator in another precision: links and clover terms are rounded, not computed anew.
  template <class S>
  explicit WilsonClover(const WilsonClover<S>& other) : WilsonClover(other, other.links().storage()) {}
  /// The same operator in another precision or with links stored in another way. Throws `Error` for links that cannot
  /// be stored so (see `GaugeField`).
  template <class S>
  WilsonClover(const WilsonClover<S>& other, LinkStorage storage) : WilsonClover(other, storage, other.halo()) {}
  /// The same operator, but for halos that travel in another precision.
  template <class S>
  WilsonClover(const WilsonClover<S>& other, LinkStorage storage, HaloPrecision halo);

  const WilsonCloverParameters& parameters() const { return parameters_; }
  const GaugeField<T>& links() const;
  HaloPrecision halo() const;
  /// m + 1 + 3 nu/xi_0 + A, and its inverse.
  const CloverField<T>& site_term() const { return site_term_; }
  const CloverField<T>& site_term_inverse() const { return site_term_inverse_; }
  const Lattice& lattice() const override;
  SpinorParameters domain() const override { return {}; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;
  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 private:
  WilsonClover(const WilsonCloverParameters& parameters, const GaugeField<T>& links, CloverField<T> site_term,
               CloverField<T> site_term_inverse);

  WilsonCloverParameters parameters_;
  std::shared_ptr<const detail::HopTerm<T>> hop_;
  CloverField<T> site_term_;
  CloverField<T> site_term_inverse_;
};

extern template class Wilson<double>;
extern template class Wilson<float>;
extern template class Wilson<half>;
extern template class WilsonClover<double>;
extern template class WilsonClover<float>;
extern template class WilsonClover<half>;

}  // namespace kaon
