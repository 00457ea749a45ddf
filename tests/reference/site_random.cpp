// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "site_random.hpp"

#include <cmath>

namespace kaon::reference {
namespace {

constexpr std::uint32_t low_24_bits = 0xffffffu;

}  // namespace

SiteRandom::SiteRandom(std::uint32_t seed, std::uint32_t site) : multiplier_(100000005u + 8u * site) {
  const auto next = [&] { return seed = (69607u + 8u * site) * seed + 12345u; };
  for (std::uint32_t& word : words_) word = next() >> 8 & low_24_bits;
  state_ = static_cast<std::uint64_t>(static_cast<std::int32_t>(next()));  // with its sign
}

double SiteRandom::uniform() {
  // The sum modulo 2 of two stretches of 24 bits, which start 7 bits into the 6th word and 1 bit into the 5th.
  const std::uint32_t first = words_[5] >> 7 | words_[6] << 17, second = words_[4] >> 1 | words_[5] << 23;
  const std::uint32_t shifted_in = (first ^ second) & low_24_bits;
  for (std::size_t i = words_.size() - 1; i > 0; --i) words_[i] = words_[i - 1];
  words_[0] = shifted_in;
  state_ = state_ * multiplier_ + 12345u;
  return std::ldexp(static_cast<double>(shifted_in ^ static_cast<std::uint32_t>(state_ >> 40)), -24);
}

std::array<double, 2> SiteRandom::normal_pair() {
  for (;;) {
    const double u = 2.0 * uniform() - 1.0, v = 2.0 * uniform() - 1.0;
    const double radius2 = u * u + v * v;
    if (radius2 >= 1.0) continue;
    const double factor = std::sqrt(-std::log(radius2) / radius2);
    return {v * factor, u * factor};
  }
}

std::vector<SiteRandom> site_generators(std::uint32_t seed, const Coordinates& extents) {
  std::vector<SiteRandom> generators;
  const auto volume = static_cast<std::uint32_t>(volume_of(extents));
  for (std::uint32_t site = 0; site < volume; ++site) generators.emplace_back(seed, site);
  return generators;
}

Links momenta(std::vector<SiteRandom>& generators, const Coordinates& extents) {
  Links links(static_cast<std::size_t>(36 * volume_of(extents)));
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const std::size_t first = link_offset(x, mu, extents);
      SiteRandom& random = generators[first / 36];
      std::array<double, 8> normal;
      for (std::size_t k = 0; k < normal.size(); k += 2) {
        const auto [a, b] = random.normal_pair();
        normal[k] = a;
        normal[k + 1] = b;
      }
      const double third = normal[0], eighth = normal[1] / std::sqrt(3.0);
      Complex* p = &links[first];
      p[0] = {0.0, third + eighth};
      p[4] = {0.0, eighth - third};
      p[8] = {0.0, -2.0 * eighth};
      constexpr int rows[] = {0, 0, 1}, columns[] = {1, 2, 2};
      for (int k = 0; k < 3; ++k) {
        const Complex element(normal[static_cast<std::size_t>(2 + 2 * k)], normal[static_cast<std::size_t>(3 + 2 * k)]);
        p[3 * rows[k] + columns[k]] = element;
        p[3 * columns[k] + rows[k]] = -std::conj(element);
      }
    }
  });
  return links;
}

ColorField even_noise(std::vector<SiteRandom>& generators, const Coordinates& extents) {
  ColorField eta = zero_color_field(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    if (parity_of(x) != 0) return;
    const std::size_t first = color_offset(x, extents);
    for (std::size_t color = 0; color < 3; ++color) {
      const auto [re, im] = generators[first / 3].normal_pair();
      eta[first + color] = {re, im};
    }
  });
  return eta;
}

}  // namespace kaon::reference
