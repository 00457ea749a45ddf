// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <memory>
#include <optional>

namespace kaon {

/// Bare anisotropy xi_0 and bare fermion speed nu (Edwards, Joo and Lin, arXiv:0803.3960, eq. (3)).
struct Anisotropy {
  double xi0 = 1.0;
  double nu = 1.0;

  /// nu / xi_0, the weight of the spatial hops.
  double spatial_weight() const { return nu / xi0; }
  friend bool operator==(const Anisotropy&, const Anisotropy&) = default;
};

namespace detail {
template <class T, class Stencil>
class Hopping;
struct WilsonStencil;
template <class T>
using WilsonHop = Hopping<T, WilsonStencil>;
}  // namespace detail

/// Base of operators with Wilson's hopping term K = D/2: M = A - K, for any A.
template <class T>
class WilsonLike : public EvenOddOperator<T>,
                   public Adjointable<T>,
                   public Coarsenable<T>,
                   public Blockable<T>,
                   public CountedHops {
 public:
  const GaugeField<T>& links() const { return links_; }
  HaloPrecision halo() const { return halo_; }
  const Lattice& lattice() const override { return links_.lattice(); }
  SpinorParameters domain() const override { return {}; }

  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { this->apply_hops(out, in, true); }
  void hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const override;

  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 protected:
  struct SiteCost {
    double flops = 0.0;
    double bytes = 0.0;  ///< beside spinors
  };
  /// Cost of A (`diagonal`) or A^-1 (`inverse`) on a site.
  virtual SiteCost site_cost(SiteTerm term) const = 0;

  /// Throws `Error` for an anisotropy that is not positive.
  WilsonLike(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary,
             HaloPrecision halo);
  const detail::WilsonHop<T>& hopping() const { return *hop_; }

 private:
  GaugeField<T> links_;
  HaloPrecision halo_;
  std::shared_ptr<const detail::WilsonHop<T>> hop_;
};

/// m = 1/(2 kappa) - 4, for any anisotropy: the convention of Chroma, whose anisotropic results it reproduces.
/// Throws `Error` for kappa <= 0.
double mass_from_kappa(double kappa);
/// kappa = 1 / (2 (4 + m)). Throws `Error` for m <= -4.
double kappa_from_mass(double mass);

struct WilsonParameters {
  double mass = 0.0;  ///< bare mass m
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// Throws `ParameterError` for parameters that `Wilson` refuses on any links.
void check_parameters(const WilsonParameters& parameters);

/// Wilson's Dirac operator, M = (m + 1 + 3 nu/xi_0) - D/2,
///
///   D psi(x) = sum_mu w_mu [ (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^dag psi(x-mu) ],
///
/// w = nu/xi_0 in space and 1 in time; psi(x + L_mu mu) = exp(i theta_mu) psi(x). Isotropic: M = (4 + m) - D/2.
/// Wilson 1974; anisotropic as in arXiv:0803.3960, eq. (3). DeGrand-Rossi gamma matrices.
/// 1368 flops a site; (8*18 + 3*24) reals a site, 8*12 or 8*8 for compressed links.
template <class T>
class Wilson final : public WilsonLike<T> {
 public:
  /// Stores a handle to `links`; changing them later changes the operator.
  /// Throws `Error` for an anisotropy that is not positive, a mass that is no number, and a diagonal of zero.
  Wilson(const GaugeField<T>& links, const WilsonParameters& parameters, HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision. The arguments may change the storage of links
  /// and the precision of halos. Throws `Error` for links that cannot be stored so (see `GaugeField`).
  template <class S>
  explicit Wilson(const Wilson<S>& other, std::optional<LinkStorage> storage = {},
                  std::optional<HaloPrecision> halo = {})
      : Wilson(GaugeField<T>(other.links(), storage.value_or(other.links().storage())), other.parameters(),
               halo.value_or(other.halo())) {}

  const WilsonParameters& parameters() const { return parameters_; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  double site_term_flops() const override { return 12.0 * static_cast<double>(this->lattice().volume()); }
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  // A is a number, which costs a hop nothing.
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm) const override { return {}; }
  double diagonal() const;

  WilsonParameters parameters_;
};

struct WilsonCloverParameters {
  double mass = 0.0;                     ///< bare mass m
  double csw = 1.0;                      ///< c_sw of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< c_sw^t
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;

  double temporal_coefficient() const { return csw_temporal.value_or(csw); }
};

/// The hopping term of a Wilson-like operator.
struct WilsonHopParameters {
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// Wilson's operator with the clover term of Sheikholeslami and Wohlert (1985), M = (m + 1 + 3 nu/xi_0) + A - D/2,
///
///   A(x) = -(1/2) sum_{mu<nu} c_{mu nu} sigma_{mu nu} F_{mu nu}(x),  sigma_{mu nu} = (i/2) [g_mu, g_nu],
///
/// F the clover-leaf field strength, c = c_sw / xi_0 in spatial planes and c_sw^t in temporal ones (arXiv:0803.3960,
/// eq. (3)); isotropic: c = c_sw in all. The site term m + 1 + 3 nu/xi_0 + A and its inverse are stored, 72 reals a
/// site each. 1872 flops a site for A^-1 D; (8*18 + 2*24 + 72) reals a site.
template <class T>
class WilsonClover final : public WilsonLike<T> {
 public:
  /// Computes the clover term and its inverse from `links`, in double. Owns a handle to `links`, which must not be
  /// changed afterwards. Throws `Error` for an anisotropy that is not positive and where the site term is singular.
  /// In `half`, convert an operator of another precision instead.
  WilsonClover(const GaugeField<T>& links, const WilsonCloverParameters& parameters) requires FloatingPrecision<T>;
  /// M = C - D/2 with a site term C of another code (`copy_in`), the mass in it; its inverse is computed. Owns handles
  /// to both. `parameters()` has no mass and no csw then, but NaN. Throws `Error` unless `site_term` has all sites of
  /// the links' lattice, and if it is singular.
  WilsonClover(const GaugeField<T>& links, const CloverField<T>& site_term,
               const WilsonHopParameters& parameters) requires FloatingPrecision<T>;
  /// Like above, with an inverse that is not checked.
  WilsonClover(const GaugeField<T>& links, const CloverField<T>& site_term, const CloverField<T>& site_term_inverse,
               const WilsonHopParameters& parameters);
  /// The operator in another precision, like that of `Wilson`. Clover terms are rounded, not computed again.
  template <class S>
  explicit WilsonClover(const WilsonClover<S>& other, std::optional<LinkStorage> storage = {},
                        std::optional<HaloPrecision> halo = {})
      : WilsonClover(other.parameters(), GaugeField<T>(other.links(), storage.value_or(other.links().storage())),
                     detail::in_precision<T>(other.site_term()), detail::in_precision<T>(other.site_term_inverse()),
                     halo.value_or(other.halo())) {}

  const WilsonCloverParameters& parameters() const { return parameters_; }
  /// m + 1 + 3 nu/xi_0 + A, and its inverse.
  const CloverField<T>& site_term() const { return site_term_; }
  const CloverField<T>& site_term_inverse() const { return site_term_inverse_; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm) const override;
  WilsonClover(const WilsonCloverParameters& parameters, const GaugeField<T>& links, CloverField<T> site_term,
               CloverField<T> site_term_inverse, HaloPrecision halo = HaloPrecision::field);

  WilsonCloverParameters parameters_;
  CloverField<T> site_term_;
  CloverField<T> site_term_inverse_;
};

/// Makes the operator of exponential clover quarks (Francis, Fritzsch, Luescher and Rago, arXiv:1911.04533): its site
/// term is d exp(A/d) with A and d = m + 1 + 3 nu/xi_0 of `WilsonClover`, which equals d + A to first order in A, and
/// has the inverse exp(-A/d)/d and the determinant d^12 on all links. `parameters()` has no mass and no csw, but NaN.
/// Throws `Error` as `WilsonClover` does, and where d is zero.
template <class T>
WilsonClover<T> make_exponential_clover(const GaugeField<T>& links, const WilsonCloverParameters& parameters);

}  // namespace kaon
