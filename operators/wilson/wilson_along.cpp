// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/wilson/wilson_along.hpp"

#include "comm/halo_exchange.hpp"
#include "operators/stencil/exterior.hpp"
#include "operators/stencil/site_term.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {

/// The leg of Wilson's stencil that looks ahead in one direction, which is known at run time only.
template <class T, class V, class Codes>
struct AlongKernel {
  using S = StencilTypes<T, V, WilsonStencil, Codes>;

  SubLattice node;
  int parity;  // of out
  int mu;
  typename S::Arithmetic arithmetic;
  typename S::Links links;
  typename S::In in;
  typename S::Out out;
  LaneCrossing<V> leave;
  Scalar<V> scale;
  bool partitioned;
  FaceSites face;
  HaloAccess<T, HalfSpinor<V>> halo;  // from the process ahead

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = node.site(index, parity);
    const Neighbor ahead = node.forward(site, mu);
    const ColorMatrix<V> u = links.template get<0>().load(index, parity, mu);
    with_direction(mu, [&]<int direction>() {
      constexpr int leg = static_cast<int>(first_leg(WilsonStencil::legs, direction, true));
      for (int rhs = first; rhs < last; ++rhs) {
        V unit(1);
        HalfSpinor<V> message = arithmetic.template take<leg>(in.load(ahead.index, rhs), 0.0F);
        if (ahead.crossed) leave.template apply<false>(message, unit);
        if (partitioned && ahead.crossed) {
          const HalfSpinor<V> arrived = halo.load(face.number(site), rhs);
          for (int n = 0; n < components<HalfSpinor<V>>; ++n) elements(message)[n] += elements(arrived)[n];
        }
        for (int spin = 0; spin < 2; ++spin) message.s[spin] = u * message.s[spin];
        Spinor<V> sum = zero_vector<Spinor<V>>();
        give_message<leg, true>(arithmetic, sum, message, V(scale), WilsonStencil::Nothing{});
        out.template store<Reuse::soon>(sum, index, rhs);
      }
    });
  }
};

template <class Codes, class T>
void apply_along_with(const WilsonHop<T>& given, SpinorField<T>& out, const SpinorField<T>& in, int mu) {
  const WilsonHop<T> hopping(given.links(), given.stencil(), given.boundary(), HaloPrecision::field);
  const Lattice& lattice = hopping.lattice();
  const auto direction = static_cast<std::size_t>(mu);
  const Parity parity = parity_of(out.subset());
  const HopForm<T> form;
  const NoSiteTerm no_term;
  using TheExterior = Exterior<T, WilsonStencil, Codes, NoSiteTerm>;
  std::optional<TheExterior> exterior;
  if (lattice.is_partitioned(direction)) {
    exterior.emplace(hopping, out, in, form, no_term);
    exterior->exchange();
    wait_for_halos(exterior->halo().exchange(), lattice.execution());
  }
  with_stencil_lanes<T, Codes>(lattice.template lane_count<T>(), [&]<class V>() {
    const Coordinates& lane_grid = lattice.template lane_grid<T>();
    AlongKernel<T, V, Codes> kernel;
    kernel.node = SubLattice(lattice.local_extents(), lane_grid);
    kernel.parity = static_cast<int>(parity);
    kernel.mu = mu;
    kernel.arithmetic = hopping.stencil().template arithmetic<V>(false);
    kernel.links = LinkSets<T, V, Codes>::of(hopping.link_fields());
    kernel.in = access<Spinor<V>>(in, opposite(parity));
    kernel.out = access<Spinor<V>>(out, parity);
    kernel.partitioned = exterior.has_value();
    kernel.leave = make_crossing<V>(lane_grid, direction, true, hopping.boundary()[direction], kernel.partitioned);
    kernel.scale = static_cast<Scalar<V>>(hopping.stencil().factor(false) * hopping.stencil().weight(mu));
    if (exterior) {
      const auto unpack = exterior->template make_unpack<V, T>(1.0);
      kernel.face = unpack.sites[mu];
      kernel.halo = unpack.receive_buffer[2 * mu];
    }
    for_each_site("kaon::wilson_hop_along", lattice.execution(), kernel.node.half_volume, in.right_hand_sides(),
                  kernel);
  });
}

template <class T>
void apply_along(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in, int mu) {
  require_hop_fields(hopping.lattice(), out, in, HopForm<T>{}, WilsonStencil::spins);
  require(mu >= 0 && mu < 4, [&] { return fmt::format("a hop along direction {}: directions are 0 to 3", mu); });
  with_link_codes(WilsonStencil::Codes{}, hopping.storages(),
                  [&]<class Codes>() { apply_along_with<Codes>(hopping, out, in, mu); });
}

template void apply_along(const WilsonHop<double>&, SpinorField<double>&, const SpinorField<double>&, int);

template void apply_along(const WilsonHop<float>&, SpinorField<float>&, const SpinorField<float>&, int);

}  // namespace kaon::detail
