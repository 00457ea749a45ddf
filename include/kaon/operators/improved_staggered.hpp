// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/halo_precision.hpp>
#include <kaon/operators/staggered_like.hpp>
#include <kaon/operators/staggered_normal.hpp>

#include <memory>
#include <optional>

namespace kaon {

struct ImprovedStaggeredParameters {
  double mass = 0.0;                  ///< m
  double third_weight = -1.0 / 24.0;  ///< w: -1/(24 u0^2) for asqtad, -(1 + epsilon)/24 for HISQ
  BoundaryAngles boundary = antiperiodic_in_time;
};

namespace detail {
template <class T, class Stencil>
class Hopping;
struct ImprovedStencil;
}  // namespace detail

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
  /// The operator in another precision. The arguments may change the storage of third links and the
  /// precision of halos; fat links are stored in full. Throws `Error` for third links that cannot be
  /// stored so (see `GaugeField`).
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
  const GaugeField<T>& fat() const;
  const GaugeField<T>& third() const;
  HaloPrecision halo() const;
  const Lattice& lattice() const override;

  /// K = -D, A = 2m. Throws `Error` for A^-1 where the mass is zero.
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename StaggeredLike<T>::HopCost hop_cost() const override;

  ImprovedStaggeredParameters parameters_;
  std::shared_ptr<const detail::Hopping<T, detail::ImprovedStencil>> hop_;
};

extern template class ImprovedStaggered<double>;
extern template class ImprovedStaggered<float>;
extern template class ImprovedStaggered<half>;

}  // namespace kaon
