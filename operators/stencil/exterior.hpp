// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/launch/launch.hpp"
#include "operators/stencil/halo_kernels.hpp"
#include "operators/stencil/halo_send.hpp"
#include "operators/stencil/site_term.hpp"

#include <type_traits>

namespace kaon::detail {

/// out += c B D_exterior, D's terms whose neighbours lie on other processes; B the site matrix of `Term`, which is
/// applied to the hop.
template <class S, class H, class Term>
struct ExteriorKernel {
  using V = typename S::V;
  using Vector = typename S::Vector;

  SubLattice node;
  int parity;  // of out
  const int* face_sites;
  typename S::Links links;
  typename S::Out out;
  typename Term::template OnSites<V> term;
  Scalar<V> scale;
  HaloUnpack<S, H> unpack;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = node.site(face_sites[index], parity);
    for (int rhs = first; rhs < last; ++rhs) {
      Vector sum = zero_vector<Vector>();
      unpack.add(sum, links, node, site, rhs, rhs == first);
      sum = term(sum, site.index);
      Vector result = out.load(site.index, rhs);
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) elements(result)[n] += V(scale) * elements(sum)[n];
      out.store(result, site.index, rhs);
    }
  }
};

/// The part of a stencil in which other processes participate, around the part of local sites:
///   Exterior exterior(...);  exterior.start();  [interior: the stencil over local sites]  exterior.finish();
template <class T, class Stencil, class Codes, class Term>
class Exterior {
 public:
  /// The operands of `apply_stencil`.
  Exterior(const Hopping<T, Stencil>& hopping, SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
           const Term& term);

  /// Sends the messages of `in` to the neighbours.
  void start() { send_halo<Codes>(hopping_, in_, form_.dagger, halo_); }
  /// Adds their messages to `out`.
  void finish();

  /// Whether halos travel in the field's precision, so that one kernel with the exterior can follow an exchange
  /// (`exchange`).
  bool can_come_first() const {
    return with_message_type<T>(hopping_.halo(), []<class H>() { return std::is_same_v<H, T>; });
  }
  void exchange() {
    start();
    halo_.exchange().finish();
  }
  StencilHalo& halo() { return halo_; }

  /// The kernel that packs `in` for the next exchange.
  template <class V>
  auto make_pack() const {
    return make_halo_pack<Codes, V, T>(hopping_, in_, form_.dagger, halo_);
  }

  /// The kernel that adds the terms of the last exchange, in units of `unit`.
  template <class V, class H>
  HaloUnpack<StencilTypes<T, V, Stencil, Codes>, H> make_unpack(double unit) const;

 private:
  Parity parity() const { return parity_of(out_.subset()); }
  const Lattice& lattice() const { return hopping_.lattice(); }

  const Hopping<T, Stencil>& hopping_;
  SpinorField<T>& out_;
  const SpinorField<T>& in_;
  const HopForm<T>& form_;
  const Term& term_;
  StencilHalo& halo_;
};

template <class T, class Stencil, class Codes, class Term>
Exterior<T, Stencil, Codes, Term>::Exterior(const Hopping<T, Stencil>& hopping, SpinorField<T>& out,
                                            const SpinorField<T>& in, const HopForm<T>& form, const Term& term)
    : hopping_(hopping),
      out_(out),
      in_(in),
      form_(form),
      term_(term),
      halo_(with_message_type<T>(hopping.halo(), [&]<class H>() -> StencilHalo& {
        return StencilHalo::of<T, Stencil, H>(hopping.lattice(), in.right_hand_sides());
      })) {}

template <class T, class Stencil, class Codes, class Term>
template <class V, class H>
HaloUnpack<StencilTypes<T, V, Stencil, Codes>, H> Exterior<T, Stencil, Codes, Term>::make_unpack(double unit) const {
  using S = StencilTypes<T, V, Stencil, Codes>;
  const Coordinates& lane_grid = lattice().template lane_grid<T>();
  const SubLattice node(lattice().local_extents(), lane_grid);
  HaloUnpack<S, H> unpack;
  unpack.flags = halo_.exchange().flags();
  unpack.arithmetic = hopping_.stencil().template arithmetic<V>(form_.dagger);
  const auto weights = link_weights<Codes>(hopping_);
  copy_weights<V>(unpack.link_weight, weights);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const double weight = hopping_.stencil().weight(static_cast<int>(mu)) / unit;
    unpack.ahead[mu] = static_cast<Scalar<V>>(weights.unit * weight);
    unpack.behind[mu] = static_cast<Scalar<V>>(weight);
    unpack.partitioned[mu] = lattice().is_partitioned(mu);
    unpack.sites[mu] = FaceSites(node, static_cast<int>(mu));
    for (const std::size_t face : {2 * mu, 2 * mu + 1}) {
      const auto* data = static_cast<const H*>(halo_.exchange().incoming(static_cast<int>(face)));
      unpack.receive_buffer[face] = {const_cast<H*>(data), halo_.stride(mu),
                                     EdgeLanes<V>(lane_grid, mu, face % 2 == 0)};
    }
  }
  return unpack;
}

template <class T, class Stencil, class Codes, class Term>
void Exterior<T, Stencil, Codes, Term>::finish() {
  halo_.exchange().finish();
  with_stencil_lanes<T, Codes>(lattice().template lane_count<T>(), [&]<class V>() {
    with_message_type<T>(hopping_.halo(), [&]<class H>() {
      using S = StencilTypes<T, V, Stencil, Codes>;
      const auto& sites = halo_.face_sites(parity());
      // A site matrix on x has nothing to do here: one kernel for all of them.
      using OnSum = std::conditional_t<Term::on_x, NoSiteTerm, Term>;
      ExteriorKernel<S, H, OnSum> kernel;
      kernel.node = SubLattice(lattice().local_extents(), lattice().template lane_grid<T>());
      kernel.parity = static_cast<int>(parity());
      kernel.face_sites = sites.data();
      kernel.links = S::Links::of(hopping_.link_fields());
      kernel.out = access<typename S::Vector>(out_, parity());
      if constexpr (!Term::on_x) kernel.term = term_.template on_sites<V>(parity());
      kernel.scale = static_cast<Scalar<V>>(hopping_.stencil().factor(form_.dagger) * form_.scale);
      kernel.unpack = make_unpack<V, H>(1.0);
      for_each_site("kaon::exterior", lattice().execution(), static_cast<int>(sites.extent(0)), out_.right_hand_sides(),
                    kernel);
    });
  });
}

}  // namespace kaon::detail
