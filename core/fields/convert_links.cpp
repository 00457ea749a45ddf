// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert_links.hpp"

#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <array>

namespace kaon::detail {
namespace {

constexpr double su3_tolerance = 1e-5;

/// What storing a number as T and reading it again makes of it.
template <class T>
struct Rounding {
  KOKKOS_FUNCTION double operator()(double value) const {
    if constexpr (std::is_same_v<T, half>) {
      return Kokkos::round(value * static_cast<double>(half_one)) / static_cast<double>(half_one);
    } else {
      return static_cast<double>(static_cast<T>(value));
    }
  }
};

/// Single links in any storage, as double.
template <class T>
struct StoredLinks {
  SiteMap map;
  int lanes;
  T* data[2];
  std::size_t direction;

  template <class Code>
  KOKKOS_FUNCTION ColorMatrix<double> load(const Place& place, int mu) const {
    const T* from = data[place.parity] + static_cast<std::size_t>(mu) * direction;
    double parts[2 * Code::components];
    for (int k = 0; k < 2 * Code::components; ++k) {
      const T& number = from[element_offset<T>(place.index, place.lane, lanes, Code::components, k / 2, k % 2)];
      if constexpr (std::is_same_v<T, half>) {
        parts[k] = static_cast<double>(number.bits) / static_cast<double>(half_one);
      } else {
        parts[k] = static_cast<double>(number);
      }
    }
    Complex<double> stored[Code::components];
    for (int c = 0; c < Code::components; ++c) stored[c] = {parts[2 * c], parts[2 * c + 1]};
    return Code::template decode<double>(stored, 1.0);
  }
  template <class Code>
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& u, const Place& place, int mu) const {
    T* to = data[place.parity] + static_cast<std::size_t>(mu) * direction;
    Complex<double> stored[Code::components];
    Code::encode(stored, u, Rounding<T>{});
    for (int k = 0; k < 2 * Code::components; ++k) {
      const double value = k % 2 == 0 ? stored[k / 2].re : stored[k / 2].im;
      T& number = to[element_offset<T>(place.index, place.lane, lanes, Code::components, k / 2, k % 2)];
      if constexpr (std::is_same_v<T, half>) {
        const double one = static_cast<double>(half_one);
        number.bits = static_cast<std::int16_t>(Kokkos::round(Kokkos::fmax(-one, Kokkos::fmin(one, value * one))));
      } else {
        number = static_cast<T>(value);
      }
    }
  }
};

template <class T>
StoredLinks<T> stored_links(GaugeField<T>& links) {
  return {SiteMap::of<T>(links.lattice()),
          links.lattice().template lane_count<T>(),
          {links.data(Parity::even), links.data(Parity::odd)},
          links.parity_size() / 4};
}

/// How far a matrix is from SU(3): the largest error of the third row and of the products of the other two; infinity
/// for NaN.
KOKKOS_FUNCTION double su3_deviation(const ColorMatrix<double>& u) {
  ColorMatrix<double> completed = u;
  complete_third_row(completed, 1.0);
  double largest = 0.0;
  const auto note = [&](double deviation) {
    if (!(deviation <= largest)) largest = deviation >= 0.0 ? deviation : Kokkos::Experimental::infinity_v<double>;
  };
  for (int c = 0; c < 3; ++c) note(Kokkos::sqrt(norm2(u.e[2][c] - completed.e[2][c])));
  for (int row = 0; row < 2; ++row) {
    for (int other = 0; other <= row; ++other) {
      Complex<double> product{row == other ? -1.0 : 0.0, 0.0};
      for (int c = 0; c < 3; ++c) product += u.e[row][c] * conj(u.e[other][c]);
      note(Kokkos::sqrt(norm2(product)));
    }
  }
  return largest;
}

/// out = in on one site; reduces to the largest distance from SU(3). The storage is asked for on each site: a kernel
/// for each pair would be 81 kernels.
template <class To, class From>
struct ConvertLinks {
  StoredLinks<To> out;
  StoredLinks<From> in;
  LinkStorage out_storage, in_storage;

  KOKKOS_FUNCTION void operator()(const int (&x)[4], double& deviation) const {
    const Place to = out.map.place(x), from = in.map.place(x);
    for (int mu = 0; mu < 4; ++mu) {
      const ColorMatrix<double> u = load(from, mu);
      deviation = Kokkos::fmax(deviation, su3_deviation(u));
      store(u, to, mu);
    }
  }

 private:
  KOKKOS_FUNCTION ColorMatrix<double> load(const Place& place, int mu) const {
    switch (in_storage) {
      case LinkStorage::two_rows:
        return in.template load<TwoRowLinks>(place, mu);
      case LinkStorage::minimal:
        return in.template load<MinimalLinks>(place, mu);
      case LinkStorage::full:
        break;
    }
    return in.template load<FullLinks>(place, mu);
  }
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& u, const Place& place, int mu) const {
    switch (out_storage) {
      case LinkStorage::two_rows:
        return out.template store<TwoRowLinks>(u, place, mu);
      case LinkStorage::minimal:
        return out.template store<MinimalLinks>(u, place, mu);
      case LinkStorage::full:
        return out.template store<FullLinks>(u, place, mu);
    }
  }
};

}  // namespace

template <class To, class From>
void convert_links(GaugeField<To>& out, const GaugeField<From>& in) {
  double deviation = 0.0;
  const ConvertLinks<To, From> kernel{stored_links(out), stored_links(const_cast<GaugeField<From>&>(in)), out.storage(),
                                      in.storage()};
  reduce_single_sites<To>("kaon::convert_links", in.lattice(), kernel, Kokkos::Max<double>(deviation));
  if (out.storage() == LinkStorage::full && !std::is_same_v<To, half>) return;
  std::array<double, 1> largest{deviation};
  in.lattice().communicator().maximum(largest);
  // Links of 16 bits are as far from SU(3) as their rounding takes them.
  const double allowed = su3_tolerance + (std::is_same_v<From, half> ? 8.0 * spacing<half>() : 0.0);
  require(largest[0] <= allowed, [&] {
    return fmt::format(
        "links that are up to {:.2e} from SU(3) cannot be stored in {} {} (allowed is {:.0e}): reunitarise them, or "
        "store all 18 reals in double or single precision",
        largest[0], reals(out.storage()), std::is_same_v<To, half> ? "16-bit numbers" : "reals", allowed);
  });
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
