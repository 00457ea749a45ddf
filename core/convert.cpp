// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/convert.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {
namespace {

/// Where a site's parity lies in storage of `subset`, in units of a parity: -1 if it is not held.
KOKKOS_INLINE_FUNCTION int parity_slot(Subset subset, int parity) {
  if (subset == Subset::full) return parity;
  return static_cast<int>(subset) == parity ? 0 : -1;
}

/// out(x) = in(x), one site to a work item: in and out may have different lanes.
template <class To, class From>
struct ConvertKernel {
  SiteMap to_map, from_map;
  SiteShape shape;
  int to_lanes, from_lanes;
  std::size_t to_parity, from_parity;
  To* out;
  const From* in;

  KOKKOS_FUNCTION void operator()(const int number) const {
    int x[4];
    int rest = number;
    for (int mu = 0; mu < 4; ++mu) {
      x[mu] = rest % to_map.extent[mu];
      rest /= to_map.extent[mu];
    }
    const Place to = to_map.place(x);
    const Place from = from_map.place(x);
    const int slot = parity_slot(shape.subset, (x[0] + x[1] + x[2] + x[3]) & 1);
    if (slot < 0) return;
    for (int object = 0; object < shape.objects; ++object) {
      for (int c = 0; c < shape.components; ++c) {
        for (int part = 0; part < 2; ++part) {
          out[static_cast<std::size_t>(slot) * to_parity +
              static_cast<std::size_t>(object) * (to_parity / static_cast<std::size_t>(shape.objects)) +
              element_offset<To>(to.index, to.lane, to_lanes, shape.components, c, part)] =
              static_cast<To>(
                  in[static_cast<std::size_t>(slot) * from_parity +
                     static_cast<std::size_t>(object) * (from_parity / static_cast<std::size_t>(shape.objects)) +
                     element_offset<From>(from.index, from.lane, from_lanes, shape.components, c, part)]);
        }
      }
    }
  }
};

/// Calls visit(number, storage position of the site's first element's coordinates) for all sites held, in parallel on
/// the host.
template <class T, class Visit>
void for_each_host_site(const Lattice& lattice, const SiteShape& shape, const Visit& visit) {
  const SiteMap map = SiteMap::of<T>(lattice);
  const int lanes = lattice.lane_count<T>();
  const std::size_t parity_reals = parity_size<T>(lattice, shape);
  Kokkos::parallel_for(
      "kaon::for_each_host_site",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, static_cast<int>(lattice.local_volume())),
      [=](const int number) {
        const Coordinates site = lexicographic_site(number, lattice.local_extents());
        const int x[4] = {site[0], site[1], site[2], site[3]};
        const int slot = parity_slot(shape.subset, (x[0] + x[1] + x[2] + x[3]) & 1);
        if (slot < 0) return;
        const Place place = map.place(x);
        for (int object = 0; object < shape.objects; ++object) {
          const std::size_t stream =
              static_cast<std::size_t>(slot) * parity_reals +
              static_cast<std::size_t>(object) * (parity_reals / static_cast<std::size_t>(shape.objects));
          for (int c = 0; c < shape.components; ++c) {
            const std::size_t re = stream + element_offset<T>(place.index, place.lane, lanes, shape.components, c, 0);
            const std::size_t im = stream + element_offset<T>(place.index, place.lane, lanes, shape.components, c, 1);
            const std::size_t value =
                static_cast<std::size_t>(number) * static_cast<std::size_t>(shape.complex_per_site()) +
                static_cast<std::size_t>(object * shape.components + c);
            visit(value, re, im);
          }
        }
      });
  Kokkos::DefaultHostExecutionSpace().fence("kaon::for_each_host_site");
}

template <class T>
using Unmanaged = Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

template <class To, class From>
void convert_sites(const Lattice& lattice, const SiteShape& shape, To* out, const From* in) {
  ConvertKernel<To, From> kernel{SiteMap::of<To>(lattice),
                                 SiteMap::of<From>(lattice),
                                 shape,
                                 lattice.lane_count<To>(),
                                 lattice.lane_count<From>(),
                                 parity_size<To>(lattice, shape),
                                 parity_size<From>(lattice, shape),
                                 out,
                                 in};
  Kokkos::parallel_for("kaon::convert_sites",
                       Kokkos::RangePolicy<Execution>(lattice.execution(), 0, static_cast<int>(lattice.local_volume())),
                       kernel);
}

template <class T>
std::vector<std::complex<double>> sites_to_host(const Lattice& lattice, const SiteShape& shape, const T* data) {
  const std::size_t reals = parity_size<T>(lattice, shape) * static_cast<std::size_t>(shape.parities());
  const Unmanaged<T> view(const_cast<T*>(data), reals);  // only read: a mirror of const values cannot be copied into
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), view);
  Kokkos::deep_copy(lattice.execution(), host, view);
  lattice.execution().fence("kaon::sites_to_host");
  std::vector<std::complex<double>> values(static_cast<std::size_t>(lattice.local_volume()) *
                                           static_cast<std::size_t>(shape.complex_per_site()));
  for_each_host_site<T>(lattice, shape, [&](std::size_t value, std::size_t re, std::size_t im) {
    values[value] = {static_cast<double>(host.data()[re]), static_cast<double>(host.data()[im])};
  });
  return values;
}

template <class T>
void sites_from_host(const Lattice& lattice, const SiteShape& shape, T* data,
                     std::span<const std::complex<double>> values) {
  const std::size_t expected =
      static_cast<std::size_t>(lattice.local_volume()) * static_cast<std::size_t>(shape.complex_per_site());
  require(values.size() == expected, [&] {
    return fmt::format("a field on lattice {} takes {} complex values ({} a site), but {} were given",
                       to_string(lattice.extents()), expected, shape.complex_per_site(), values.size());
  });
  const std::size_t reals = parity_size<T>(lattice, shape) * static_cast<std::size_t>(shape.parities());
  const Unmanaged<T> view(data, reals);
  lattice.execution().fence("kaon::sites_from_host");
  const auto host = Kokkos::create_mirror_view(Kokkos::HostSpace(), view);
  for_each_host_site<T>(lattice, shape, [&](std::size_t value, std::size_t re, std::size_t im) {
    host.data()[re] = static_cast<T>(values[value].real());
    host.data()[im] = static_cast<T>(values[value].imag());
  });
  Kokkos::deep_copy(lattice.execution(), view, host);
  lattice.execution().fence("kaon::sites_from_host");
}

#define KAON_INSTANTIATE(T)                                                                                   \
  template std::vector<std::complex<double>> sites_to_host(const Lattice&, const SiteShape&, const T*);       \
  template void sites_from_host(const Lattice&, const SiteShape&, T*, std::span<const std::complex<double>>); \
  template void convert_sites(const Lattice&, const SiteShape&, T*, const double*);                           \
  template void convert_sites(const Lattice&, const SiteShape&, T*, const float*);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
