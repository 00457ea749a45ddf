// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

namespace kaon {

/// A 16-bit fixed-point number as fields store it: `bits` / 32767 times a scale. Spinor fields have a scale (a
/// `float`) for at most 12 complex numbers, those of a site with 4 spins and 3 colours: the largest |real or imaginary
/// part| of these. Clover fields have one for each 6x6 block; links, whose elements lie between -1 and 1, need none. A
/// rounded number is wrong by at most scale / 65534. Arithmetic is done in single precision. (The storage format of
/// Clark et al., arXiv:0911.3191, section 5.)
struct half {
  std::int16_t bits;
};

template <class T>
concept FloatingPrecision = std::same_as<T, double> || std::same_as<T, float>;

/// Precisions `T` of fields and operators: `double`, `float` or `half`.
template <class T>
concept Precision = FloatingPrecision<T> || std::same_as<T, half>;

/// "double", "single" or "half".
template <Precision T>
constexpr const char* precision_name() {
  if constexpr (std::same_as<T, double>) return "double";
  if constexpr (std::same_as<T, float>) return "single";
  return "half";
}

namespace detail {

/// The largest `bits`, which is for 1.
inline constexpr float half_one = 32767.0F;

/// The spacing of numbers around 1 in T; in `half`, of those of a site whose largest is 1.
template <Precision T>
constexpr double spacing() {
  if constexpr (std::same_as<T, half>) {
    return 1.0 / static_cast<double>(half_one);
  } else {
    return std::numeric_limits<T>::epsilon();
  }
}

template <class T>
struct ArithmeticOf {
  using Type = T;
};
template <>
struct ArithmeticOf<half> {
  using Type = float;
};
/// The type in which numbers stored as T are computed with.
template <class T>
using Arithmetic = typename ArithmeticOf<T>::Type;

}  // namespace detail
}  // namespace kaon
