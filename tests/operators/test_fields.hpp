// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/gauge/test_lattices.hpp"
#include "tests/reference/gauge.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kaon::test {

inline constexpr SpinorParameters propagator_shape{.right_hand_sides = 12};

/// Independent random links.
template <class T>
GaugeField<T> random_links(const Lattice& lattice, unsigned seed) {
  std::mt19937_64 generator(seed);
  GaugeField<T> links(lattice);
  links.from_host(reference::random_links(lattice.extents(), generator));
  return links;
}

/// Normal numbers in every right-hand side.
template <class T>
SpinorField<T> random_spinors(const Lattice& lattice, int right_hand_sides, unsigned seed) {
  std::mt19937_64 generator(seed);
  SpinorField<T> psi(lattice, {.right_hand_sides = right_hand_sides});
  for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
    psi.from_host(reference::random_spinor(lattice.extents(), generator), rhs);
  }
  return psi;
}

/// All right-hand sides on the host.
template <class T>
std::vector<reference::Spinor> to_host(const SpinorField<T>& psi) {
  std::vector<reference::Spinor> host;
  for (int rhs = 0; rhs < psi.right_hand_sides(); ++rhs) host.push_back(psi.to_host(rhs));
  return host;
}

/// Largest |a - b| / |b| of any right-hand side.
inline double relative_difference(const std::vector<reference::Spinor>& a, const std::vector<reference::Spinor>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = larger(largest, reference::relative_difference(a[k], b[k]));
  return largest;
}

}  // namespace kaon::test
