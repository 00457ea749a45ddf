// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert_links.hpp"

#include "core/fields/stored_links.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>

namespace kaon::detail {
namespace {

/// out = in on one site; reduces to the largest distance from SU(3). The storage is asked for on each site: a kernel
/// for each pair would be 81 kernels.
template <class To, class From>
struct ConvertLinks {
  StoredLinks<To> out;
  StoredLinks<From> in;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], double& deviation) const {
    const Place to = out.map.place(x), from = in.map.place(x);
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<double> u = in.load(from, mu);
      deviation = Kokkos::fmax(deviation, su3_deviation(u));
      out.store(u, to, mu);
    }
  }
};

}  // namespace

void require_su3(double deviation, double allowed, LinkStorage storage, bool sixteen_bits) {
  require(deviation <= allowed, [&] {
    return fmt::format(
        "links that are up to {:.2e} from SU(3) cannot be stored in {} {} (allowed is {:.0e}): reunitarise them, or "
        "store all 18 reals in double or single precision",
        deviation, reals(storage), sixteen_bits ? "16-bit numbers" : "reals", allowed);
  });
}

template <class To, class From>
void convert_links(GaugeField<To>& out, const GaugeField<From>& in) {
  double deviation = 0.0;
  const ConvertLinks<To, From> kernel{stored_links(out), stored_links(in)};
  reduce_single_sites<To>("kaon::convert_links", in.lattice(), kernel, Kokkos::Max<double>(deviation));
  if (out.storage() == LinkStorage::full && !std::is_same_v<To, half>) return;
  std::array<double, 1> largest{deviation};
  in.lattice().communicator().maximum(largest);
  // Links of 16 bits are as far from SU(3) as their rounding takes them.
  const double allowed = su3_tolerance + (std::is_same_v<From, half> ? 8.0 * spacing<half>() : 0.0);
  require_su3(largest[0], allowed, out.storage(), std::is_same_v<To, half>);
}

#define KAON_INSTANTIATE(T)                                               \
  template void convert_links(GaugeField<T>&, const GaugeField<double>&); \
  template void convert_links(GaugeField<T>&, const GaugeField<float>&);  \
  template void convert_links(GaugeField<T>&, const GaugeField<half>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
