// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "color_field.hpp"
#include "gauge.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace kaon::reference {

/// The random numbers that MILC assigns to each site of a lattice: a shift register of words of 24 bits, exclusive or
/// the upper bits of a congruential generator of 64 bits whose multiplier depends on the site, so that each site has a
/// sequence of its own.
class SiteRandom {
 public:
  /// `site` is the lexicographic index, x fastest.
  SiteRandom(std::uint32_t seed, std::uint32_t site);

  /// From 0 to 1, 24 bits.
  double uniform();
  /// Two normal numbers of variance 1/2, by the polar method of Box, Muller and Marsaglia.
  std::array<double, 2> normal_pair();

 private:
  std::array<std::uint32_t, 7> words_;  // from the youngest to the oldest
  std::uint64_t state_;
  std::uint64_t multiplier_;
};

/// One generator for each site.
std::vector<SiteRandom> site_generators(std::uint32_t seed, const Coordinates& extents);

/// Momenta as MILC draws them: eight normal numbers a link, the coefficients of the two diagonal generators and then
/// the elements 01, 02, 12. The distribution is exp(-|P|^2/2).
Links momenta(std::vector<SiteRandom>& generators, const Coordinates& extents);

/// Normal complex numbers, <|eta|^2> = 1 a component, on even sites; zero on odd ones.
ColorField even_noise(std::vector<SiteRandom>& generators, const Coordinates& extents);

}  // namespace kaon::reference
