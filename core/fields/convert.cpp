// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

namespace kaon::detail {
namespace {

/// Where a site's parity lies in storage of `subset`, in units of a parity: -1 if it is not held.
KOKKOS_INLINE_FUNCTION int parity_slot(Subset subset, int parity) {
  if (subset == Subset::full) return parity;
  return static_cast<int>(subset) == parity ? 0 : -1;
}

/// Storage of one shape.
template <class T>
struct ShapedSites {
  SiteMap map;
  SiteShape shape;
  int lanes;  // virtual nodes
  ElementOrder<std::remove_const_t<T>> order;
  std::size_t parity;  // numbers
  T* data;

  ShapedSites(const Lattice& lattice, T* numbers, const SiteShape& site_shape)
      : map(SiteMap::of<std::remove_const_t<T>>(lattice)),
        shape(site_shape),
        lanes(lattice.lane_count<std::remove_const_t<T>>()),
        order(ElementOrder<std::remove_const_t<T>>::of(lattice, site_shape.components)),
        parity(parity_size<std::remove_const_t<T>>(lattice, site_shape)),
        data(numbers) {}

  KOKKOS_INLINE_FUNCTION T* stream(int slot, int object) const {
    const auto objects = static_cast<std::size_t>(shape.objects);
    return data + static_cast<std::size_t>(slot * shape.objects + object) * (parity / objects);
  }
};

/// The numbers of a site from `first` on, as far as their object goes.
template <class T>
struct ObjectNumbers {
  T* stream;
  Place place;
  ElementOrder<std::remove_const_t<T>> order;
  int components;
  int first;  // of the object
  bool scaled;
  double scale;  // of 16-bit numbers

  KOKKOS_INLINE_FUNCTION ObjectNumbers(const ShapedSites<T>& sites, const Place& at, int slot, int first_of_site)
      : stream(sites.stream(slot, first_of_site / sites.shape.components)),
        place(at),
        order(sites.order),
        components(sites.shape.components),
        first(first_of_site % sites.shape.components),
        scaled(false),
        scale(1.0) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, half>) {
      scaled = sites.shape.scaled;
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
    return order.offset(place, components, first + component, part, scaled);
  }
  KOKKOS_INLINE_FUNCTION auto scale_address() const {
    using Float = std::conditional_t<std::is_const_v<T>, const float, float>;
    return reinterpret_cast<Float*>(stream + scale_offset(place.index, place.lane, order.lanes, components));
  }
};

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
      if (target.scaled) {
        double largest = 0.0;
        for (int k = 0; k < 2 * count; ++k) {
          const double size = Kokkos::abs(value(k));
          if (!(size <= largest)) largest = size;  // a NaN stays
          if (size != size) break;
        }
        target.set_largest(largest);
      }
      for (int k = 0; k < 2 * count; ++k) target.store(value(k), k / 2, k % 2);
    }
  }
};

/// Calls visit(number, storage position of the site's first element's coordinates) for all sites held, in parallel on
/// the host.
template <class T, class Visit>
void for_each_host_site(const Lattice& lattice, const SiteShape& shape, const Visit& visit) {
  const SiteMap map = SiteMap::of<T>(lattice);
  const auto order = ElementOrder<T>::of(lattice, shape.components);
  const std::size_t parity_reals = parity_size<T>(lattice, shape);
  Kokkos::parallel_for(
      "kaon::for_each_host_site",
      Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, static_cast<int>(lattice.local_volume())),
      [=](const int number) {
        const Coordinates site = lexicographic_site(number, lattice.local_extents());
        const int x[4] = {site[0], site[1], site[2], site[3]};
        const Place place = map.place(x);
        const int slot = parity_slot(shape.subset, place.parity);
        if (slot < 0) return;
        for (int object = 0; object < shape.objects; ++object) {
          const std::size_t stream =
              static_cast<std::size_t>(slot) * parity_reals +
              static_cast<std::size_t>(object) * (parity_reals / static_cast<std::size_t>(shape.objects));
          for (int c = 0; c < shape.components; ++c) {
            const std::size_t re = stream + order.offset(place, shape.components, c, 0);
            const std::size_t im = stream + order.offset(place, shape.components, c, 1);
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
void convert_sites(const Lattice& lattice, To* out, const SiteShape& out_shape, const From* in,
                   const SiteShape& in_shape, Conversion conversion) {
  const ConvertKernel<To, From> kernel{ShapedSites<To>(lattice, out, out_shape),
                                       ShapedSites<const From>(lattice, in, in_shape), conversion};
  const int sites = static_cast<int>(lattice.local_volume()) / lattice.parities() * lattice.parities(out_shape.subset);
  Kokkos::parallel_for("kaon::convert_sites", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, sites), kernel);
}

template <class T>
std::vector<std::complex<double>> sites_to_host(const Lattice& lattice, const SiteShape& shape, const T* data) {
  const std::size_t reals = parity_size<T>(lattice, shape) * static_cast<std::size_t>(lattice.parities(shape.subset));
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
  const std::size_t reals = parity_size<T>(lattice, shape) * static_cast<std::size_t>(lattice.parities(shape.subset));
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
#define KAON_INSTANTIATE(T)                                                                                       \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const double*, const SiteShape&, Conversion); \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const float*, const SiteShape&, Conversion);  \
  template void convert_sites(const Lattice&, T*, const SiteShape&, const half*, const SiteShape&, Conversion);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
