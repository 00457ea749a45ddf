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
/// Kogut and Susskind 1975. 582 flops a site; (8*18 + 3*6) reals a site, 8*14, 8*12 or 8*8 for compressed links.
template <class T>
class Staggered final : public StaggeredLike<T> {
 public:
  /// Stores a handle to `links`; changing them later changes the operator. Throws `Error` for a mass that is no number.
  Staggered(const GaugeField<T>& links, const StaggeredParameters& parameters,
            HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision. The arguments may change the storage of links
  /// and the precision of halos. Throws `Error` for links that cannot be stored so (see `GaugeField`).
  template <class S>
  explicit Staggered(const Staggered<S>& other, std::optional<LinkStorage> storage = {},
                     std::optional<HaloPrecision> halo = {})
      : Staggered(GaugeField<T>(other.links(), storage.value_or(other.links().storage())), other.parameters(),
                  halo.value_or(other.halo())) {}
  /// The operator with another mass, on the same links. Throws `Error` for a mass that is no number.
  Staggered with_mass(double mass) const;

  const StaggeredParameters& parameters() const { return parameters_; }
  const GaugeField<T>& links() const;
  HaloPrecision halo() const;
  const Lattice& lattice() const override;

  /// K = -D, A = 2m. Throws `Error` for A^-1 where the mass is zero.
  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

 private:
  typename StaggeredLike<T>::HopCost hop_cost() const override;
  StaggeredParameters parameters_;
  std::shared_ptr<const detail::Hopping<T, detail::StaggeredStencil>> hop_;
};

extern template class Staggered<double>;
extern template class Staggered<float>;
extern template class Staggered<half>;

}  // namespace kaon
