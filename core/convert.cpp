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

/// The numbers of one object.
template <class T>
struct ObjectNumbers {
  T* stream;
  Place place;
  int lanes, components;
  bool scaled;
  double scale;  // of 16-bit numbers

  KOKKOS_INLINE_FUNCTION ObjectNumbers(T* object_stream, const Place& at, int lane_count, const SiteShape& shape)
      : stream(object_stream), place(at), lanes(lane_count), components(shape.components), scaled(false), scale(1.0) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      scaled = shape.scaled;
      scale = scaled ? static_cast<double>(*scale_address()) : 1.0 / static_cast<double>(half_one);
    }
  }
  KOKKOS_INLINE_FUNCTION double load(int component, int part) const {
    const T& number = stream[offset(component, part)];
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      return scale * static_cast<double>(number.bits);
    } else {
      return static_cast<double>(number);
    }
  }
  /// Chooses the scale for numbers up to `largest`.
  KOKKOS_INLINE_FUNCTION void set_largest(double largest) {
    scale = largest / static_cast<double>(half_one);
    *scale_address() = static_cast<float>(scale);
    scale = static_cast<double>(*scale_address());
  }
  KOKKOS_INLINE_FUNCTION void store(double value, int component, int part) const {
    T& number = stream[offset(component, part)];
    if constexpr (std::is_same_v<T, half>) {
      const double raw = scale > 0.0 ? value / scale : 0.0;
      const double one = static_cast<double>(half_one);
      number.bits = static_cast<std::int16_t>(Kokkos::round(Kokkos::fmax(-one, Kokkos::fmin(one, raw))));
    } else {
      number = static_cast<T>(value);
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION std::size_t offset(int component, int part) const {
    return element_offset<std::remove_const_t<T>>(place.index, place.lane, lanes, components, component, part, scaled);
  }
  KOKKOS_INLINE_FUNCTION auto scale_address() const {
    using Float = std::conditional_t<std::is_const_v<T>, const float, float>;
    return reinterpret_cast<Float*>(stream + scale_offset(place.index, place.lane, lanes, components));
  }
};

/// out(x) = in(x) or out(x) + in(x), one site to a work item: in and out may have different lanes.
template <class To, class From>
struct ConvertKernel {
  SiteMap to_map, from_map;
  SiteShape shape;
  int to_lanes, from_lanes;
  std::size_t to_parity, from_parity;
  To* out;
  const From* in;
  Conversion conversion;

  KOKKOS_FUNCTION void operator()(const int number) const {
    const int block = number / to_lanes;
    const int slot = block / to_map.node.half_volume;
    const Place to{shape.subset == Subset::full ? slot : static_cast<int>(shape.subset),
                   block - slot * to_map.node.half_volume, number % to_lanes};
    int x[4];
    to_map.coordinates(to, x);
    const Place from = from_map.place(x);
    for (int object = 0; object < shape.objects; ++object) {
      const auto part = static_cast<std::size_t>(slot * shape.objects + object);
      const auto objects = static_cast<std::size_t>(shape.objects);
      const ObjectNumbers<const From> source(in + part * (from_parity / objects), from, from_lanes, shape);
      ObjectNumbers<To> target(out + part * (to_parity / objects), to, to_lanes, shape);
      const ObjectNumbers<To> before = target;
      const auto value = [&](int k) {
        const double number_k = source.load(k / 2, k % 2);
        return conversion == Conversion::add ? before.load(k / 2, k % 2) + number_k : number_k;
      };
      if (target.scaled) {
        double largest = 0.0;
        for (int k = 0; k < 2 * shape.components; ++k) {
          const double size = Kokkos::abs(value(k));
          if (!(size <= largest)) largest = size;  // a NaN stays
          if (size != size) break;
        }
        target.set_largest(largest);
      }
      for (int k = 0; k < 2 * shape.components; ++k) target.store(value(k), k / 2, k % 2);
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
void convert_sites(const Lattice& lattice, const SiteShape& shape, To* out, const From* in, Conversion conversion) {
  ConvertKernel<To, From> kernel{SiteMap::of<To>(lattice),
                                 SiteMap::of<From>(lattice),
                                 shape,
                                 lattice.lane_count<To>(),
                                 lattice.lane_count<From>(),
                                 parity_size<To>(lattice, shape),
                                 parity_size<From>(lattice, shape),
                                 out,
                                 in,
                                 conversion};
  const int sites = static_cast<int>(lattice.local_volume() / 2) * shape.parities();
  Kokkos::parallel_for("kaon::convert_sites", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, sites), kernel);
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

template std::vector<std::complex<double>> sites_to_host(const Lattice&, const SiteShape&, const double*);
template std::vector<std::complex<double>> sites_to_host(const Lattice&, const SiteShape&, const float*);
template void sites_from_host(const Lattice&, const SiteShape&, double*, std::span<const std::complex<double>>);
template void sites_from_host(const Lattice&, const SiteShape&, float*, std::span<const std::complex<double>>);
#define KAON_INSTANTIATE(T)                                                                     \
  template void convert_sites(const Lattice&, const SiteShape&, T*, const double*, Conversion); \
  template void convert_sites(const Lattice&, const SiteShape&, T*, const float*, Conversion);  \
  template void convert_sites(const Lattice&, const SiteShape&, T*, const half*, Conversion);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
