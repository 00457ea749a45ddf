// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/fused_updates.hpp"
#include "tests/partitions/partitions.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

SpinorField<double> noise(const Lattice& lattice, int right_hand_sides) {
  SpinorField<double> field(lattice, {.subset = Subset::even, .right_hand_sides = right_hand_sides});
  set_gaussian(field, {.seed = 7});
  return field;
}

/// One field eight times.
std::vector<SpinorField<double>> eight_of(SpinorField<double>& field) {
  std::vector<SpinorField<double>> fields;
  for (int k = 0; k < 8; ++k) fields.push_back(field.range(0, field.right_hand_sides()));
  return fields;
}

/// `values` added over processes in the order of ranks, by messages.
blas::Reals over_processes(blas::Reals values) {
  processes().sum(values);
  return values;
}

TEST(SumsOverProcesses, AreThoseOfEachInTheOrderOfRanks) {
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    SCOPED_TRACE(partition.name);
    const Lattice& parts = partition.parts;
    const Lattice alone = parts.isolated();
    for (const int right_hand_sides : {1, 3, 16, 17}) {
      SpinorField<double> v = noise(parts, right_hand_sides), w = noise(parts, right_hand_sides);
      EXPECT_EQ(blas::norm2(v), over_processes(blas::norm2(v.on(alone))));
      blas::scale(w, 1e-3);
      EXPECT_EQ(blas::norm2(w), over_processes(blas::norm2(w.on(alone))));
      // All sums at once.
      const auto all = blas::block_inner_product<double>(eight_of(v), w);
      SpinorField<double> v_alone = v.on(alone);
      const auto local = blas::block_inner_product<double>(eight_of(v_alone), w.on(alone));
      EXPECT_EQ(all.norm2, over_processes(local.norm2));
      for (std::size_t j = 0; j < all.products.size(); ++j) {
        blas::Reals mine, found;
        for (std::size_t k = 0; k < all.norm2.size(); ++k) {
          mine.insert(mine.end(), {local.products[j][k].real(), local.products[j][k].imag()});
          found.insert(found.end(), {all.products[j][k].real(), all.products[j][k].imag()});
        }
        EXPECT_EQ(found, over_processes(mine));
      }
    }
  }
}

/// a = 1 / |r|^2, except for some right-hand sides.
struct Inverse {
  static constexpr int scalars = 1, earlier = 0;
  bool declines;
  KOKKOS_INLINE_FUNCTION bool operator()(const detail::ReducedSums& of, const detail::Complex<double>*,
                                         detail::Complex<double>* a) const {
    a[0] = {1.0 / of.y_norm2(), 0.0};
    return !declines;
  }
};

TEST(SumsOverProcesses, AreWhatFunctionsSee) {
  using Norm2 = blas::ops::Norm2;
  constexpr int right_hand_sides = 3;
  for (const Partition& partition : partitions({8, 4, 4, 8})) {
    const Lattice& parts = partition.parts;
    if (parts.communicator().size() > 1 && !detail::kernels_sum_over_processes(parts)) continue;
    SCOPED_TRACE(partition.name);
    SpinorField<double> r = noise(parts, right_hand_sides), x(parts, r.parameters());
    blas::set_zero(x);
    const blas::Reals norm2 = blas::norm2(r);
    std::vector<double> steps(right_hand_sides);  // that were done
    for (int step = 0; step < 40; ++step) {
      const int left_out = step % right_hand_sides;
      const bool none = step % 4 == 3;
      const auto inverse_of = [&](std::size_t k) { return Inverse{none || static_cast<int>(k) == left_out}; };
      detail::PendingSums first = detail::run_blas<Norm2, double>("test", {&r}, {}, inverse_of);
      detail::PendingSums second = detail::axpy_norm2(x, r, first.scalars(), detail::no_function);
      first.wait();
      second.wait();
      const blas::Reals of_x = blas::norm2(x);
      for (int k = 0; k < right_hand_sides; ++k) {
        const auto n = static_cast<std::size_t>(k);
        EXPECT_EQ(first.sum(n, 0), norm2[n]);
        const bool done = !none && k != left_out;
        EXPECT_EQ(first.scalars().has(n), done);
        if (!done) {
          EXPECT_TRUE(std::isnan(second.sum(n, 0)));
        } else {
          ++steps[n];
          EXPECT_NEAR(second.sum(n, 0), of_x[n], 1e-13 * of_x[n]);
        }
      }
    }
    // x = n r / |r|^2 after n steps.
    const blas::Reals of_x = blas::norm2(x);
    for (std::size_t k = 0; k < right_hand_sides; ++k) {
      EXPECT_GE(steps[k], 18);
      EXPECT_NEAR(of_x[k] * norm2[k], steps[k] * steps[k], 1e-10);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
