// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/hop.hpp"

#include "core/at_once.hpp"
#include "core/launch.hpp"
#include "core/link_codes.hpp"
#include "core/products.hpp"
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
ProductRange product_range(double numbers, bool with_x) {
  if (std::is_same_v<T, double>) return {.with_x = with_x};
  return {.least = 1e-32 * numbers, .most = 1e30 * numbers, .with_x = with_x};
}

/// The products of right-hand side k alone, from memory.
template <class T>
blas::Products products_from_memory(const HopForm<T>& form, const SpinorField<T>& out, int k) {
  const auto one = [&](const SpinorField<T>* field) { return (field != nullptr ? *field : out).range(k, 1); };
  const SpinorField<T> y = one(&out), x = one(form.x), w = one(form.wanted.w);
  return blas::products(y, form.x != nullptr ? &x : nullptr,
                        {.with_x = form.wanted.with_x, .w = form.wanted.w != nullptr ? &w : nullptr});
}

}  // namespace

template <class T>
void collect_products(const HopForm<T>& form, const SpinorField<T>& out, const SiteSums& sums) {
  const Lattice& lattice = out.lattice();
  const auto range = product_range<T>(6.0 * static_cast<double>(lattice.volume()), form.wanted.with_x);
  PartsOfSums parts(lattice, sums, out.right_hand_sides(), range);
  if (form.wanted.at_once != nullptr) form.wanted.at_once->enqueue(parts);
  const SumsInFlight& made = parts.wait();
  if (form.wanted.at_once != nullptr) form.wanted.at_once->done = made.done();
  std::vector<double> totals = made.sums();
  lattice.communicator().sum(totals);
  blas::Products& products = *form.products;
  products = products_of(totals, site_sums, form.wanted.with_x, form.wanted.w != nullptr);
  if constexpr (!std::is_same_v<T, double>) {
    for (std::size_t k = 0; k < products.y_norm2.size(); ++k) {
      if (range.holds(totals.data() + k * site_sums)) continue;
      // What was done at once was done with those in range only.
      const blas::Products taken = products_from_memory(form, out, static_cast<int>(k));
      const auto replace = [k](auto& of_all, const auto& of_k) {
        if (!of_k.empty()) of_all[k] = of_k[0];
      };
      replace(products.y_norm2, taken.y_norm2);
      replace(products.y_x, taken.y_x);
      replace(products.x_norm2, taken.x_norm2);
      replace(products.w_y, taken.w_y);
      replace(products.w_x, taken.w_x);
    }
  }
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

template void collect_products(const HopForm<double>&, const SpinorField<double>&, const SiteSums&);
template void collect_products(const HopForm<float>&, const SpinorField<float>&, const SiteSums&);
template void collect_products(const HopForm<half>&, const SpinorField<half>&, const SiteSums&);
template class HopTerm<double>;
template class HopTerm<float>;
template class HopTerm<half>;
template void apply_clover(SpinorField<double>&, const SpinorField<double>&, const CloverField<double>&);
template void apply_clover(SpinorField<float>&, const SpinorField<float>&, const CloverField<float>&);
template void apply_clover(SpinorField<half>&, const SpinorField<half>&, const CloverField<half>&);

}  // namespace kaon::detail
