// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/initial_links.hpp>

// Links as those functions set them.
namespace kaon::test {

template <class T>
GaugeField<T> unit_links(const Lattice& lattice) {
  GaugeField<T> links(lattice);
  set_unit(links);
  return links;
}

template <class T>
GaugeField<T> hot_links(const Lattice& lattice, std::uint64_t seed) {
  GaugeField<T> links(lattice);
  set_random(links, {.seed = seed});
  return links;
}

template <class T>
GaugeField<T> weak_links(const Lattice& lattice, double width, std::uint64_t seed) {
  GaugeField<T> links(lattice);
  set_weak(links, width, {.seed = seed});
  return links;
}

}  // namespace kaon::test
