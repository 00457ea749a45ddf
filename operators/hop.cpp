// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/hop.hpp"

#include "core/launch.hpp"
#include "core/link_codes.hpp"
#include "core/pending_reductions.hpp"
#include "operators/clover_kernels.hpp"

#include <kaon/comm/transport.hpp>

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace kaon::detail {

namespace {

/// Where norms of `numbers` complex numbers must lie: of the mean, so that what is much smaller does not matter, and
/// has room to be right.
template <class T>
SumRange sum_range(double numbers, bool with_x) {
  if (std::is_same_v<T, double>) return {.with_x = with_x};
  return {.least = 1e-32 * numbers, .most = 1e30 * numbers, .with_x = with_x};
}

}  // namespace

template <class T>
blas::PendingReductions collect_reductions(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out,
                                           const SiteSums& sums) {
  const SumRange range = sum_range<T>(6.0 * static_cast<double>(lattice.volume()), form.reductions.x);
  return pending_reductions(sums, range, out, form.x, form.reductions);
}

const char* halo_label(const Lattice& lattice, Transport transport, SiteTerm term) {
  const auto cut = [](std::size_t mask) {
    std::string names;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if ((mask >> mu & 1) != 0) names += "xyzt"[mu];
    }
    return names;
  };
  static const auto labels = [&] {
    std::map<std::tuple<Transport, SiteTerm, std::size_t>, std::string> all;
    for (const auto& [of_term, name] :
         {std::pair(SiteTerm::none, "kaon::hop_"), std::pair(SiteTerm::diagonal, "kaon::hop_diagonal_"),
          std::pair(SiteTerm::inverse, "kaon::hop_inverse_")}) {
      for (const Transport way :
           {Transport::host, Transport::staged, Transport::device, Transport::peer, Transport::nccl}) {
        for (std::size_t mask = 1; mask < 16; ++mask)
          all[{way, of_term, mask}] = name + to_string(way) + "_" + cut(mask);
      }
    }
    return all;
  }();
  std::size_t mask = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) mask |= static_cast<std::size_t>(lattice.is_partitioned(mu)) << mu;
  return labels.at({transport, term, mask}).c_str();
}

std::optional<bool>& forced_halo_first() {
  static std::optional<bool> forced;
  return forced;
}

template <class T>
HopTerm<T>::HopTerm(const GaugeField<T>& links, const Anisotropy& anisotropy, const BoundaryAngles& boundary,
                    HaloPrecision halo)
    : links_(links.share()), spatial_weight_(anisotropy.spatial_weight()), boundary_(boundary), halo_(halo) {
  require_anisotropy(anisotropy);
}

template <class T>
void HopTerm<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form,
                       const CloverField<T>* site_term) const {
  require_hop_fields(lattice(), out, in, form);
  with_link_code(links_.storage(), [&]<class Code>() { apply_hop<T, Code>(*this, out, in, form, site_term); });
}

template <class T>
void apply_clover(SpinorField<T>& out, const SpinorField<T>& in, const CloverField<T>& clover) {
  const Lattice& lattice = in.lattice();
  const Parity parity = in.subset() == Subset::even ? Parity::even : Parity::odd;
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    const CloverKernel<T, V> kernel{access<V>(out, parity), access<V>(in, parity), access<V>(clover, parity)};
    const int sites = SubLattice(lattice.local_extents(), lattice.lane_grid<T>()).half_volume;
    for_each_site(tuning_key<T>("kaon::clover", lattice, 0, in.right_hand_sides()), lattice, sites, kernel,
                  [&](const auto& time) {
                    SpinorField<T> scratch(lattice, out.parameters());  // `out` may be `in`
                    CloverKernel<T, V> rehearsal = kernel;
                    rehearsal.out = access<V>(scratch, parity);
                    time(rehearsal);
                  });
  });
}

template blas::PendingReductions collect_reductions(const Lattice&, const HopForm<double>&, const SpinorField<double>&,
                                                    const SiteSums&);
template blas::PendingReductions collect_reductions(const Lattice&, const HopForm<float>&, const SpinorField<float>&,
                                                    const SiteSums&);
template blas::PendingReductions collect_reductions(const Lattice&, const HopForm<half>&, const SpinorField<half>&,
                                                    const SiteSums&);
template class HopTerm<double>;
template class HopTerm<float>;
template class HopTerm<half>;
template void apply_clover(SpinorField<double>&, const SpinorField<double>&, const CloverField<double>&);
template void apply_clover(SpinorField<float>&, const SpinorField<float>&, const CloverField<float>&);
template void apply_clover(SpinorField<half>&, const SpinorField<half>&, const CloverField<half>&);

}  // namespace kaon::detail
