// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include "tests/reference/coarse_schur.hpp"

// Lattices, aggregates and fields on which the tests of the reference multigrid run.
namespace kaon::reference {

/// Rounding of sums of a few thousand terms of order 1, a few of them in a row.
inline constexpr double rounding = 1e-12;

/// A lattice and its aggregates.
struct Geometry {
  const char* name;
  Coordinates extents;
  Coordinates block;
};

inline void PrintTo(const Geometry& geometry, std::ostream* out) { *out << geometry.name; }

/// Coarse extents even, odd and 1, with two links between the same sites, and one aggregate alone.
inline constexpr Geometry even_geometry{"Even", {4, 4, 2, 8}, {2, 2, 1, 2}};
inline constexpr Geometry odd_geometry{"Odd", {6, 4, 2, 2}, {2, 1, 1, 2}};
inline constexpr Geometry one_aggregate{"OneAggregate", {2, 4, 2, 2}, {2, 4, 2, 2}};

inline auto all_geometries() { return ::testing::Values(even_geometry, odd_geometry, one_aggregate); }

inline std::string name_of(const ::testing::TestParamInfo<Geometry>& info) { return info.param.name; }

/// Every term of the Wilson family at once, complex phases included.
inline WilsonParameters all_terms() {
  return {.mass = 0.2,
          .csw_spatial = 0.9,
          .csw_temporal = 1.3,
          .anisotropy = 2.4,
          .nu = 0.95,
          .twisted_mass = 0.4,
          .boundary_phases = {std::polar(1.0, 0.3), -1.0, std::polar(1.0, -1.1), std::polar(1.0, 2.5)}};
}

/// all_terms(), which is gamma5-Hermitian without its twisted mass.
inline WilsonParameters without_twist() {
  WilsonParameters parameters = all_terms();
  parameters.twisted_mass = 0.0;
  return parameters;
}

/// `count` fields of normal numbers.
inline std::vector<Spinor> random_vectors(std::size_t count, std::size_t size, std::mt19937_64& generator) {
  std::vector<Spinor> vectors;
  for (std::size_t j = 0; j < count; ++j) vectors.push_back(random_vector(size, generator));
  return vectors;
}

/// Random links, the operator on them, and a prolongator of N = 3 random vectors.
struct CoarseningCase {
  explicit CoarseningCase(const Geometry& geometry, const WilsonParameters& parameters = all_terms())
      : aggregates(geometry.extents, geometry.block),
        links(random_links(geometry.extents, generator)),
        wilson(links, geometry.extents, parameters),
        fine(site_matrices(wilson)),
        vectors(random_vectors(3, fine.size(), generator)),
        p(aggregates, fine.components(), vectors) {}

  std::mt19937_64 generator{20240607};
  Aggregates aggregates;
  Links links;
  WilsonOperator wilson;
  CoarseOperator fine;
  std::vector<Spinor> vectors;
  Prolongator p;
};

/// Largest difference of all X and Y of two operators on one lattice.
inline double max_difference(const CoarseOperator& a, const CoarseOperator& b) {
  double largest = 0.0;
  for_each_site(a.extents(), [&](const Coordinates& site) {
    largest = std::max(largest, max_difference(a.site_term(site), b.site_term(site)));
    for (int mu = 0; mu < directions; ++mu)
      for (const int step : {+1, -1})
        largest = std::max(largest, max_difference(a.hop(site, mu, step), b.hop(site, mu, step)));
  });
  return largest;
}

}  // namespace kaon::reference
