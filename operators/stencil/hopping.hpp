// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/site_sums.hpp"
#include "operators/stencil/stencil.hpp"
#include "operators/stencil_list.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/halo_precision.hpp>

#include <functional>
#include <vector>

namespace kaon::detail {

/// Throws `Error` unless `out` and `in` are fields of `spins` x 3 with the same slices on `lattice`, of opposite
/// parities, and `form.x` and what `form` wants of products fit `out`.
template <class T>
void require_hop_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form, int spins);

/// Calls `hop(out, in, form)` with slices as right-hand sides, which share the links: all together if they are
/// evenly spaced, else those of each right-hand side. Reductions run over the slices of a right-hand side: they are
/// taken afterwards.
template <class T>
using HopOfSlices = std::function<void(SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&)>;
template <class T>
void apply_to_slices(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form, const HopOfSlices<T>& hop);

/// The reductions that `form` wants, if it wants any. A kernel that makes `out` has made their partial sums; those
/// whose squares may have left the range of `float`, in which the kernel makes them, are used from memory, as are all
/// if the kernel made none (`sums` are not wanted).
template <class T>
void collect_reductions(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out,
                        const SiteSums& sums);

/// Throws `Error` unless virtual nodes of `lattice` are wider than `reach`.
void require_reach(const Lattice& lattice, int reach);

/// Throws `Error` unless all sets of links live on one lattice.
void require_one_lattice(const Lattice& lattice, const Lattice& other);

/// The hopping term K of an operator M = A - K: a stencil on the links of gauge fields, one for each of its sets.
/// Shared by copies of an operator. `Stencil` is what operators/stencil/stencil.hpp says.
template <class T, class Stencil_>
class Hopping {
 public:
  using Stencil = Stencil_;
  static constexpr int sets = link_sets_of(Stencil::legs);
  using LinkFields = std::array<const GaugeField<T>*, sets>;

  /// Throws `Error` for a stencil that reaches further than the lattice is made for, and for one that was not compiled.
  Hopping(const LinkFields& links, const Stencil& stencil, const BoundaryAngles& boundary, HaloPrecision halo)
      : stencil_(stencil), boundary_(boundary), halo_(halo) {
    for (const GaugeField<T>* field : links) {
      require_one_lattice(links[0]->lattice(), field->lattice());
      links_.push_back(field->share());
      const bool restore = needs_full_links<T>(field->lattice()) && field->storage() != LinkStorage::full;
      links_of_kernels_.push_back(restore ? GaugeField<T>(*field, LinkStorage::full) : field->share());
    }
    require_reach(lattice(), reach_of(Stencil::legs));
    const auto given = storages_of(links_);
    with_link_codes(typename Stencil::Codes{}, given, []<class>() {});
    compiled_stencils().require(precision_name<T>(), given.back());
  }
  Hopping(const GaugeField<T>& links, const Stencil& stencil, const BoundaryAngles& boundary,
          HaloPrecision halo) requires(sets == 1)
      : Hopping(LinkFields{&links}, stencil, boundary, halo) {}

  /// The links as they were given.
  const GaugeField<T>& links(int set = 0) const { return links_[static_cast<std::size_t>(set)]; }
  /// The links that kernels read: the same, or a copy with all reals where `needs_full_links`.
  const GaugeField<T>* link_fields() const { return links_of_kernels_.data(); }
  std::array<LinkStorage, sets> storages() const { return storages_of(links_of_kernels_); }
  /// Reals of the links of all sets in one direction of a site.
  int link_reals() const {
    int sum = 0;
    for (const LinkStorage storage : storages()) sum += reals(storage);
    return sum;
  }
  const Lattice& lattice() const { return links_.front().lattice(); }
  const Stencil& stencil() const { return stencil_; }
  const BoundaryAngles& boundary() const { return boundary_; }
  HaloPrecision halo() const { return halo_; }

  /// out = [form] except for its site term, which is `term`: `NoSiteTerm`, `OnX` or `OnHop` of a site matrix. Equal on
  /// each slice.
  template <class Term>
  void apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form, const Term& term) const;

 private:
  /// Applies the hop to fields of one slice.
  template <class Term>
  void apply_to_slice(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form, const Term& term) const {
    with_link_codes(typename Stencil::Codes{}, storages(),
                    [&]<class Codes>() { apply_stencil<Codes>(*this, out, in, form, term); });
  }
  static std::array<LinkStorage, sets> storages_of(const std::vector<GaugeField<T>>& links) {
    std::array<LinkStorage, sets> storages;
    for (std::size_t set = 0; set < storages.size(); ++set) storages[set] = links[set].storage();
    return storages;
  }

  std::vector<GaugeField<T>> links_, links_of_kernels_;
  Stencil stencil_;
  BoundaryAngles boundary_;
  HaloPrecision halo_;
};

/// `Hopping::apply` for links stored as `LinkCodes` say, defined in stencil_launch.hpp and instantiated for each T and
/// `LinkCodes` in a translation unit of its own.
template <class Codes, class T, class Stencil, class Term>
void apply_stencil(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                   const HopForm<T>& form, const Term& term);

template <class T, class Stencil>
template <class Term>
void Hopping<T, Stencil>::apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                                const Term& term) const {
  require_hop_fields(lattice(), out, in, form, Stencil::spins);
  if (out.slices() == 1) return apply_to_slice(out, in, form, term);
  apply_to_slices<T>(out, in, form, [&](SpinorField<T>& to, const SpinorField<T>& from, const HopForm<T>& of_slices) {
    apply_to_slice(to, from, of_slices, term);
  });
}

/// Factors of decoded links in kernels: the first set's unit, applied to whole sums, and the weights of all sets
/// relative to that.
template <int sets>
struct LinkWeights {
  double unit = 1.0;
  std::array<double, sets> relative{};
};
template <class Codes, class T, class Stencil>
LinkWeights<Codes::sets> link_weights(const Hopping<T, Stencil>& hopping) {
  const auto units = link_units(Codes{}, hopping.link_fields());
  LinkWeights<Codes::sets> weights{units[0], {1.0}};
  for (std::size_t set = 1; set < units.size(); ++set) {
    if constexpr (Codes::sets > 1) {
      weights.relative[set] = hopping.stencil().link_weight(static_cast<int>(set)) * units[set] / units[0];
    }
  }
  return weights;
}

/// Throws `Error` unless `out` and `in` are fields on `lattice`, of one and the same parity, with spins, 3 colours and
/// slices as `domain`, and `term` is not `none`.
template <class T>
void require_site_term_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term, const SpinorParameters& domain);

/// `form` of an operator whose site term A is the number `a`: every form is then a x + c K in.
template <class T>
HopForm<T> without_site_term(const HopForm<T>& form, double a) {
  require(form.term != SiteTerm::diagonal || form.x != nullptr, "out = A x + c K in needs x");
  HopForm<T> plain = form;
  plain.term = SiteTerm::none;
  if (form.term == SiteTerm::diagonal) plain.x_scale = a;
  if (form.term == SiteTerm::inverse) plain.scale = form.scale / a;
  return plain;
}

/// out = a in or in / a. `out` may be `in`.
template <class T>
void apply_number(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, double a) {
  if (out.data() != in.data()) blas::copy(out, in);
  const double factor = term == SiteTerm::diagonal ? a : 1.0 / a;
  blas::scale(out, std::vector<double>(static_cast<std::size_t>(out.right_hand_sides()), factor));
}

/// Bytes of eight links.
template <class T>
double link_bytes(const GaugeField<T>& links) {
  return 8.0 * reals(links.storage()) * sizeof(T);
}

}  // namespace kaon::detail
