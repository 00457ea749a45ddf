// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <memory>
#include <optional>

namespace kaon {

namespace detail {
template <class T, class Stencil>
class Hopping;
struct StaggeredStencil;
struct ImprovedStencil;
}  // namespace detail

/// Base of staggered operators: M = 2m + D on fields of 1 spin and 3 colours, for any hopping term
/// D = -D^dag. In M = A - K: A = 2m, K = -D.
template <class T>
class StaggeredLike : public EvenOddOperator<T>, public Adjointable<T>, public Blockable<T>, public CountedHops {
 public:
  /// m
  double mass() const { return mass_; }
  HaloPrecision halo() const { return halo_; }
  const Lattice& lattice() const override { return links_.lattice(); }
  SpinorParameters domain() const override { return {.spins = 1}; }

  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { this->apply_hops(out, in, true); }
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  /// `StaggeredNormal`
  std::unique_ptr<EvenOddSystem<T>> normal_system(Parity parity) const override;
  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 protected:
  /// Cost of D on a site.
  struct HopCost {
    double flops = 0.0;
    double link_bytes = 0.0;
  };

  /// Stores a handle to `links`. Throws `Error` for a mass that is no number.
  StaggeredLike(const GaugeField<T>& links, double mass, HaloPrecision halo, const HopCost& cost);
  /// `form` without its site term. Throws `Error` for A^-1 where the mass is zero.
  HopForm<T> plain(const HopForm<T>& form) const;

  GaugeField<T> links_;

 private:
  void require_inverse(SiteTerm term) const;

  double mass_;
  HaloPrecision halo_;
  HopCost cost_;
};

struct StaggeredParameters {
  double mass = 0.0;  ///< m
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// The naive staggered operator, M = 2m + D on fields of 1 spin and 3 colours,
///
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ],
///
/// eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1 with the coordinates of the whole lattice, and
/// chi(x + L_mu mu) = exp(i theta_mu) chi(x). Phases and boundary lie in the operator, not in the links. The
/// normalisation is MILC's and QUDA's; m + D/2 of other codes is half of this. D^dag = -D.
/// Kogut and Susskind 1975. 582 flops a site; (8*18 + 3*6) reals a site, 8*14, 8*12 or 8*8 for compressed links.
template <class T>
class Staggered final : public StaggeredLike<T> {
 public:
  /// Stores a handle to `links`; changing them later changes the operator. Throws `Error` for a mass that is no number.
  Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters,
            HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision, like that of `Wilson`.
  template <class S>
  explicit Staggered(const Staggered<S>& other, std::optional<LinkStorage> storage = {},
                     std::optional<HaloPrecision> halo = {})
      : Staggered(GaugeField<T>(other.links(), storage.value_or(other.links().storage())), other.parameters(),
                  halo.value_or(other.halo())) {}
  /// The operator with another mass, on the same links. Throws `Error` for a mass that is no number.
  Staggered with_mass(double mass) const;

  const StaggeredParameters& parameters() const { return parameters_; }
  const GaugeField<T>& links() const { return this->links_; }

  /// K = -D, A = 2m. Throws `Error` for A^-1 where the mass is zero.
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  StaggeredParameters parameters_;
  std::shared_ptr<const detail::Hopping<T, detail::StaggeredStencil>> hop_;
};

struct ImprovedStaggeredParameters {
  double mass = 0.0;                  ///< m
  double third_weight = -1.0 / 24.0;  ///< w: -1/(24 u0^2) for asqtad, -(1 + epsilon)/24 for HISQ
  BoundaryAngles boundary = antiperiodic_in_time;
};

/// The improved staggered operator, M = 2m + D on fields of 1 spin and 3 colours, with fat links F and third links T,
///
///   D chi(x) = sum_mu eta_mu(x) [ F_mu(x) chi(x+mu) - F_mu(x-mu)^dag chi(x-mu)
///                                 + w (T_mu(x) chi(x+3mu) - T_mu(x-3mu)^dag chi(x-3mu)) ],
///
/// phases eta and boundary as in `Staggered`: neither they nor w are in the links. T_mu(x) is a product of three links,
/// from x to x+3mu, in U(3); w T is the "long link" of MILC and QUDA. F holds the coefficients of its paths and is any
/// matrix. The lattice has `reach` 3. D^dag = -D. Asqtad: Orginos, Toussaint and Sugar, hep-lat/9903032; HISQ: Follana
/// et al., hep-lat/0610092. 1158 flops a site; (8*18 + 8*18 + 3*6) reals a site, 8*14 or 8*10 for compressed third
/// links, 8*12 or 8*8 for those in SU(3), as asqtad's are.
template <class T>
class ImprovedStaggered final : public StaggeredLike<T> {
 public:
  /// Stores handles to the links; changing them later changes the operator. Throws `Error` for parameters that are no
  /// numbers, for a lattice whose `reach` is below 3, and for fat links that are compressed.
  ImprovedStaggered(const GaugeField<T>& fat, const GaugeField<T>& third, const ImprovedStaggeredParameters& parameters,
                    HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision, like that of `Wilson`. The storage is that of third links; fat links are stored
  /// in full.
  template <class S>
  explicit ImprovedStaggered(const ImprovedStaggered<S>& other, std::optional<LinkStorage> third = {},
                             std::optional<HaloPrecision> halo = {})
      : ImprovedStaggered(GaugeField<T>(other.fat(), LinkStorage::full),
                          GaugeField<T>(other.third(), third.value_or(other.third().storage())), other.parameters(),
                          halo.value_or(other.halo())) {}
  /// The operator with another mass, on the same links. Throws `Error` for a mass that is no number.
  ImprovedStaggered with_mass(double mass) const;

  /// Storage of third links, in the iterations of solvers that choose.
  static constexpr LinkStorage compressed_links = LinkStorage::two_rows_and_determinant;
  const ImprovedStaggeredParameters& parameters() const { return parameters_; }
  const GaugeField<T>& fat() const { return this->links_; }
  const GaugeField<T>& third() const { return third_; }

  /// K = -D, A = 2m. Throws `Error` for A^-1 where the mass is zero.
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  GaugeField<T> third_;
  ImprovedStaggeredParameters parameters_;
  std::shared_ptr<const detail::Hopping<T, detail::ImprovedStencil>> hop_;
};

namespace detail {

/// An estimate R of |x - M^-1 b| / |b - M x| for staggered quarks, from that of the normal system N = 4 m^2 - D^2 on a
/// parity, R_N: e_q = -D e_p / (2m) yields |e|^2 = <e_p, r_p> / (4 m^2) <= R_N |r_p|^2 / (4 m^2), where b - M x is
/// r_p / (2m). This also holds for x = M^dag y, N y = b, where r is that of y. |M e| >= 2m |e| is a bound, which alone
/// remains where R_N = 0, unknown.
double staggered_error_per_residual(double of_normal_system, double mass);

}  // namespace detail

/// The normal operator of staggered fermions on one parity p, N = 4m^2 - D_pq D_qp: M^dag M joins sites of one parity
/// only, so that N x_p = (M^dag b)_p and x_q = (b_q - D_qp x_p) / (2m). Hermitian and positive: for conjugate
/// gradients, and with a mass of zero the base of shifted systems. The last step divides by the mass, and with it the
/// residual of N may grow by 1/(2m). Two hops, the second with x: 1152 flops for naive fermions, 2304 for improved
/// ones.
template <class T>
class StaggeredNormal final : public EvenOddSystem<T>, public Adjointable<T>, public Counted {
 public:
  /// Borrows `full`, or owns it if it is a temporary: see `Ref`.
  explicit StaggeredNormal(Ref<StaggeredLike<T>> full, Parity parity = Parity::even);

  const EvenOddOperator<T>& full() const override { return *full_; }
  Parity parity() const override { return parity_; }
  /// source_p = 2m b_p - D_pq b_q
  void prepare(SpinorField<T>& source, const SpinorField<T>& b) const override;
  /// x_q = (b_q - D_qp x_p) / (2m). Throws `Error` where the mass is zero.
  void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const override;
  /// r / (2m)
  void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const override;
  double full_error_per_residual(double error_per_residual, double scale) const override;

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in, {}, nullptr); }
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  double flops() const override {
    return full_->hop_flops(SiteTerm::none, false) + full_->hop_flops(SiteTerm::none, true);
  }
  double bytes() const override {
    return full_->hop_bytes(SiteTerm::none, false) + full_->hop_bytes(SiteTerm::none, true);
  }

 private:
  /// `reduced` may be null.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
             blas::PendingReductions* reduced) const;
  SpinorField<T>& scratch(int right_hand_sides) const;

  Ref<StaggeredLike<T>> full_;
  Parity parity_;
  mutable detail::KeptFields<T> scratch_;
};

}  // namespace kaon
