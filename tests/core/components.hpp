// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kaon::test {

using Values = std::vector<std::complex<double>>;

/// Fields of 1 to 48 complex numbers a site, and how many of these share a scale in 16 bits; 0: there are no such
/// fields.
struct Components {
  int spins, colors, scaled;
  int count() const { return spins * colors; }
};
inline constexpr Components component_cases[] = {{1, 1, 0},  {1, 3, 3},  {2, 3, 3}, {1, 5, 0},   {1, 8, 0},
                                                 {4, 3, 12}, {2, 6, 12}, {2, 8, 0}, {2, 12, 12}, {2, 24, 12}};

/// A lattice in native lanes, others in one, and a coarse one.
inline std::vector<Lattice> component_lattices() {
  std::vector<Lattice> all;
  all.emplace_back(LatticeParameters{.extents = {8, 4, 4, 4}});
  all.emplace_back(LatticeParameters{.extents = {8, 4, 4, 4}, .lanes = Lanes::single});
  all.emplace_back(LatticeParameters{.extents = {4, 6, 2, 2}});
  all.push_back(Lattice({.extents = {8, 4, 4, 8}}).coarsened({2, 2, 2, 2}));
  return all;
}

/// Whether there are such fields of T: coarse ones have 2 spins and are not in half, and not all numbers are in half.
template <class T>
bool has_fields(const Lattice& lattice, const Components& components) {
  if (std::same_as<T, half> && components.scaled == 0) return false;
  return !lattice.is_coarse() || (components.spins == 2 && !std::same_as<T, half>);
}

/// Calls body(lattice, components) for all of both of which there are fields of T.
template <class T, class Body>
void for_each_components(const Body& body) {
  for (const Lattice& lattice : component_lattices()) {
    for (const Components& components : component_cases) {
      if (has_fields<T>(lattice, components)) body(lattice, components);
    }
  }
}

/// Normal numbers; those that share a scale are up to ten orders of magnitude smaller or larger than others.
inline Values uneven_values(const Lattice& lattice, const Components& components, std::uint32_t stream) {
  SpinorField<double> field(lattice, {.spins = components.spins, .colors = components.colors});
  set_gaussian(field, {.seed = 9, .stream = stream});
  Values values = field.to_host();
  const auto scaled = static_cast<std::size_t>(std::max(components.scaled, 1));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= std::pow(10.0, static_cast<int>(k / scaled % 11) - 5);
  return values;
}

inline double largest_part(const std::complex<double>& z) { return std::max(std::abs(z.real()), std::abs(z.imag())); }

/// How far a real number stored as T may be from one whose object's largest is `largest`: half a spacing, and a few
/// roundings of the arithmetic relative to `size`, which is that of the largest term of a sum.
template <class T>
double storage_error(double largest, double size) {
  if constexpr (std::same_as<T, half>) {
    // Rounding the scale and the products to single precision adds 32767 * 2^-22 spacings.
    return (0.5 + 0.008) * largest / 32767.0 + 4.0 * std::numeric_limits<float>::epsilon() * size;
  } else {
    return 4.0 * std::numeric_limits<T>::epsilon() * std::max(largest, size);
  }
}

/// Whether `found` is `expected` as T stores it. `sizes`: of the terms that `expected` is the sum of.
template <class T>
void expect_stored(const Values& found, const Values& expected, const Components& components,
                   const std::vector<double>& sizes = {}) {
  ASSERT_EQ(found.size(), expected.size());
  const auto scaled = static_cast<std::size_t>(components.scaled);
  for (std::size_t k = 0; k < found.size(); ++k) {
    double largest = largest_part(expected[k]);
    if constexpr (std::same_as<T, half>) {
      for (std::size_t j = k / scaled * scaled; j < (k / scaled + 1) * scaled; ++j) {
        largest = std::max(largest, largest_part(expected[j]));
      }
    }
    ASSERT_LE(largest_part(found[k] - expected[k]), storage_error<T>(largest, sizes.empty() ? 0.0 : sizes[k]))
        << "number " << k << " of fields with " << components.count() << " a site";
  }
}

}  // namespace kaon::test
