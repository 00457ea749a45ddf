// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/clover_field.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/wilson.hpp>

#include <optional>

namespace kaon::detail {

/// The hopping term K = D/2 of Wilson-like operators, fused with a site term. Shared by copies of an operator.
template <class T>
class HopTerm {
 public:
  /// Throws `Error` for an anisotropy that is not positive.
  HopTerm(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary, HaloPrecision halo);

  const GaugeField<T>& links() const { return links_; }
  const Lattice& lattice() const { return links_.lattice(); }
  double spatial_weight() const { return spatial_weight_; }
  const BoundaryAngles& boundary() const { return boundary_; }
  HaloPrecision halo() const { return halo_; }

  /// out = [form], A or A^-1 being `site_term` (unused, may be null, with `SiteTerm::none`).
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
             const CloverField<T>* site_term) const;

 private:
  GaugeField<T> links_;
  double spatial_weight_;
  BoundaryAngles boundary_;
  HaloPrecision halo_;
};

extern template class HopTerm<double>;
extern template class HopTerm<float>;
extern template class HopTerm<half>;

/// `HopTerm::apply` for links stored as Code says: one translation unit for each T and Code (see CMakeLists.txt).
template <class T, class Code>
void apply_hop(const HopTerm<T>& hop, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
               const CloverField<T>* site_term);

/// Set, all hops over processes wait for their halos first, or none: for tests. Alike on all processes.
std::optional<bool>& forced_halo_first();

/// out = C in on one parity, C a clover field.
template <class T>
void apply_clover(SpinorField<T>& out, const SpinorField<T>& in, const CloverField<T>& clover);

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

/// Bytes of one spinor, and of the two blocks of a clover term, with the scales of 16-bit numbers.
template <class T>
inline constexpr double spinor_bytes = 24 * sizeof(T) + (std::is_same_v<T, half> ? sizeof(float) : 0);
template <class T>
inline constexpr double clover_bytes = 72 * sizeof(T) + (std::is_same_v<T, half> ? 2 * sizeof(float) : 0);
/// Bytes of the eight links of a hop.
template <class T>
double link_bytes(const GaugeField<T>& links) {
  return 8.0 * reals(links.storage()) * sizeof(T);
}

}  // namespace kaon::detail
