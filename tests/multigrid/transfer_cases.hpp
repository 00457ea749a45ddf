// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/transfer.hpp"
#include "tests/reference/aggregates.hpp"
#include "tests/reference/vectors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

// Lattices, aggregates and vectors on which the tests of transfers run.
namespace kaon::test {

using Values = std::vector<std::complex<double>>;

struct TransferGeometry {
  const char* name;
  Coordinates extents;
  std::optional<Coordinates> first_block;  ///< the fine lattice is itself coarse, with 2 x `colors` components
  Coordinates block;
  int colors;
  int vectors;
  Lanes lanes = Lanes::native;

  Lattice fine() const {
    const Lattice lattice({.extents = extents, .lanes = lanes});
    return first_block ? lattice.coarsened(*first_block) : lattice;
  }
  SpinorParameters fine_shape(int right_hand_sides = 1, Subset subset = Subset::full) const {
    return {.spins = first_block ? 2 : 4, .colors = colors, .subset = subset, .right_hand_sides = right_hand_sides};
  }
};

/// Whole packs of columns and single ones; aggregates within virtual nodes and across them, of odd numbers of sites,
/// and one alone; coarse lattices as fine ones, with odd coarse extents and with one parity.
inline const TransferGeometry transfer_geometries[] = {
    {"even", {4, 4, 4, 4}, {}, {2, 2, 2, 2}, 3, 8},
    {"even, one lane", {4, 4, 4, 4}, {}, {2, 2, 2, 2}, 3, 8, Lanes::single},
    {"unequal", {4, 6, 2, 8}, {}, {2, 3, 1, 4}, 3, 6},
    {"one aggregate", {4, 4, 4, 4}, {}, {4, 4, 4, 4}, 3, 24},
    {"odd aggregates", {6, 6, 2, 6}, {}, {3, 3, 1, 3}, 3, 16},
    {"whole extents", {8, 4, 4, 4}, {}, {2, 4, 1, 4}, 3, 32},
    {"coarse", {12, 4, 4, 4}, {{2, 2, 1, 1}}, {2, 1, 4, 2}, 8, 8},
    {"odd coarse extents", {12, 4, 4, 4}, {{2, 2, 2, 1}}, {2, 1, 2, 2}, 3, 5},
    {"one parity", {12, 4, 4, 4}, {{4, 2, 2, 2}}, {3, 1, 1, 2}, 8, 16},
    {"several in a virtual node", {8, 8, 8, 4}, {}, {4, 4, 2, 2}, 3, 24},
};

constexpr double transfer_tolerance() { return 1e-5; }

/// All right-hand sides of a field.
inline std::vector<Values> host_values(const SpinorField<float>& field) {
  std::vector<Values> values;
  for (int k = 0; k < field.right_hand_sides(); ++k) values.push_back(field.to_host(k));
  return values;
}

inline SpinorField<float> noise(const Lattice& lattice, const SpinorParameters& shape, std::uint32_t stream) {
  SpinorField<float> field(lattice, shape);
  set_gaussian(field, {.seed = 11, .stream = stream});
  return field;
}

/// A transfer made of noise, or of given vectors, and the slow one.
struct TransferCase {
  explicit TransferCase(const TransferGeometry& g) : TransferCase(g, noise(g.fine(), g.fine_shape(g.vectors), 0)) {}
  TransferCase(const TransferGeometry& g, SpinorField<float> given)
      : geometry(g), aggregation(given.lattice(), g.block), vectors(std::move(given)), transfer(aggregation, vectors) {}

  reference::Prolongator reference() const {
    return {{aggregation.fine().extents(), geometry.block},
            static_cast<std::size_t>(vectors.components()),
            host_values(vectors)};
  }
  SpinorField<float> fine_noise(int right_hand_sides, Subset subset = Subset::full) const {
    return noise(aggregation.fine(), geometry.fine_shape(right_hand_sides, subset), 1);
  }
  SpinorField<float> fine_field(int right_hand_sides, Subset subset = Subset::full) const {
    return SpinorField<float>(aggregation.fine(), geometry.fine_shape(right_hand_sides, subset));
  }
  SpinorField<float> coarse_noise(int right_hand_sides) const {
    return noise(aggregation.coarse(), coarse_shape(right_hand_sides), 2);
  }
  SpinorField<float> coarse_field(int right_hand_sides) const {
    return SpinorField<float>(aggregation.coarse(), coarse_shape(right_hand_sides));
  }
  SpinorParameters coarse_shape(int right_hand_sides) const {
    return transfer.coarse_domain().with_right_hand_sides(right_hand_sides);
  }
  std::vector<Subset> subsets() const {
    if (aggregation.fine().parities() == 1) return {Subset::full, Subset::even};
    return {Subset::full, Subset::even, Subset::odd};
  }

  const TransferGeometry& geometry;
  detail::Aggregation aggregation;
  SpinorField<float> vectors;
  detail::Transfer transfer;
};

template <class Body>
void for_each_transfer(const Body& body) {
  for (const TransferGeometry& geometry : transfer_geometries) {
    SCOPED_TRACE(geometry.name);
    body(TransferCase(geometry));
  }
}

/// |a - b| <= tolerance |b|.
inline void expect_close(const Values& found, const Values& expected, const char* what) {
  ASSERT_EQ(found.size(), expected.size());
  const double difference = reference::relative_difference(found, expected);
  EXPECT_LE(difference, transfer_tolerance()) << what;
}

/// Values of a field, zero on sites that fail `condition`, a function of their coordinates.
template <class Condition>
Values only(Values values, const Coordinates& extents, const Condition& condition) {
  const std::size_t components = values.size() / static_cast<std::size_t>(volume_of(extents));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Coordinates x = lexicographic_site(static_cast<std::ptrdiff_t>(k / components), extents);
    if (!condition(x)) values[k] = 0.0;
  }
  return values;
}

}  // namespace kaon::test
