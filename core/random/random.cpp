// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/random/random_sequence.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

namespace kaon {
namespace {

using detail::Complex;
using detail::Purpose;

/// psi_c(x) = the number made from block c of the site's sequence.
template <class T, Purpose purpose>
struct NoiseKernel {
  detail::SiteSpinor<T> psi;
  RandomKey key;
  int first;  // right-hand side in the key's count
  int right_hand_sides;

  KOKKOS_FUNCTION static Complex<double> number(const detail::RandomSequence& sequence, std::uint32_t component) {
    constexpr double sqrt_half = 0.70710678118654752440;
    if constexpr (purpose == Purpose::gaussian) {
      return sqrt_half * sequence.normal_pair(component);
    } else {
      const detail::PhiloxWords bits = sequence.block(component);
      const double first = bits.word[0] >> 31 ? 1.0 : -1.0;
      if constexpr (purpose == Purpose::z2) {
        return {first, 0.0};
      } else {
        return {sqrt_half * first, bits.word[1] >> 31 ? sqrt_half : -sqrt_half};
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!psi.holds(x)) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      const detail::RandomSequence sequence(key, purpose, psi.map.global_index(x), first + rhs);
      for (int component = 0; component < psi.components; ++component) {
        psi.store(number(sequence, static_cast<std::uint32_t>(component)), x, component, rhs);
      }
    }
  }
};

template <Purpose purpose, class T>
void set_noise(const char* label, SpinorField<T>& field, const RandomKey& key, int first = 0) {
  if constexpr (std::same_as<T, half>) {
    SpinorField<double> wide(field.lattice(), field.parameters().with_right_hand_sides(1));
    for (int rhs = 0; rhs < field.right_hand_sides(); ++rhs) {
      set_noise<purpose>(label, wide, key, rhs);
      blas::copy(field.range(rhs, 1), wide);
    }
  } else {
    const NoiseKernel<T, purpose> kernel{detail::site_access(field), key, first, field.right_hand_sides()};
    detail::for_each_single_site<T>(label, field.lattice(), kernel);
  }
}

}  // namespace

template <class T>
void set_gaussian(SpinorField<T>& field, const RandomKey& key) {
  set_noise<Purpose::gaussian>("kaon::set_gaussian", field, key);
}

template <class T>
void set_z2(SpinorField<T>& field, const RandomKey& key) {
  set_noise<Purpose::z2>("kaon::set_z2", field, key);
}

template <class T>
void set_complex_z2(SpinorField<T>& field, const RandomKey& key) {
  set_noise<Purpose::complex_z2>("kaon::set_complex_z2", field, key);
}

#define KAON_INSTANTIATE(T)                                      \
  template void set_gaussian(SpinorField<T>&, const RandomKey&); \
  template void set_z2(SpinorField<T>&, const RandomKey&);       \
  template void set_complex_z2(SpinorField<T>&, const RandomKey&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon
