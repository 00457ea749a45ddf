// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/link_codes.hpp"
#include "operators/stencil/leg.hpp"
#include "operators/stencil_list.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <optional>
#include <type_traits>

namespace kaon::detail {

/// Throws `Error` unless `out` and `in` are fields of `spins` x 3 on `lattice`, of opposite parities, and `form.x` and
/// what `form` wants of products fit `out`.
template <class T>
void require_hop_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form, int spins);

/// Throws `Error` unless virtual nodes of `lattice` are wider than `reach`.
void require_reach(const Lattice& lattice, int reach);

/// The hopping term K of an operator M = A - K: a stencil on the links of a gauge field. Shared by copies of an
/// operator. `Stencil` is what operators/stencil/stencil.hpp says.
template <class T, class Stencil_>
class Hopping {
 public:
  using Stencil = Stencil_;

  /// Throws `Error` for a stencil that reaches further than the lattice is made for, and for one that was not compiled.
  Hopping(const GaugeField<T>& links, const Stencil& stencil, const BoundaryAngles& boundary, HaloPrecision halo)
      : links_(links.share()), stencil_(stencil), boundary_(boundary), halo_(halo) {
    require_reach(links.lattice(), reach_of(Stencil::legs));
    compiled_stencils().require(precision_name<T>(), links.storage());
  }

  const GaugeField<T>& links() const { return links_; }
  const Lattice& lattice() const { return links_.lattice(); }
  const Stencil& stencil() const { return stencil_; }
  const BoundaryAngles& boundary() const { return boundary_; }
  HaloPrecision halo() const { return halo_; }

  /// out = [form] but for its site term, which is `term`: `NoSiteTerm`, `OnX` or `OnHop` of a site matrix.
  template <class Term>
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form, const Term& term) const;

 private:
  GaugeField<T> links_;
  Stencil stencil_;
  BoundaryAngles boundary_;
  HaloPrecision halo_;
};

/// `Hopping::apply` for links stored as Code says, defined in stencil_launch.hpp and instantiated for each T and Code
/// in a translation unit of its own.
template <class Code, class T, class Stencil, class Term>
void apply_stencil(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                   const HopForm<T>& form, const Term& term);

template <class T, class Stencil>
template <class Term>
void Hopping<T, Stencil>::apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                                const Term& term) const {
  require_hop_fields(lattice(), out, in, form, Stencil::spins);
  with_link_code(links_.storage(), [&]<class Code>() { apply_stencil<Code>(*this, out, in, form, term); });
}

/// Set, all stencils over processes wait for their halos first, or none: for tests. Alike on all processes.
std::optional<bool>& forced_halo_first();

/// Throws `Error` unless `out` and `in` are fields of `spins` x 3 on `lattice`, of one and the same parity, and `term`
/// is not `none`.
template <class T>
void require_site_term_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term, int spins);

/// Bytes of the eight links of a hop.
template <class T>
double link_bytes(const GaugeField<T>& links) {
  return 8.0 * reals(links.storage()) * sizeof(T);
}

}  // namespace kaon::detail
