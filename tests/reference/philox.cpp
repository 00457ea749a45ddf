// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "philox.hpp"

namespace kaon::reference {

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  const auto high = [](std::uint64_t product) { return static_cast<std::uint32_t>(product >> 32); };
  const auto low = [](std::uint64_t product) { return static_cast<std::uint32_t>(product); };
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53u} * c[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57u} * c[2];
    c = {high(product1) ^ c[1] ^ key[0], low(product1), high(product0) ^ c[3] ^ key[1], low(product0)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return c;
}

}  // namespace kaon::reference
