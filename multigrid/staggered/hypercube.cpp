// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered/hypercube.hpp"

#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "multigrid/coarse/coarse_halo.hpp"
#include "multigrid/coarse/site_matrix_fields.hpp"
#include "operators/stencil/crossing.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <memory>
#include <optional>

namespace kaon::detail {
namespace {

/// The bits y_mu = x_mu mod 2.
KOKKOS_INLINE_FUNCTION int within_hypercube(const int (&x)[4]) {
  return (x[0] & 1) | (x[1] & 1) << 1 | (x[2] & 1) << 2 | (x[3] & 1) << 3;
}

struct MoveSites {
  SiteSpinor<float> hypercubes, sites;
  int right_hand_sides;
  bool gather;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const int h[4] = {x[0] / 2, x[1] / 2, x[2] / 2, x[3] / 2};
    const int first = first_component(within_hypercube(x));
    for (int k = 0; k < right_hand_sides; ++k) {
      for (int c = 0; c < colors; ++c) {
        if (gather) {
          hypercubes.store(sites.load(x, c, k), h, first + c, k);
        } else {
          sites.store(hypercubes.load(h, first + c, k), x, c, k);
        }
      }
    }
  }
};

/// X, and the part of E with the hops ahead, of one hypercube h.
struct MakeMatrices {
  SiteGauge<float> links;
  SiteSpinor<float> x_matrix, outer;
  Complex<double> phases[4];  ///< exp(i theta_mu)
  bool alone[4];              ///< the lattice has one hypercube in direction mu
  double diagonal;

  KOKKOS_FUNCTION void operator()(const int (&h)[4]) const {
    for (int c = 0; c < hypercube_components; ++c) x_matrix.store({diagonal, 0.0}, h, c, c);
    for (int site = 0; site < 16; ++site) {
      const int x[4] = {2 * h[0] + (site & 1), 2 * h[1] + (site >> 1 & 1), 2 * h[2] + (site >> 2 & 1),
                        2 * h[3] + (site >> 3)};
      for (int mu = 0; mu < 4; ++mu) add_link(h, x, mu);
    }
  }

 private:
  KOKKOS_FUNCTION void add_link(const int (&h)[4], const int (&x)[4], int mu) const {
    int ahead[4] = {x[0], x[1], x[2], x[3]};
    ++ahead[mu];
    const int row = first_component(within_hypercube(x)), column = first_component(within_hypercube(ahead));
    // Origins are even, so that local coordinates have the signs of global ones.
    const int exponents[4] = {x[3], x[3] + x[0], x[3] + x[0] + x[1], 0};
    Complex<double> factor{exponents[mu] & 1 ? -1.0 : 1.0, 0.0};
    if (links.map.origin[mu] + ahead[mu] == links.map.global[mu]) factor = factor.re * phases[mu];
    const ColorMatrix<double> u = links.load(x, mu);
    const bool leaves = (x[mu] & 1) == 1 && !alone[mu];
    for (int a = 0; a < colors; ++a) {
      for (int b = 0; b < colors; ++b) {
        const Complex<double> value = factor * u.e[a][b];
        if (leaves) {
          outer.store(-value, h, row + a, colors * mu + b);
        } else {
          add(value, h, row + a, column + b);
          add(-conj(value), h, column + b, row + a);
        }
      }
    }
  }
  KOKKOS_FUNCTION void add(const Complex<double>& value, const int (&h)[4], int row, int column) const {
    x_matrix.store(x_matrix.load(h, row, column) + value, h, row, column);
  }
};

/// The part of E with the hops from h - mu, from the part with those to h + mu:
///   E_{3 mu + b}(h)[row of colour a] = -conj(E_{3 mu + a}(h-mu)[row of colour b at y']),    y_mu = 0.
struct BackwardOuterHops {
  MatrixElements outer;
  NeighborElements behind;

  KOKKOS_FUNCTION void operator()(const int site, const int item) const {
    const int column = item / outer.n, row = item - column * outer.n;
    const int mu = column / colors, b = column % colors;
    const int y = site_of_component(row), a = row % colors;  // colours are fastest
    const int face = 2 * mu + 1;
    if ((y >> mu & 1) == 1 || !behind.exist(site, face)) return;
    const Complex<float> element = behind.load(site, face, first_component(y ^ 1 << mu) + b, colors * mu + a);
    outer.store(-conj(element), site, row, column);
  }
};

void move(const SpinorField<float>& hypercubes, const SpinorField<float>& sites, bool gather) {
  for_each_single_site<float>("kaon::hypercube_map", sites.lattice(),
                              MoveSites{site_access(hypercubes), site_access(sites), sites.right_hand_sides(), gather});
}

}  // namespace

void HypercubeMap::require_fields(const SpinorField<float>& on_hypercubes, const SpinorField<float>& on_sites) const {
  require(on_hypercubes.lattice() == hypercubes_ && on_sites.lattice() == sites_,
          "fields of sites and of hypercubes must be on the two lattices of the map between them");
  require(on_sites.spins() == 1 && on_sites.colors() == colors && on_sites.parameters().slices == 1 &&
              on_sites.subset() == Subset::full,
          [&] {
            return fmt::format(
                "hypercubes have fields of 1 spin and 3 colours on all sites, not {} spins and {} colours{}",
                on_sites.spins(), on_sites.colors(), on_sites.subset() == Subset::full ? "" : " on one parity");
          });
  require(on_hypercubes.spins() == 2 && on_hypercubes.components() == hypercube_components &&
              on_hypercubes.subset() == Subset::full,
          [&] {
            return fmt::format("fields on all hypercubes have 2 spins and {} colours, not {} and {}{}",
                               hypercube_components / 2, on_hypercubes.spins(), on_hypercubes.colors(),
                               on_hypercubes.subset() == Subset::full ? "" : " on one parity");
          });
  require(on_hypercubes.right_hand_sides() == on_sites.right_hand_sides(), [&] {
    return fmt::format("{} right-hand sides on hypercubes, {} on sites: give fields with equal numbers",
                       on_hypercubes.right_hand_sides(), on_sites.right_hand_sides());
  });
}

void HypercubeMap::gather(SpinorField<float>& out, const SpinorField<float>& in) const {
  require_fields(out, in);
  move(out, in, true);
}

void HypercubeMap::scatter(SpinorField<float>& out, const SpinorField<float>& in) const {
  require_fields(in, out);
  move(in, out, false);
}

void hypercube_factors(SpinorField<float>& x, SpinorField<float>& outer, const HypercubeMap& map,
                       const GaugeField<float>& links, const BoundaryAngles& boundary, double mass) {
  require(links.lattice() == map.sites(), "the links and the hypercubes are on different lattices");
  MakeMatrices kernel{site_access(links), site_access(x), site_access(outer), {}, {}, 2.0 * mass};
  for (std::size_t mu = 0; mu < directions; ++mu) {
    const std::complex<double> phase = boundary_phase(boundary[mu]);
    kernel.phases[mu] = {phase.real(), phase.imag()};
    kernel.alone[mu] = map.hypercubes().extents()[mu] == 1;
  }
  for_each_single_site<float>("kaon::hypercube_matrices", map.hypercubes(), kernel);
  const Lattice& lattice = map.hypercubes();
  const std::shared_ptr<const CoarseSites> sites = CoarseSites::kept_by(lattice);
  std::optional<CoarseHalo> halo;
  if (lattice.is_partitioned()) halo.emplace(lattice, *sites, hypercube_components, outer_columns);
  for (int p = 0; p < lattice.parities(); ++p) {
    SpinorField<float> here = outer.parity(Parity{p});
    const SpinorField<float> behind = outer.parity(Parity{lattice.parities() == 2 ? 1 - p : p});
    CoarseHaloAccess access;
    if (halo) access = halo->exchange_and_wait(*sites, behind);
    for_each_item("kaon::hypercube_backward_hops", here, outer_columns * hypercube_components,
                  BackwardOuterHops{MatrixElements(here),
                                    {MatrixElements(behind), sites->neighbors(Parity{p}), sites->sites(), access}});
  }
}

}  // namespace kaon::detail
