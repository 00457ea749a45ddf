// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "staggered.hpp"

#include <numbers>

namespace kaon::reference {

int staggered_phase(const Coordinates& site, int mu) {
  const auto [x, y, z, t] = site;
  const std::array<int, directions> exponents{t, t + x, t + x + y, 0};
  return exponents[static_cast<std::size_t>(mu)] % 2 == 0 ? 1 : -1;
}

namespace {

/// Links from x to x + step mu times `weight` and, where they lead over the edge, times the boundary phase.
Links weighted(Links links, int step, double weight, const Coordinates& extents,
               const std::array<Complex, directions>& boundary_phases) {
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const Complex factor = x[mu] + step >= extents[mu] ? weight * boundary_phases[mu] : weight;
      for (std::size_t k = 0; k < 9; ++k) links[link_offset(x, mu, extents) + k] *= factor;
    }
  });
  return links;
}

}  // namespace

StaggeredOperator::StaggeredOperator(const Links& links, const Coordinates& extents,
                                     const StaggeredParameters& parameters)
    : steps_{{1, weighted(links, 1, 1.0, extents, parameters.boundary_phases)}},
      extents_(extents),
      parameters_(parameters) {}

StaggeredOperator::StaggeredOperator(const Links& fat, const Links& third, const Coordinates& extents,
                                     const StaggeredParameters& parameters)
    : StaggeredOperator(fat, extents, parameters) {
  steps_.push_back({3, weighted(third, 3, parameters.third_weight, extents, parameters.boundary_phases)});
}

ColorField StaggeredOperator::hop_to_parity(const ColorField& chi, int parity) const {
  ColorField result = zero_color_field(extents_);
  for_each_site(extents_, [&](const Coordinates& x) {
    if (parity_of(x) != parity) return;
    for (int mu = 0; mu < directions; ++mu) {
      const double eta = staggered_phase(x, mu);
      for (const auto& [step, links] : steps_) {
        const Coordinates ahead = neighbor(x, mu, step, extents_);
        const Coordinates behind = neighbor(x, mu, -step, extents_);
        add_color_at(result, x, extents_, eta, multiply(link(links, x, mu, extents_), color_at(chi, ahead, extents_)));
        add_color_at(result, x, extents_, -eta,
                     multiply(dagger(link(links, behind, mu, extents_)), color_at(chi, behind, extents_)));
      }
    }
  });
  return result;
}

ColorField StaggeredOperator::hop_dagger_to_parity(const ColorField& chi, int parity) const {
  ColorField result = zero_color_field(extents_);
  for_each_site(extents_, [&](const Coordinates& x) {
    if (parity_of(x) == parity) return;
    for (int mu = 0; mu < directions; ++mu) {
      const double eta = staggered_phase(x, mu);
      const ColorVector v = color_at(chi, x, extents_);
      for (const auto& [step, links] : steps_) {
        const Coordinates ahead = neighbor(x, mu, step, extents_);
        const Coordinates behind = neighbor(x, mu, -step, extents_);
        add_color_at(result, ahead, extents_, eta, multiply(dagger(link(links, x, mu, extents_)), v));
        add_color_at(result, behind, extents_, -eta, multiply(link(links, behind, mu, extents_), v));
      }
    }
  });
  return result;
}

ColorField StaggeredOperator::hop(const ColorField& chi) const {
  return add(hop_to_parity(chi, 0), 1.0, hop_to_parity(chi, 1));
}

ColorField StaggeredOperator::hop_dagger(const ColorField& chi) const {
  return add(hop_dagger_to_parity(chi, 0), 1.0, hop_dagger_to_parity(chi, 1));
}

ColorField StaggeredOperator::apply(const ColorField& chi) const { return add(hop(chi), 2.0 * parameters_.mass, chi); }

ColorField StaggeredOperator::apply_dagger(const ColorField& chi) const {
  return add(hop_dagger(chi), 2.0 * parameters_.mass, chi);
}

ColorField staggered_normal(const StaggeredOperator& op, const ColorField& chi, int parity) {
  const double mass = op.parameters().mass;
  const ColorField twice_hopped = op.hop_to_parity(op.hop_to_parity(chi, 1 - parity), parity);
  const ColorField zero = zero_color_field(op.extents());
  return add(add(zero, -1.0, twice_hopped), 4.0 * mass * mass, restrict_to_parity(chi, parity, op.extents()));
}

ColorField staggered_normal_source(const StaggeredOperator& op, const ColorField& b, int parity) {
  const ColorField zero = zero_color_field(op.extents());
  return add(add(zero, -1.0, op.hop_to_parity(b, parity)), 2.0 * op.parameters().mass,
             restrict_to_parity(b, parity, op.extents()));
}

Links third_links(const Links& links, const Coordinates& extents) {
  Links result(links.size());
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const ColorMatrix product = link(links, x, mu, extents) * link(links, neighbor(x, mu, 1, extents), mu, extents) *
                                  link(links, neighbor(x, mu, 2, extents), mu, extents);
      std::copy(product.begin(), product.end(),
                result.begin() + static_cast<std::ptrdiff_t>(link_offset(x, mu, extents)));
    }
  });
  return result;
}

std::array<double, directions> staggered_momentum(const Coordinates& mode, const Coordinates& extents,
                                                  const StaggeredParameters& parameters) {
  std::array<double, directions> p;
  for (int mu = 0; mu < directions; ++mu)
    p[mu] = (2.0 * std::numbers::pi * mode[mu] + std::arg(parameters.boundary_phases[mu])) / extents[mu];
  return p;
}

ColorField free_staggered_hop(const std::array<double, directions>& p, const ColorVector& v, const Coordinates& extents,
                              double fat, double third) {
  ColorField result = zero_color_field(extents);
  for (int mu = 0; mu < directions; ++mu) {
    // eta_mu(x) = exp(i q x): q has pi in each direction on whose coordinate eta_mu depends.
    std::array<double, directions> shifted = p;
    for (int nu = 0; nu < directions; ++nu) {
      Coordinates unit{};
      unit[nu] = 1;
      if (staggered_phase(unit, mu) < 0) shifted[nu] += std::numbers::pi;
    }
    const double sines = fat * std::sin(p[mu]) + third * std::sin(3.0 * p[mu]);
    result = add(result, Complex(0.0, 2.0 * sines), color_plane_wave(shifted, v, extents));
  }
  return result;
}

}  // namespace kaon::reference
