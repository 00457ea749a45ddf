// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/milc/milc_loops.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace kaon::quda {
namespace {

using Steps = std::vector<int>;  // +1 to +4 forward in x to t, -1 to -4 backward

/// Rotates the loops of `make(a, b, c)`, for all signed a, b, c in different directions, to each of their links forward
/// in direction mu, and leaves out this first step.
template <class Make>
Loops loops_at(int mu, const Make& make) {
  std::set<Steps> found;
  for (int a = -4; a <= 4; ++a) {
    for (int b = -4; b <= 4; ++b) {
      for (int c = -4; c <= 4; ++c) {
        const std::array<int, 3> sizes{std::abs(a), std::abs(b), std::abs(c)};
        if (a * b * c == 0 || sizes[0] == sizes[1] || sizes[0] == sizes[2] || sizes[1] == sizes[2]) continue;
        Steps loop = make(a, b, c);
        for (std::size_t k = 0; k < loop.size(); ++k) {
          if (loop.front() == mu + 1) found.emplace(loop.begin() + 1, loop.end());
          std::rotate(loop.begin(), loop.begin() + 1, loop.end());
        }
      }
    }
  }
  Loops codes(found.begin(), found.end());
  for (Steps& loop : codes) {
    for (int& step : loop) step = step > 0 ? step - 1 : step + 8;
  }
  return codes;
}

}  // namespace

Loops plaquettes_at(int mu) {
  return loops_at(mu, [](int a, int b, int) { return Steps{a, b, -a, -b}; });
}

Loops rectangles_at(int mu) {
  return loops_at(mu, [](int a, int b, int) { return Steps{a, a, b, -a, -a, -b}; });
}

Loops parallelograms_at(int mu) {
  return loops_at(mu, [](int a, int b, int c) { return Steps{a, b, c, -a, -b, -c}; });
}

}  // namespace kaon::quda
