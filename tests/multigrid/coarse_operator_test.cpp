// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/test_seams.hpp"
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/operators/schur.hpp>

#include <optional>

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<reference::Spinor>;

/// Calls body(lattice, slow, fast) for each case.
template <class Body>
void for_each_case(const Body& body, MultigridPrecision links = MultigridPrecision::single) {
  unsigned seed = 1;
  for (const CoarseCase& c : coarse_cases) {
    SCOPED_TRACE(name_of(c));
    const Lattice lattice = coarse_lattice(c.extents);
    const SlowCoarse slow(random_coarse(c, seed++));
    const CoarseOperator fast = make_coarse(lattice, slow, links);
    EXPECT_EQ(fast.vectors(), c.vectors);
    EXPECT_EQ(fast.singular_sites(), 0);
    body(lattice, slow, fast);
  }
}

reference::Spinor hop_sum(const reference::CoarseOperator& op, const reference::Spinor& in) {
  reference::Spinor sum(in.size());
  for (int mu = 0; mu < 4; ++mu) {
    for (const int step : {+1, -1}) sum = reference::add(sum, 1.0, op.apply_hop(in, mu, step));
  }
  return sum;
}

/// Runs one form and compares it with its formula. `in_place`: x is the output.
void expect_form(const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast, SiteTerm term, bool with_x,
                 bool in_place, int count, double relative) {
  constexpr double c = -0.7, a = 1.3;
  for (const auto& [parity, other] : parity_pairs(lattice)) {
    const Values in = random_values(slow, count, 3), x = random_values(slow, count, 4);
    const SpinorField<float> in_field = field_of(lattice, in, subset_of(other));
    SpinorField<float> x_field = field_of(lattice, x, subset_of(parity));
    SpinorField<float> out_field = field_of(lattice, x, subset_of(parity));
    SpinorField<float>& out = in_place ? x_field : out_field;
    fast.hop(out, in_field, {.term = term, .scale = c, .x = with_x ? &x_field : nullptr, .x_scale = a});
    Values expected;
    for (std::size_t k = 0; k < in.size(); ++k) {
      reference::Spinor hopped = hop_sum(slow, on_parity(lattice, in[k], other));
      if (term == SiteTerm::inverse) hopped = slow.divide(hopped);
      reference::Spinor first(hopped.size());
      if (with_x) {
        first = on_parity(lattice, x[k], parity);
        first = term == SiteTerm::diagonal ? slow.apply_site_term(first) : reference::add({first}, a - 1.0, first);
      }
      expected.push_back(reference::add(first, c, hopped));
    }
    expect_near(out, expected, relative);
  }
}

TEST(CoarseOperatorTest, HopsInEveryForm) {
  for_each_case([](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
    for (const int count : {1, 5, 12}) {
      for (const SiteTerm term : {SiteTerm::none, SiteTerm::diagonal, SiteTerm::inverse}) {
        const auto expect = [&](bool with_x, bool in_place) {
          expect_form(lattice, slow, fast, term, with_x, in_place, count, coarse_tolerance());
        };
        if (term != SiteTerm::diagonal) expect(false, false);
        expect(true, false);
        expect(true, true);
      }
    }
  });
}

TEST(CoarseOperatorTest, HopsOnLinksInHalf) {
  constexpr MultigridPrecision links = MultigridPrecision::half;
  for_each_case(
      [&](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
        for (const int count : {1, 5}) {
          expect_form(lattice, slow, fast, SiteTerm::inverse, true, false, count, coarse_tolerance(links));
        }
      },
      links);
}

/// Shapes that were tuned for links of one precision do not fit those of another.
TEST(CoarseOperatorTest, HopsOnLinksOfOnePrecisionAfterAnother) {
  const CoarseCase c{{2, 2, 2, 4}, 24};
  const Lattice lattice = coarse_lattice(c.extents);
  const SlowCoarse slow(random_coarse(c, 1));
  for (const MultigridPrecision links :
       {MultigridPrecision::half, MultigridPrecision::single, MultigridPrecision::half}) {
    const CoarseOperator fast = make_coarse(lattice, slow, links);
    for (const int count : {1, 2, 12}) {
      expect_form(lattice, slow, fast, SiteTerm::inverse, true, false, count, coarse_tolerance(links));
    }
  }
}

TEST(CoarseOperatorTest, AppliesItsSiteTerm) {
  for_each_case([](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
    for (const auto& [parity, other] : parity_pairs(lattice)) {
      const Values in = random_values(slow, 5, 3);
      const auto mine = [&, parity = parity](const auto& v) { return on_parity(lattice, v, parity); };
      SpinorField<float> field = field_of(lattice, in, subset_of(parity));
      SpinorField<float> out = field_of(lattice, random_values(slow, 5, 4), subset_of(parity));
      fast.apply_site_term(out, field, SiteTerm::diagonal, false);
      expect_near(out, for_each_of(in, [&](const auto& v) { return slow.apply_site_term(mine(v)); }),
                  coarse_tolerance());
      fast.apply_site_term(field, field, SiteTerm::inverse, false);
      expect_near(field, for_each_of(in, [&](const auto& v) { return slow.divide(mine(v)); }), coarse_tolerance());
    }
  });
}

TEST(CoarseOperatorTest, HopsAlongOneDirection) {
  for_each_case([](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
    for (const auto& [parity, other] : parity_pairs(lattice)) {
      const Values in = random_values(slow, 2, 3);
      const SpinorField<float> field = field_of(lattice, in, subset_of(other));
      for (int mu = 0; mu < 4; ++mu) {
        SpinorField<float> out = field_of(lattice, in, subset_of(parity));
        fast.hop_along(out, field, mu);
        expect_near(
            out,
            for_each_of(
                in, [&, other = other](const auto& v) { return slow.apply_hop(on_parity(lattice, v, other), mu, +1); }),
            coarse_tolerance());
      }
    }
  });
}

TEST(CoarseOperatorTest, IsItsSchurComplement) {
  for_each_case([](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
    if (lattice.parities() == 1) return;
    for (const Parity parity : {Parity::even, Parity::odd}) {
      const reference::CoarseSchur expected(slow, static_cast<int>(parity));
      const Schur<float> schur(fast, {.parity = parity});
      const Values b = random_values(slow, 3, 5), x = random_values(slow, 3, 6);
      const SpinorField<float> x_own = field_of(lattice, x, subset_of(parity)),
                               b_full = field_of(lattice, b, Subset::full);
      SpinorField<float> out = schur.make_field(3);
      schur.apply(out, x_own);
      expect_near(out, for_each_of(x, [&](const auto& v) { return expected.apply(expected.own(v)); }),
                  coarse_tolerance());
      schur.prepare(out, b_full);
      expect_near(out, for_each_of(b, [&](const auto& v) { return expected.prepare(v); }), coarse_tolerance());
      SpinorField<float> solution = field_of(lattice, x, Subset::full);
      schur.reconstruct(solution, b_full);
      Values whole;
      for (std::size_t k = 0; k < b.size(); ++k) whole.push_back(expected.reconstruct(expected.own(x[k]), b[k]));
      expect_near(solution, whole, coarse_tolerance());
    }
  });
}

TEST(CoarseOperatorTest, WithoutParitiesIsItsPreconditionedSystem) {
  for_each_case([](const Lattice& lattice, const SlowCoarse& slow, const CoarseOperator& fast) {
    if (lattice.parities() == 2) return;
    const reference::CoarseSchur expected(slow);
    const Values x = random_values(slow, 2, 6);
    for (const Subset subset : {Subset::even, Subset::full}) {
      const SpinorField<float> x_field = field_of(lattice, x, subset);
      SpinorField<float> out = field_of(lattice, x, subset);
      fast.hop(out, x_field, {.term = SiteTerm::inverse, .scale = -1.0, .x = &x_field});
      expect_near(out, for_each_of(x, [&](const auto& v) { return expected.apply(v); }), coarse_tolerance());
    }
  });
}

/// The hop in every shape of a GPU, which hosts have as well.
template <class L>
void expect_same_in_all_shapes(const Lattice& lattice, const reference::CoarseOperator& slow,
                               const CoarseOperator& fast, int count) {
  const int terms = fast.lattice().volume() == 1 ? 0 : 8;
  const auto [parity, other] = parity_pairs(lattice).back();
  const SpinorField<float> in = field_of(lattice, random_values(slow, count, 3), subset_of(other));
  const SpinorField<float> x = field_of(lattice, random_values(slow, count, 4), subset_of(parity));
  const auto hop = [&] {
    SpinorField<float> out = field_of(lattice, random_values(slow, count, 5),
                                      subset_of(x.subset() == Subset::odd ? Parity::odd : Parity::even));
    fast.hop(out, in, {.term = SiteTerm::inverse, .scale = -0.7, .x = &x, .x_scale = 1.3});
    Values values;
    for (int k = 0; k < count; ++k) values.push_back(out.to_host(k));
    return values;
  };
  const Values expected = hop();
  const auto shapes = detail::coarse_part_shapes<L>(2 * fast.vectors(), terms, count);
  EXPECT_GE(shapes.size(), 4u);
  for (const LaunchShape& shape : shapes) {
    const detail::ForcedCoarseShape forced(shape);
    const Values found = hop();
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_LE(largest_deviation(found[k], expected[k]), 10.0 * coarse_tolerance())
          << shape.sites << " sites, " << shape.threads_per_site << " threads, " << shape.right_hand_sides << " of "
          << count << " right-hand sides";
    }
  }
}

TEST(CoarseOperatorTest, HopsAlikeInAllShapes) {
  for (const CoarseCase& c : {CoarseCase{{2, 2, 2, 2}, 24}, CoarseCase{{3, 2, 2, 2}, 8}, CoarseCase{{2, 4, 2, 4}, 3}}) {
    SCOPED_TRACE(name_of(c));
    const Lattice lattice = coarse_lattice(c.extents);
    const reference::CoarseOperator slow = random_coarse(c, 1);
    for (const int count : {1, 3, c.vectors == 24 ? 12 : 5}) {
      expect_same_in_all_shapes<float>(lattice, slow, make_coarse(lattice, slow), count);
      expect_same_in_all_shapes<half>(lattice, slow, make_coarse(lattice, slow, MultigridPrecision::half), count);
    }
  }
}

TEST(CoarseOperatorTest, StandardShapesUseManyThreads) {
  for (const int n : {48, 64}) {
    for (const int count : {1, 4, 12}) {
      const LaunchShape shape = detail::coarse_part_shapes<half>(n, 8, count).front();
      EXPECT_GE(shape.sites * shape.threads_per_site, 32);
      EXPECT_EQ(shape.right_hand_sides, std::min(count, 4));
    }
  }
}

TEST(CoarseOperatorTest, ReducesItsOutput) {
  const CoarseCase c{{2, 4, 1, 6}, 8};
  const Lattice lattice = coarse_lattice(c.extents);
  const reference::CoarseOperator slow = random_coarse(c, 1);
  const CoarseOperator fast = make_coarse(lattice, slow);
  const SpinorField<float> in = field_of(lattice, random_values(slow, 2, 3), Subset::odd);
  const SpinorField<float> x = field_of(lattice, random_values(slow, 2, 4), Subset::even);
  for (const SiteTerm term : {SiteTerm::none, SiteTerm::diagonal, SiteTerm::inverse}) {
    SpinorField<float> out = field_of(lattice, random_values(slow, 2, 5), Subset::even);
    blas::PendingReductions reduced;
    fast.hop(out, in, {.term = term, .x = &x, .reductions = {.x = true}, .reduced = &reduced});
    const blas::Products found = reduced.wait();
    const blas::Reals norm2 = blas::norm2(out);
    const blas::Complexes product = blas::inner_product(out, x);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(found.y_norm2[k], norm2[k], 1e-6 * norm2[k]);
      EXPECT_LE(std::abs(found.y_x[k] - product[k]), 1e-6 * norm2[k]);
    }
  }
}

TEST(CoarseOperatorTest, TakesOnlyTheFieldsThatItNeeds) {
  const CoarseCase c{{2, 4, 1, 6}, 3};
  const Lattice lattice = coarse_lattice(c.extents);
  const SlowCoarse slow(random_coarse(c, 1));
  const auto whole = [](const reference::Spinor& values) { return values; };
  const auto x = columns_field(
      lattice, slow, [&](const Coordinates& a) -> const reference::Matrix& { return slow.site_term(a); }, whole);
  std::vector<SpinorField<float>> y;
  for (const int mu : {0, 1, 3}) {
    y.push_back(columns_field(
        lattice, slow, [&](const Coordinates& a) -> const reference::Matrix& { return slow.hop(a, mu, +1); }, whole));
  }
  const CoarseOperator fast(x, y, MultigridPrecision::single);
  expect_form(lattice, slow, fast, SiteTerm::inverse, true, false, 1, coarse_tolerance());
}

TEST(CoarseOperatorTest, InvertsMatricesThatNeedPivots) {
  for (const CoarseCase& c : {CoarseCase{{2, 2, 1, 2}, 3}, CoarseCase{{2, 1, 1, 2}, 24}}) {
    SCOPED_TRACE(name_of(c));
    const Lattice lattice = coarse_lattice(c.extents);
    reference::CoarseOperator op = random_coarse(c, 1);
    const auto n = static_cast<std::size_t>(2 * c.vectors);
    reference::for_each_site(c.extents, [&](const Coordinates& a) {
      const reference::Matrix near_one = op.site_term(a);
      for (std::size_t row = 0; row < n; ++row) {  // 1 becomes a cycle of length n
        for (std::size_t column = 0; column < n; ++column)
          op.site_term(a)((row + 1) % n, column) = near_one(row, column);
      }
    });
    const SlowCoarse slow(op);
    const CoarseOperator fast = make_coarse(lattice, slow);
    EXPECT_EQ(fast.singular_sites(), 0);
    const Values in = random_values(slow, 2, 3);
    SpinorField<float> field = field_of(lattice, in, Subset::odd);
    fast.apply_site_term(field, field, SiteTerm::inverse, false);
    expect_near(field, for_each_of(in, [&](const auto& v) { return slow.divide(on_parity(lattice, v, Parity::odd)); }),
                coarse_tolerance());
  }
}

TEST(CoarseOperatorTest, CountsSingularSites) {
  const CoarseCase c{{2, 2, 2, 4}, 4};
  const Lattice lattice = coarse_lattice(c.extents);
  reference::CoarseOperator slow = random_coarse(c, 1);
  slow.site_term({1, 0, 1, 2}) = reference::Matrix(8, 8);
  for (std::size_t row = 0; row < 8; ++row) {  // two equal columns, and two equal rows
    slow.site_term({0, 0, 1, 2})(row, 5) = slow.site_term({0, 0, 1, 2})(row, 2);
    slow.site_term({1, 1, 1, 3})(6, row) = slow.site_term({1, 1, 1, 3})(1, row);
  }
  slow.site_term({0, 1, 0, 0})(3, 3) = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t row = 0; row < 4; ++row) {  // needs pivots, and has them
    for (std::size_t column = 0; column < 8; ++column) {
      std::swap(slow.site_term({0, 0, 0, 1})(row, column), slow.site_term({0, 0, 0, 1})(row + 4, column));
    }
  }
  const CoarseOperator fast = make_coarse(lattice, slow);
  EXPECT_EQ(fast.singular_sites(), 4);
  const auto values = random_values(slow, 1, 3);
  SpinorField<float> out = field_of(lattice, values, Subset::even);
  fast.apply_site_term(out, out, SiteTerm::inverse, false);
  EXPECT_TRUE(std::isfinite(blas::norm2(out)[0]));
}

TEST(CoarseOperatorTest, CountsItsCosts) {
  const CoarseCase c{{2, 4, 1, 6}, 8};
  const Lattice lattice = coarse_lattice(c.extents);
  const reference::CoarseOperator slow = random_coarse(c, 1);
  const CoarseOperator fast = make_coarse(lattice, slow),
                       half_links = make_coarse(lattice, slow, MultigridPrecision::half);
  // 24 sites of a parity, 6 links, n = 16.
  EXPECT_EQ(fast.hop_flops(SiteTerm::inverse, false), 24 * (6 * 8 * 256 - 32));
  EXPECT_EQ(fast.hop_flops(SiteTerm::none, true), 24 * (7 * 8 * 256 - 64 + 64));
  EXPECT_EQ(fast.site_term_flops(), 24 * (8 * 256 - 32));
  EXPECT_EQ(fast.flops(), 2 * fast.hop_flops(SiteTerm::diagonal, true));
  EXPECT_EQ(fast.hop_bytes(SiteTerm::inverse, true), 24.0 * sizeof(float) * (6 * 512 + 3 * 32));
  EXPECT_EQ(fast.site_term_bytes(), 24.0 * sizeof(float) * (512 + 2 * 32));
  EXPECT_EQ(half_links.hop_bytes(SiteTerm::inverse, false), 24.0 * (6 * (1024 + 4) + 64.0 * sizeof(float)));
}

TEST(CoarseOperatorTest, RefusesWhatItCannotDo) {
  const CoarseCase c{{2, 2, 2, 2}, 3};
  const Lattice lattice = coarse_lattice(c.extents);
  const reference::CoarseOperator slow = random_coarse(c, 1);
  const CoarseOperator fast = make_coarse(lattice, slow);
  const SpinorParameters even{.spins = 2, .colors = 3, .subset = Subset::even},
      odd{.spins = 2, .colors = 3, .subset = Subset::odd};
  SpinorField<float> out(lattice, even), in(lattice, odd), full(lattice, {.spins = 2, .colors = 3});
  SpinorField<float> wide(lattice, {.spins = 2, .colors = 4, .subset = Subset::odd});
  SpinorField<float> elsewhere(coarse_lattice({2, 2, 2, 4}), odd);
  SpinorField<float> two(lattice, {.spins = 2, .colors = 3, .subset = Subset::odd, .right_hand_sides = 2});
  KAON_EXPECT_ERROR(fast.hop(out, wide, {}), "2 spins and 3 colours, not 2 and 4");
  KAON_EXPECT_ERROR(fast.hop(out, elsewhere, {}), "different lattices");
  KAON_EXPECT_ERROR(fast.hop(out, full, {}), "one parity of a field, not on all sites");
  KAON_EXPECT_ERROR(fast.hop(out, out.range(0, 1), {}), "an even and an odd field");
  KAON_EXPECT_ERROR(fast.hop(out, two, {}), "output has 1 right-hand sides and its input 2");
  KAON_EXPECT_ERROR(fast.hop(out, in, {.x = &in}), "x must have the output's");
  KAON_EXPECT_ERROR(fast.hop(out, in, {.term = SiteTerm::diagonal}), "needs x");
  KAON_EXPECT_ERROR(fast.hop(out, in, {.dagger = true}), "no adjoint of its own");
  KAON_EXPECT_ERROR(adjointable(fast), "this operator has no adjoint");
  KAON_EXPECT_ERROR(fast.apply_site_term(out, out, SiteTerm::none, false), "say which");
  KAON_EXPECT_ERROR(fast.apply_site_term(out, in, SiteTerm::diagonal, false), "output and input of X");
  KAON_EXPECT_ERROR(fast.hop_along(out, in, 4), "directions are 0 to 3");
  SpinorField<float> x(lattice, {.spins = 2, .colors = 3, .right_hand_sides = 6});
  std::vector<SpinorField<float>> y;
  KAON_EXPECT_ERROR(CoarseOperator(full, y, MultigridPrecision::single), "2 N right-hand sides");
  KAON_EXPECT_ERROR(CoarseOperator(x, y, MultigridPrecision::single), "needs 4 fields Y");
  for (int mu = 0; mu < 4; ++mu)
    y.emplace_back(lattice, SpinorParameters{.spins = 2, .colors = 3, .right_hand_sides = 5});
  KAON_EXPECT_ERROR(CoarseOperator(x, y, MultigridPrecision::single), "Y of a coarse operator must have");
  const Lattice one = coarse_lattice({3, 1, 1, 1});
  const CoarseOperator odd_extent = make_coarse(one, random_coarse({{3, 1, 1, 1}, 3}, 1));
  SpinorField<float> same(one, {.spins = 2, .colors = 3});
  KAON_EXPECT_ERROR(odd_extent.hop(same, same, {}), "output must not be its input");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
