// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/wilson.hpp>

namespace kaon::detail {

/// The hopping term K = D/2 of Wilson-like operators, fused with a site term. Shared by copies of an operator.
template <class T>
class HopTerm {
 public:
  /// Throws `Error` for an anisotropy that is not positive.
  HopTerm(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary);

  const GaugeField<T>& links() const { return links_; }
  const Lattice& lattice() const { return links_.lattice(); }
  double spatial_weight() const { return spatial_weight_; }
  const BoundaryAngles& boundary() const { return boundary_; }

  /// out = [form], A or A^-1 being `site_term` (unused, may be null, with `SiteTerm::none`).
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
             const CloverField<T>* site_term) const;

 private:
  GaugeField<T> links_;
  double spatial_weight_;
  BoundaryAngles boundary_;
};

extern template class HopTerm<double>;
extern template class HopTerm<float>;

/// out = C in on one parity, C a clover field.
template <class T>
void apply_clover(SpinorField<T>& out, const SpinorField<T>& in, const CloverField<T>& clover);

extern template void apply_clover(SpinorField<double>&, const SpinorField<double>&, const CloverField<double>&);
extern template void apply_clover(SpinorField<float>&, const SpinorField<float>&, const CloverField<float>&);

/// Throws `Error` unless xi_0 and nu are positive.
void require_anisotropy(const Anisotropy& anisotropy);

/// Throws `Error` unless `out` and `in` are Wilson-like fields on `lattice`, of opposite parities, and `form.x` fits
/// `out`.
template <class T>
void require_hop_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form);

/// Throws `Error` unless `out` and `in` are Wilson-like fields on `lattice`, of one and the same parity, and `term` is
/// not `none`.
template <class T>
void require_site_term_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term);

/// Sites of one parity, times `reals` of T: the bytes of a kernel.
template <class T>
double half_volume_bytes(const Lattice& lattice, double reals) {
  return 0.5 * static_cast<double>(lattice.volume()) * reals * static_cast<double>(sizeof(T));
}

}  // namespace kaon::detail
