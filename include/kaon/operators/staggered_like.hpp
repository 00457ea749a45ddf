// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/even_odd_operator.hpp>

#include <memory>

namespace kaon {

/// Base of staggered operators: M = 2m + D on fields of 1 spin and 3 colours, for any hopping term
/// D = -D^dag. In M = A - K: A = 2m, K = -D.
template <class T>
class StaggeredLike : public EvenOddOperator<T>, public Adjointable<T>, public Blockable<T>, public CountedHops {
 public:
  /// m
  double mass() const { return mass_; }
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
  virtual HopCost hop_cost() const = 0;

  /// Throws `Error` for a mass that is no number.
  explicit StaggeredLike(double mass);
  /// `form` without its site term. Throws `Error` for A^-1 where the mass is zero.
  HopForm<T> plain(const HopForm<T>& form) const;

 private:
  void require_inverse(SiteTerm term) const;

  double mass_;
};

extern template class StaggeredLike<double>;
extern template class StaggeredLike<float>;
extern template class StaggeredLike<half>;

}  // namespace kaon
