// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert.hpp"

#include "core/fields/shaped_sites.hpp"

namespace kaon::detail {
namespace {

/// out(x) = in(x) or out(x) + in(x), one site to a work item: in and out may have different lanes and objects.
template <class To, class From>
struct ConvertKernel {
  ShapedSites<To> out;
  ShapedSites<const From> in;
  Conversion conversion;

  KOKKOS_FUNCTION void operator()(const int number) const {
    const int block = number / out.lanes;
    const int slot = block / out.map.sites;
    const Place to{out.shape.subset == Subset::full ? slot : static_cast<int>(out.shape.subset),
                   block - slot * out.map.sites, number % out.lanes};
    int x[4];
    out.map.coordinates(to, x);
    const Place from = in.map.place(x);
    const int count = out.shape.components < in.shape.components ? out.shape.components : in.shape.components;
    for (int first = 0; first < out.shape.complex_per_site(); first += count) {
      const ObjectNumbers<const From> source(in, from, slot, first);
      ObjectNumbers<To> target(out, to, slot, first);
      const ObjectNumbers<To> before = target;
      const auto value = [&](int k) {
        const double number_k = source.load(k / 2, k % 2);
        return conversion == Conversion::add ? before.load(k / 2, k % 2) + number_k : number_k;
      };
      target.store_all(2 * count, value);
    }
  }
};

}  // namespace

template <class To, class From>
void convert_sites(const Lattice& lattice, To* out, const SiteShape& out_shape, const From* in,
                   const SiteShape& in_shape, Conversion conversion) {
  const ConvertKernel<To, From> kernel{ShapedSites<To>(lattice, out, out_shape),
                                       ShapedSites<const From>(lattice, in, in_shape), conversion};
  const int sites = static_cast<int>(lattice.local_volume()) / lattice.parities() * lattice.parities(out_shape.subset);
  Kokkos::parallel_for("kaon::convert_sites", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, sites), kernel);
}

#define KAON_INSTANTIATE(T)                                                                                       \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const double*, const SiteShape&, Conversion); \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const float*, const SiteShape&, Conversion);  \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const half*, const SiteShape&, Conversion);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
