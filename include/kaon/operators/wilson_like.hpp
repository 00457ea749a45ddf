// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <memory>

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
  const GaugeField<T>& links() const;
  HaloPrecision halo() const;
  const Lattice& lattice() const override;
  SpinorParameters domain() const override { return {}; }

  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { this->apply_hops(out, in, true); }
  void hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const override;

  double hop_flops(SiteTerm term, bool with_x) const override;
  double site_term_flops() const override;
  double hop_bytes(SiteTerm term, bool with_x) const override;
  double site_term_bytes() const override;

 protected:
  /// Cost of A or A^-1 on a site.
  struct SiteCost {
    double flops = 0.0;
    double bytes = 0.0;  ///< beside spinors
  };
  /// Costs of the site term in a hop, and of A^-1 alone.
  virtual SiteCost cost_in_hop(SiteTerm term) const = 0;
  virtual SiteCost cost_alone() const = 0;

  /// Throws `Error` for an anisotropy that is not positive.
  WilsonLike(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary,
             HaloPrecision halo);
  const detail::WilsonHop<T>& hopping() const { return *hop_; }

 private:
  std::shared_ptr<const detail::WilsonHop<T>> hop_;
};

extern template class WilsonLike<double>;
extern template class WilsonLike<float>;
extern template class WilsonLike<half>;

}  // namespace kaon
