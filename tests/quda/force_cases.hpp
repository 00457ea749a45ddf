// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/momenta.hpp"
#include "tests/reference/aggregates.hpp"
#include "tests/reference/fermion_action.hpp"

#include <algorithm>
#include <vector>

// Links, solutions and momenta of tests that compare forces with the derivatives of actions.

namespace kaon::test::force {

constexpr std::size_t vectors = 2;

/// Links near 1, on which the clover term is not singular.
inline reference::Links smooth_links() {
  std::mt19937_64 generator(1);
  return reference::random_links_near_one(extents, generator, 0.3);
}

/// A client's fields on one parity, as the reference has them and as the client has them.
struct Solutions {
  explicit Solutions(int parity, unsigned seed = 5) {
    for (std::size_t r = 0; r < vectors; ++r) {
      slow.push_back(reference::restrict_to_parity(random_field(12, seed + static_cast<unsigned>(r)), parity, extents));
      client.push_back(even_odd(slow.back()));
      pointers.push_back(client.back().data() + (parity == 1 ? client.back().size() / 2 : 0));
    }
  }
  std::vector<reference::Spinor> slow;
  std::vector<std::vector<Complex>> client;
  std::vector<void*> pointers;
};

/// Momenta as the reference has fields of links.
inline reference::Links host(const QdpMomenta& momenta) {
  reference::Links result(static_cast<std::size_t>(36 * volume_of(extents)));
  reference::for_each_site(extents, [&](const Coordinates& x) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const reference::ColorMatrix p = momenta.at(x, mu);
      std::copy(p.begin(), p.end(),
                result.begin() + static_cast<std::ptrdiff_t>(reference::link_offset(x, static_cast<int>(mu), extents)));
    }
  });
  return result;
}

/// -Re Tr(P Q), summed over all links: P is anti-Hermitian.
inline double product(const reference::Links& p, const reference::Links& q) { return reference::dot(p, q).real(); }

/// Gaussian momenta, and those of a single link.
inline std::vector<reference::Links> directions_of_test() {
  QdpMomenta all(3);
  for (auto& part : all.parts) {
    for (std::size_t k = 0; k < part.size(); k += 10) {  // traceless
      const double third = (part[k + 6] + part[k + 7] + part[k + 8]) / 3.0;
      for (std::size_t c = 6; c < 9; ++c) part[k + c] -= third;
    }
  }
  const reference::Links gaussian = host(all);
  reference::Links one(gaussian.size());
  const auto offset = static_cast<std::ptrdiff_t>(reference::link_offset({1, 3, 0, 7}, 3, extents));
  std::copy_n(gaussian.begin() + offset, 9, one.begin() + offset);
  return {gaussian, one};
}

/// An action's derivatives along these directions. Forces change momenta by the opposite.
class Derivatives {
 public:
  template <class Action>
  Derivatives(const Action& action, const reference::Links& links, double step = 2e-3) {
    for (const reference::Links& direction : directions_) {
      derivatives_.push_back(reference::derivative_along(action, links, direction, step, extents));
    }
  }

  /// Compares them with a change of momenta in a step dt.
  void expect_in(const reference::Links& change, double dt = 1.0, double tolerance = 1e-8) const {
    for (std::size_t k = 0; k < directions_.size(); ++k) {
      const double scale = std::sqrt(reference::norm2(directions_[k]) * reference::norm2(change)) / std::abs(dt);
      EXPECT_GT(std::abs(derivatives_[k]), 1e-5 * scale);
      EXPECT_NEAR(product(directions_[k], change) / dt, derivatives_[k], tolerance * scale);
    }
  }

 private:
  std::vector<reference::Links> directions_ = directions_of_test();
  std::vector<double> derivatives_;
};

}  // namespace kaon::test::force
