// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/device/allocate.hpp"
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/workspace.hpp"
#include "tests/support/resident_bytes.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/kept_fields.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::KeptFields;
using detail::Temporaries;

constexpr std::size_t impossible = std::numeric_limits<std::size_t>::max() / 64;

void fail_to_allocate() { EXPECT_ANY_THROW(detail::allocate<double>("more than any machine has", impossible)); }

TEST(KeptFields, KeepTheirValues) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  KeptFields<double> fields;
  set_gaussian(fields.provide(lattice, {}, 1)[0], {.seed = 1});
  const double norm2 = blas::norm2(fields[0])[0];
  EXPECT_GT(norm2, 0.0);
  const auto more = fields.provide(lattice, {}, 3);
  EXPECT_EQ(more.size(), 3u);
  EXPECT_EQ(blas::norm2(more[0])[0], norm2);
  EXPECT_EQ(blas::norm2(more[1])[0], 0.0);
  KeptFields<double> moved = std::move(fields);
  EXPECT_EQ(blas::norm2(moved[0])[0], norm2);
  EXPECT_EQ(blas::norm2(fields.provide(lattice, {}, 1)[0])[0], 0.0);
}

TEST(KeptFields, AreMadeAnewForAnotherShape) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), other({.extents = {4, 4, 4, 8}});
  KeptFields<float> fields;
  fields.provide(lattice, {}, 2);
  EXPECT_EQ(fields.provide(lattice, {.right_hand_sides = 3}, 1)[0].right_hand_sides(), 3);
  EXPECT_EQ(fields.provide(lattice, {.subset = Subset::odd}, 1)[0].subset(), Subset::odd);
  EXPECT_EQ(fields.provide(other, {}, 1)[0].lattice(), other);
}

TEST(KeptFields, HandTheirMemoryToTheNextAndItIsZero) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const double* first = nullptr;
  {
    Temporaries<double> fields(lattice, {}, 1);
    set_gaussian(fields[0], {.seed = 1});
    first = fields[0].data();
  }
  KeptFields<double> fields;
  SpinorField<double>& field = fields.provide(lattice, {}, 1)[0];
  EXPECT_EQ(field.data(), first);
  EXPECT_EQ(blas::norm2(field)[0], 0.0);
  Temporaries<double> another(lattice, {}, 1);
  EXPECT_NE(another[0].data(), first);
}

struct CountedReleases final : detail::SpareMemory {
  void release() override { ++released; }
  int released = 0;
  Offer offer{*this};
};

TEST(SpareMemory, IsFreedWhenAnAllocationFails) {
  CountedReleases spare;
  fail_to_allocate();
  EXPECT_EQ(spare.released, 1);
}

TEST(SpareMemory, IsFreedForSumsOfKernels) {
  CountedReleases spare;
  detail::Workspace workspace;
  EXPECT_ANY_THROW(workspace.partial_sums(impossible));
  EXPECT_ANY_THROW(workspace.cluster_sums(impossible));
  EXPECT_ANY_THROW(workspace.take_scalar_memory(impossible));
  EXPECT_EQ(spare.released, 3);
}

// A lattice that another thread also uses, which makes and frees fields meanwhile.
TEST(SpareMemory, IsFreedWhileAnotherThreadTakesIt) {
  constexpr int turns = 20000;
  std::atomic<bool> ready = false;
  int shared = 0;
  std::thread other([&] {
    for (int turn = 0; turn < turns; ++turn) {
      detail::Workspace workspace;
      detail::RecycledMemory recycled;
      for (int k = 0; k < 4; ++k) {
        const auto first = workspace.take<double>(64), second = workspace.take<double>(64);
        const auto third = recycled.take<float>("kaon::test", 10), fourth = recycled.take<float>("kaon::test", 10);
        shared += first.data() == second.data() || third.data() == fourth.data();
        workspace.give_back(first);
        workspace.give_back(second);
      }
    }
    ready = true;
  });
  while (!ready) detail::SpareMemory::release_all();
  other.join();
  EXPECT_EQ(shared, 0);
}

TEST(SpareMemory, OfLatticesIsFreedWhenAnAllocationFails) {
  if (on_device) GTEST_SKIP() << "the memory of devices is not resident here";
  const Lattice lattice({.extents = {16, 16, 16, 16}});
  { Temporaries<double>(lattice, {.right_hand_sides = 8}, 1); }
  const double bytes = 8.0 * 24 * sizeof(double) * 16 * 16 * 16 * 16;
  const auto before = static_cast<double>(resident_bytes());
  fail_to_allocate();
  EXPECT_LT(static_cast<double>(resident_bytes()), before - 0.9 * bytes);
}

TEST(RecyclingScope, GivesTheMemoryOfFreedFieldsToTheNext) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), other({.extents = {4, 4, 4, 4}});
  const detail::RecyclingScope scope(lattice);
  const double* first = nullptr;
  {
    SpinorField<double> field(lattice);
    set_gaussian(field, {.seed = 1});
    first = field.data();
    EXPECT_NE(SpinorField<double>(lattice).data(), first);
    EXPECT_NE(SpinorField<double>(other).data(), first);
  }
  const SpinorField<double> next(lattice);
  EXPECT_EQ(next.data(), first);
  EXPECT_EQ(blas::norm2(next)[0], 0.0);
  const SpinorField<double> part = SpinorField<double>(lattice).parity(Parity::odd);
  const double* const held = part.data();
  for (int k = 0; k < 2; ++k) EXPECT_NE(SpinorField<double>(lattice).parity(Parity::odd).data(), held);
}

TEST(RecyclingScope, GivesTheMemoryOfOtherObjectsToTheNext) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const detail::RecyclingScope scope(lattice);
  const auto held = detail::allocate_on<int>(lattice, "kaon::test", 10);
  const int* first = nullptr;
  {
    const auto freed = detail::allocate_on<int>(lattice, "kaon::test", 10);
    EXPECT_NE(freed.data(), held.data());
    first = freed.data();
  }
  EXPECT_EQ(detail::allocate_on<int>(lattice, "kaon::test", 10).data(), first);
  EXPECT_NE(detail::allocate_on<int>(lattice, "kaon::test", 11).data(), first);
}

TEST(RecyclingScope, LeavesFieldsThatOutliveIt) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  std::optional<SpinorField<double>> field;
  double norm2 = 0.0;
  {
    const detail::RecyclingScope scope(lattice);
    {
      const detail::RecyclingScope inner(lattice);
      field.emplace(lattice);
      set_gaussian(*field, {.seed = 1});
      norm2 = blas::norm2(*field)[0];
    }
    const double* const freed = SpinorField<double>(lattice).data();
    EXPECT_EQ(SpinorField<double>(lattice).data(), freed);  // the scope around continues
  }
  EXPECT_EQ(blas::norm2(*field)[0], norm2);
}

TEST(RecyclingScope, FreesItsMemoryForAnAllocationThatFails) {
  if (on_device) GTEST_SKIP() << "the memory of devices is not resident here";
  const Lattice lattice({.extents = {16, 16, 16, 16}});
  const detail::RecyclingScope scope(lattice);
  SpinorField<double>(lattice, {.right_hand_sides = 12});
  const std::size_t before = resident_bytes();
  fail_to_allocate();
  EXPECT_LT(resident_bytes() + 100'000'000, before);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
