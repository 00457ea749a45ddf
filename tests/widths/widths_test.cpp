// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/slice_matrix.hpp"
#include "operators/stencil/halo_send_launch.hpp"
#include "operators/stencil/stencil_launch.hpp"
#include "operators/wilson/wilson_hop.hpp"
#include "tests/multigrid/coarse_cases.hpp"
#include "tests/multigrid/transfer_cases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <limits>

// Kernels of each kind in packs of KAON_PACK_BYTES, as processors with such registers run them: at the largest numbers
// of slices, right-hand sides and coarse vectors, on which the memory of a team depends. One lane is the reference.

namespace kaon::test {
namespace {

constexpr Coordinates extents{4, 4, 4, 4};

template <class T>
double rounding() {
  if constexpr (std::is_same_v<T, half>) {
    return 1e-4;
  } else {
    return std::numeric_limits<T>::epsilon();
  }
}

/// Gaussian noise, which does not depend on lanes.
template <class T>
SpinorField<T> noise_on(Lanes lanes, const SpinorParameters& shape, std::uint32_t stream = 0) {
  const Lattice lattice({.extents = extents, .lanes = lanes});
  SpinorField<double> wide(lattice, shape);
  set_gaussian(wide, {.seed = 7, .stream = stream});
  SpinorField<T> field(lattice, shape);
  blas::copy(field, wide);
  return field;
}

template <class T>
void expect_close_fields(const SpinorField<T>& found, const SpinorField<T>& expected) {
  for (int k = 0; k < found.right_hand_sides(); ++k) {
    EXPECT_LE(reference::relative_difference(found.to_host(k), expected.to_host(k)), 10.0 * rounding<T>()) << k;
  }
}

/// Expects act(out, in, x) to do the same to fields with native lanes and to fields with one.
template <class T, class Act>
void expect_same_in_all_lanes(const SpinorParameters& shape_of_in, const SpinorParameters& shape_of_out,
                              const Act& act) {
  const SpinorField<T> in = noise_on<T>(Lanes::native, shape_of_in), one_in = noise_on<T>(Lanes::single, shape_of_in);
  const SpinorField<T> x = noise_on<T>(Lanes::native, shape_of_out, 1);
  const SpinorField<T> one_x = noise_on<T>(Lanes::single, shape_of_out, 1);
  SpinorField<T> out(x.lattice(), shape_of_out), one_out(one_x.lattice(), shape_of_out);
  act([&](const auto& step) {
    step(out, in, x);
    step(one_out, one_in, one_x);
    expect_close_fields(out, one_out);
  });
}

TEST(Widths, AreThoseOfTheDefinition) {
  const Lattice lattice({.extents = extents});
  EXPECT_EQ(lattice.lane_count<float>(), KAON_PACK_BYTES / static_cast<int>(sizeof(float)));
  EXPECT_EQ(lattice.lane_count<double>(), KAON_PACK_BYTES / static_cast<int>(sizeof(double)));
}

template <class T>
class WidthsOfFields : public ::testing::Test {};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(WidthsOfFields, AllPrecisions);

TYPED_TEST(WidthsOfFields, ApplyMatricesOnSlices) {
  using T = TypeParam;
  for (const auto& [slices, right_hand_sides] : {std::pair{2, 24}, {22, 1}, {64, 1}}) {
    SCOPED_TRACE(slices);
    const SpinorParameters shape{.right_hand_sides = right_hand_sides, .slices = slices};
    const auto all = [count = static_cast<std::size_t>(slices)](std::complex<double> number) {
      return std::vector<std::complex<double>>(count, number);
    };
    expect_same_in_all_lanes<T>(shape, shape, [&](const auto& expect_same) {
      for (const double imaginary : {0.0, 0.2}) {
        const detail::SliceMatrix<T> matrix(
            "A", {all({0.4, imaginary}), all({0.6, -imaginary}), all(1.5), all({0.5, imaginary})}, {0.1, 0.1});
        for (const bool dagger : {false, true}) {
          expect_same([&](auto& out, const auto& in, const auto& x) { matrix.apply(out, in, dagger, 1.3, &x, -0.7); });
        }
      }
    });
  }
}

TYPED_TEST(WidthsOfFields, HopToNeighbours) {
  using T = TypeParam;
  for (const int right_hand_sides : {1, 24}) {
    expect_same_in_all_lanes<T>(
        {.subset = Subset::odd, .right_hand_sides = right_hand_sides},
        {.subset = Subset::even, .right_hand_sides = right_hand_sides}, [&](const auto& expect_same) {
          expect_same([&](auto& out, const auto& in, const auto& x) {
            GaugeField<double> links(in.lattice());
            set_random(links, {.seed = 3});
            const detail::WilsonHop<T> hop(GaugeField<T>(links, LinkStorage::full), detail::WilsonStencil{},
                                           {0.3, -0.7, 1.1, 2.5}, HaloPrecision::field);
            detail::apply_stencil<detail::LinkCodes<detail::FullLinks>>(
                hop, out, in, {.term = SiteTerm::diagonal, .scale = -0.7, .x = &x, .x_scale = 1.3},
                detail::NoSiteTerm{});
          });
        });
  }
}

TYPED_TEST(WidthsOfFields, SumAndUpdateVectors) {
  using T = TypeParam;
  const SpinorParameters shape{.right_hand_sides = 24};
  const std::vector<double> factors(24, -0.5);
  std::vector<blas::Reals> norms;
  expect_same_in_all_lanes<T>(shape, shape, [&](const auto& expect_same) {
    expect_same([&](auto& out, const auto& in, const auto& x) {
      blas::copy(out, x);
      blas::axpy(out, in, factors);
      norms.push_back(blas::norm2(out));
    });
  });
  for (std::size_t k = 0; k < factors.size(); ++k) EXPECT_NEAR(norms[0][k] / norms[1][k], 1.0, 10.0 * rounding<T>());
}

TEST(WidthsOfLevels, RestrictAndProlong) {
  constexpr int right_hand_sides = 24;
  for (const TransferGeometry& geometry :
       {TransferGeometry{"lanes of aggregates", {8, 8, 8, 8}, {}, {4, 4, 4, 4}, 3, 96},
        TransferGeometry{"one aggregate", {4, 4, 4, 4}, {}, {4, 4, 4, 4}, 3, 96},
        TransferGeometry{"coarse", {4, 4, 4, 4}, {{2, 2, 2, 2}}, {2, 2, 2, 2}, 96, 96}}) {
    SCOPED_TRACE(geometry.name);
    const TransferCase c(geometry);
    const SpinorField<float> coarse = c.coarse_noise(right_hand_sides);
    SpinorField<float> psi = c.fine_field(right_hand_sides), back = c.coarse_field(right_hand_sides);
    c.transfer.prolong(psi, coarse);
    c.transfer.restrict(back, psi);
    for (const int k : {0, right_hand_sides - 1}) expect_close(back.to_host(k), coarse.to_host(k), "P^dag P c");
  }
}

TEST(WidthsOfLevels, HopOnCoarseLattices) {
  constexpr int right_hand_sides = 24;
  const CoarseCase c{{2, 2, 1, 2}, 96};
  const SlowCoarse slow(random_coarse(c, 5));
  const Lattice lattice = coarse_lattice(c.extents);
  for (const MultigridPrecision links : {MultigridPrecision::single, MultigridPrecision::half}) {
    const CoarseOperator fast = make_coarse(lattice, slow, links);
    const auto in = random_values(slow, right_hand_sides, 7);
    SpinorField<float> out = fast.make_field(right_hand_sides);
    fast.apply(out, field_of(lattice, in, Subset::full));
    expect_near(out, for_each_of(in, [&](const auto& v) { return slow.apply(v); }), coarse_tolerance(links));
  }
}

}  // namespace
}  // namespace kaon::test
