// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_system.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <memory>
#include <vector>

namespace kaon {

struct StaggeredParameters {
  double mass = 0.0;  ///< m
  BoundaryAngles boundary = antiperiodic_in_time;
};

namespace detail {
template <class T, class Stencil>
class Hopping;
struct StaggeredStencil;
}  // namespace detail

/// The naive staggered operator, M = 2m + D on fields of 1 spin and 3 colours,
///
///   D chi(x) = sum_mu eta_mu(x) [ U_mu(x) chi(x+mu) - U_mu(x-mu)^dag chi(x-mu) ],
///
/// eta_x = (-1)^t, eta_y = (-1)^(t+x), eta_z = (-1)^(t+x+y), eta_t = 1 with the coordinates of the whole lattice, and
/// chi(x + L_mu mu) = exp(i theta_mu) chi(x). Phases and boundary lie in the operator, not in the links. The
/// normalisation is MILC's and QUDA's; m + D/2 of other codes is half of this. D^dag = -D.
/// Kogut and Susskind 1975. 582 flops a site; (8*18 + 3*6) reals a site, 8*12 or 8*8 for compressed links.
template <class T>
class Staggered final : public EvenOddOperator<T> {
 public:
  /// Keeps a handle to `links`; changing them later changes the operator. Throws `Error` for a mass that is no number.
  Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters);
  /// The same operator in another precision.
  template <class S>
  explicit Staggered(const Staggered<S>& other) : Staggered(other, other.links().storage()) {}
  /// The same operator in another precision or with links stored in another way. Throws `Error` for links that cannot
  /// be stored so (see `GaugeField`).
  template <class S>
  Staggered(const Staggered<S>& other, LinkStorage storage) : Staggered(other, storage, other.halo()) {}
  /// The same operator, but for halos that travel in another precision.
  template <class S>
  Staggered(const Staggered<S>& other, LinkStorage storage, HaloPrecision halo);

  const StaggeredParameters& parameters() const { return parameters_; }
  const GaugeField<T>& links() const;
  HaloPrecision halo() const;
  const Lattice& lattice() const override;
  SpinorParameters domain() const override { return {.spins = 1}; }

  /// K = -D, A = 2m. Throws `Error` for A^-1 where the mass is zero.
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;
  /// `StaggeredNormal`
  std::unique_ptr<EvenOddSystem<T>> normal_system(Parity parity) const override;
  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 private:
  Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters, HaloPrecision halo);

  StaggeredParameters parameters_;
  std::shared_ptr<const detail::Hopping<T, detail::StaggeredStencil>> hop_;
};

/// The normal operator of staggered fermions on one parity p, N = 4m^2 - D_pq D_qp: M^dag M joins sites of one parity
/// only, so that N x_p = (M^dag b)_p and x_q = (b_q - D_qp x_p) / (2m). Hermitian and positive: for conjugate
/// gradients, and with a mass of zero the base of shifted systems. The last step divides by the mass, and with it the
/// residual of N may grow by 1/(2m). 1152 flops for two sites.
template <class T>
class StaggeredNormal final : public EvenOddSystem<T> {
 public:
  /// Borrows `full`, or owns it if it is a temporary: see `Ref`.
  explicit StaggeredNormal(Ref<Staggered<T>> full, Parity parity = Parity::even);

  const EvenOddOperator<T>& full() const override { return *full_; }
  Parity parity() const override { return parity_; }
  /// source_p = 2m b_p - D_pq b_q
  void prepare(SpinorField<T>& source, const SpinorField<T>& b) const override;
  /// x_q = (b_q - D_qp x_p) / (2m). Throws `Error` where the mass is zero.
  void reconstruct(SpinorField<T>& x, const SpinorField<T>& b) const override;
  /// r / (2m)
  void full_residual(SpinorField<T>& out, const SpinorField<T>& residual) const override;

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }
  blas::PendingReductions apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                           const blas::Reductions<T>& reductions) const override;
  const Lattice& lattice() const override { return full_->lattice(); }
  SpinorParameters domain() const override;
  double flops() const override;
  double bytes() const override;

 private:
  /// `reduced` may be null.
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const blas::Reductions<T>& reductions,
             blas::PendingReductions* reduced) const;
  SpinorField<T>& scratch(int right_hand_sides) const;

  Ref<Staggered<T>> full_;
  Parity parity_;
  mutable std::vector<SpinorField<T>> scratch_;
};

extern template class Staggered<double>;
extern template class Staggered<float>;
extern template class Staggered<half>;
extern template class StaggeredNormal<double>;
extern template class StaggeredNormal<float>;
extern template class StaggeredNormal<half>;

}  // namespace kaon
