// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/largest_difference.hpp"
#include "tests/support/processes.hpp"

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kaon::test {

/// A lattice cut into parts, and the same in one piece on every process alone.
struct Partition {
  Lattice parts;
  Lattice whole;
  std::string name;
};

/// Which directions are cut on one process.
enum class Cuts {
  pairs,  ///< none, each alone, all: any two directions are then both cut, neither, and one without the other
  every   ///< all sixteen
};

/// All process grids that leave an even number of sites in each direction, one of them also with processes in reverse
/// order and all other directions exchanging with themselves; on one process forced partitions. In native lanes and, if
/// these are more, in one. Local lattices are wider than `reach`.
inline std::vector<Partition> partitions(const Coordinates& extents, int reach = 1, Cuts cuts = Cuts::pairs) {
  const Communicator& all = processes();
  const int size = all.size();
  std::vector<LatticeParameters> cut;
  const auto fits = [&](const Coordinates& grid) {
    bool even = volume_of(grid) == size;
    for (std::size_t mu = 0; mu < 4; ++mu)
      even = even && extents[mu] % (2 * grid[mu]) == 0 && extents[mu] / grid[mu] > reach;
    return even;
  };
  for (int k = 0; k < size * size * size * size; ++k) {
    const Coordinates grid{1 + k % size, 1 + k / size % size, 1 + k / size / size % size, 1 + k / size / size / size};
    if (fits(grid)) cut.push_back({.extents = extents, .process_grid = grid, .reach = reach});
  }
  if (size == 1) {
    for (int mask = 1; mask < 16; ++mask) {
      if (cuts == Cuts::pairs && !std::has_single_bit(static_cast<unsigned>(mask)) && mask != 15) continue;
      cut.push_back({.extents = extents,
                     .process_grid = {1, 1, 1, 1},
                     .partition = {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0, (mask & 8) != 0},
                     .reach = reach});
    }
  } else if (!cut.empty()) {
    LatticeParameters reversed = cut.back();
    for (int rank = size - 1; rank >= 0; --rank) reversed.ranks.push_back(rank);
    reversed.partition = {true, true, true, true};
    cut.push_back(reversed);
  }
  std::vector<Partition> found;
  for (LatticeParameters& parameters : cut) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      parameters.lanes = lanes;
      std::string name = to_string(extents) + " on " + to_string(parameters.process_grid);
      for (std::size_t mu = 0; mu < 4; ++mu) name += parameters.partition[mu] ? " forced" : " free";
      name += lanes == Lanes::native ? ", native lanes" : ", one lane";
      if (!parameters.ranks.empty()) name += ", reversed";
      const Lattice parts(all, parameters);
      if (lanes == Lanes::native || parts.lane_count<double>() > 1 || parts.lane_count<float>() > 1) {
        found.push_back({parts, Lattice({.extents = extents, .lanes = lanes, .reach = reach}), name});
      }
    }
  }
  return found;
}

/// The first and the last of the partitions on native lanes and on one, which cut few directions and all: for tests of
/// properties that do not depend on the directions.
inline std::vector<Partition> ends_of(std::vector<Partition> all) {
  std::vector<Partition> ends;
  for (const Lanes lanes : {Lanes::native, Lanes::single}) {
    const auto has_lanes = [&](const Partition& partition) { return partition.parts.lanes() == lanes; };
    const auto first = std::find_if(all.begin(), all.end(), has_lanes);
    const auto last = std::find_if(all.rbegin(), all.rend(), has_lanes);
    if (first == all.end()) continue;
    if (&*first != &*last) ends.push_back(*first);
    ends.push_back(*last);
  }
  return ends;
}

/// Partitions that the tests of a program share: on GPUs lattices and their halos take longer to make than most tests
/// take with them. Tests that change how halos travel need `partitions` of their own.
class SharedPartitions final : public ::testing::Environment {
 public:
  const std::vector<Partition>& of(const Coordinates& extents, int reach) {
    const auto [found, is_new] = made_.try_emplace({extents, reach});
    if (is_new) found->second = partitions(extents, reach);
    return found->second;
  }
  void TearDown() override { made_.clear(); }  // before Kokkos ends

 private:
  std::map<std::pair<Coordinates, int>, std::vector<Partition>> made_;
};
inline auto* const shared_environment =
    static_cast<SharedPartitions*>(::testing::AddGlobalTestEnvironment(new SharedPartitions));

inline std::vector<Partition> shared_partitions(const Coordinates& extents, int reach = 1) {
  return shared_environment->of(extents, reach);
}

/// Lattices with 2 sites left in some direction, and others that use their lanes.
inline std::vector<Partition> all_partitions(const std::function<std::vector<Partition>(const Coordinates&)>& find =
                                                 [](const Coordinates& extents) { return partitions(extents); }) {
  std::vector<Partition> all;
  for (const Coordinates& extents : {Coordinates{4, 4, 4, 4}, Coordinates{8, 4, 2, 8}}) {
    for (Partition& partition : find(extents)) all.push_back(std::move(partition));
  }
  return all;
}

/// Result of a function on the whole lattice, which every process makes by itself: once for all its partitions.
template <class Value>
class OfWhole {
 public:
  explicit OfWhole(std::function<Value(const Lattice&)> make) : make_(std::move(make)) {}
  const Value& operator()(const Partition& partition) {
    const Lattice& whole = partition.whole;
    const std::pair<Coordinates, Lanes> key{whole.extents(), whole.lanes()};
    auto kept = kept_.find(key);
    if (kept == kept_.end()) kept = kept_.emplace(key, make_(whole)).first;
    return kept->second;
  }

 private:
  std::function<Value(const Lattice&)> make_;
  std::map<std::pair<Coordinates, Lanes>, Value> kept_;
};

/// This process's part of host values of the whole lattice.
template <class Value>
std::vector<Value> part_of(const std::vector<Value>& whole, const Lattice& parts) {
  const std::size_t per_site = whole.size() / static_cast<std::size_t>(parts.volume());
  std::vector<Value> part;
  for (std::ptrdiff_t k = 0; k < parts.local_volume(); ++k) {
    Coordinates site = lexicographic_site(k, parts.local_extents());
    for (std::size_t mu = 0; mu < 4; ++mu) site[mu] += parts.origin()[mu];
    const auto first =
        whole.begin() + lexicographic_index(site, parts.extents()) * static_cast<std::ptrdiff_t>(per_site);
    part.insert(part.end(), first, first + static_cast<std::ptrdiff_t>(per_site));
  }
  return part;
}

using HostValues = std::vector<std::complex<double>>;

inline double norm(const HostValues& values) {
  double sum = 0.0;
  for (const std::complex<double>& value : values) sum += std::norm(value);
  return std::sqrt(sum);
}

/// |parts - whole| over all processes, of this process's values and of those of the whole lattice. Collective.
inline double distance(const HostValues& part, const HostValues& whole, const Lattice& parts) {
  HostValues difference = part_of(whole, parts);
  if (difference.size() != part.size()) return std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < part.size(); ++k) difference[k] -= part[k];
  double total[] = {norm(difference) * norm(difference)};
  parts.communicator().sum(total);
  return std::sqrt(total[0]);
}

/// |parts - whole| / |whole| of right-hand side 1.
template <class T>
double relative_distance(const SpinorField<T>& parts, const SpinorField<T>& whole) {
  const HostValues expected = whole.to_host(1);
  return distance(parts.to_host(1), expected, parts.lattice()) / norm(expected);
}

/// Fields and numbers that are made on a lattice.
struct Made {
  std::vector<HostValues> fields{};
  std::vector<std::complex<double>> numbers{};
};

/// Expects that `make(lattice)`, a `Made`, is the same on the parts as on the whole of each partition, up to `allowed`
/// in each number.
template <class Make>
void expect_same(const std::vector<Partition>& partitions, double allowed, const Make& make) {
  OfWhole<Made> of_whole(make);
  for (const Partition& partition : partitions) {
    SCOPED_TRACE(partition.name);
    const Made parts = make(partition.parts), &whole = of_whole(partition);
    ASSERT_EQ(parts.fields.size(), whole.fields.size());
    for (std::size_t k = 0; k < parts.fields.size(); ++k) {
      EXPECT_LE(largest_difference(parts.fields[k], part_of(whole.fields[k], partition.parts)), allowed)
          << "field " << k;
    }
    EXPECT_LE(largest_difference(parts.numbers, whole.numbers), allowed);
  }
}

/// Rounding of a few hundred operations on numbers of order 1 that are stored as T.
template <class T>
inline constexpr double tolerance = 100.0 * std::numeric_limits<T>::epsilon();

using Precisions = ::testing::Types<double, float>;

}  // namespace kaon::test
