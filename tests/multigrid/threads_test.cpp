// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The kernels that GPUs run, by teams of two threads on a host.
#include "multigrid/dense/gram_kernel.hpp"
#include "multigrid/dense/panel_elimination.hpp"
#include "multigrid/transfer/block_qr_kernel.hpp"
#include "multigrid/transfer/transfer_kernels.hpp"
#include "tests/multigrid/transfer_cases.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

namespace kaon::test {
namespace KAON_TEST_FILE {

#if !defined(KAON_CUDA_LAUNCHER)

constexpr int threads = 2;

template <class Kernel>
void run_teams_of_threads(int teams, const Kernel& kernel) {
  Kokkos::TeamPolicy<Execution> policy(teams, threads);
  policy.set_scratch_size(detail::scratch_level, Kokkos::PerTeam(kernel.team_bytes + 64));
  Kokkos::parallel_for("kaon::test", policy, kernel);
  Kokkos::fence("kaon::test");
}

class TransfersByThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    if (on_device || Execution().concurrency() < threads) GTEST_SKIP() << "needs two threads of a host";
  }
};
using TransferPrecisions = ::testing::Types<double, float>;
TYPED_TEST_SUITE(TransfersByThreads, TransferPrecisions);

/// One column a pack, as on GPUs: odd and even numbers of vectors, aggregates of even and odd numbers of sites, one
/// parity.
const TransferGeometry thread_geometries[] = {{"unequal", {4, 6, 2, 8}, {}, {2, 3, 1, 4}, 3, 5},
                                              {"pairs of columns", {4, 6, 2, 8}, {}, {2, 3, 1, 4}, 3, 6},
                                              {"odd aggregates", {6, 6, 2, 6}, {}, {3, 3, 1, 3}, 3, 7},
                                              {"one parity", {12, 4, 4, 4}, {{4, 2, 2, 2}}, {3, 1, 1, 2}, 8, 3}};

/// Basis V from the team kernel, to compare with the host kernel.
struct ByThreads {
  explicit ByThreads(const TransferCase& c) : aggregation(c.aggregation) {
    const int n = c.geometry.vectors, rows = c.vectors.components() / 2;
    const auto sites = static_cast<int>(volume_of(c.geometry.block));
    const auto matrices = static_cast<std::size_t>(2 * aggregation.coarse().local_volume());
    v.resize(matrices * static_cast<std::size_t>(2 * n * rows * sites));
    basis = {v.data(), n, rows, sites, nullptr};
    detail::take_vectors(basis, aggregation, c.vectors);

    using Kernel = detail::BlockQrKernel<float, true>;
    constexpr int rows_at_once = 11;  // not all of them, nor a divisor of their number
    std::vector<double> work(Kernel::work_size(n) * matrices), pivots(matrices, 1.0);
    std::vector<int> replacements(matrices, 0);
    run_teams_of_threads(static_cast<int>(matrices),
                         Kernel{aggregation.sites(), basis, detail::SiteMap::of<float>(aggregation.fine()), work.data(),
                                pivots.data(), replacements.data(), detail::smallest_independent_pivot, 0, rows_at_once,
                                Kernel::bytes(n, rows_at_once)});
    smallest_pivot = *std::min_element(pivots.begin(), pivots.end());
    for (const int of_matrix : replacements) replaced += of_matrix;
  }

  /// Restricts along mu in two ranges and two passes, with team memory for two sites.
  void restrict_along(SpinorField<float>& inside, SpinorField<float>& across, const SpinorField<float>& in,
                      int mu) const {
    constexpr int K = 3;
    detail::RestrictKernel<float, float, K, true> kernel{};
    kernel.sites = aggregation.sites();
    kernel.basis = basis;
    kernel.fine = detail::site_components(in);
    kernel.right_hand_sides = in.right_hand_sides();
    kernel.passes = (in.right_hand_sides() + K - 1) / K;
    kernel.group = 1;
    kernel.ranges = 2;
    kernel.range[0] = aggregation.inside(mu);
    kernel.range[1] = aggregation.across(mu);
    kernel.coarse[0] = detail::site_components(inside);
    kernel.coarse[1] = detail::site_components(across);
    kernel.chunk = 2;
    const std::size_t of_row = K * 2 * sizeof(float) + sizeof(int),
                      of_thread = detail::thread_columns<float> * K * 2 * sizeof(float);
    kernel.team_bytes =
        static_cast<int>(std::max(2 * static_cast<std::size_t>(basis.site_rows) * of_row, threads * of_thread));
    run_teams_of_threads(kernel.sites.aggregates * 2 * 2 * kernel.passes, kernel);
  }

  const detail::Aggregation& aggregation;
  std::vector<float> v;
  detail::BasisMatrices<float> basis{};
  double smallest_pivot = 1.0;
  int replaced = 0;
};

TEST(TransfersByThreads, AreThoseOfAHost) {
  for (const TransferGeometry& geometry : thread_geometries) {
    SCOPED_TRACE(geometry.name);
    // Noise replaces vector 1.
    SpinorField<float> vectors = noise(geometry.fine(), geometry.fine_shape(geometry.vectors), 8);
    vectors.from_host(vectors.to_host(0), 1);
    const TransferCase c(geometry, std::move(vectors));
    const ByThreads by_threads(c);
    EXPECT_EQ(by_threads.replaced, c.transfer.replaced());
    EXPECT_GT(by_threads.replaced, 0);
    EXPECT_LT(std::abs(by_threads.smallest_pivot - c.transfer.smallest_pivot()), transfer_tolerance());
    const SpinorField<float> psi = c.fine_noise(5);
    for (int mu = 0; mu < directions; ++mu) {
      SpinorField<float> inside = c.coarse_noise(5), across = c.coarse_noise(5);
      SpinorField<float> expected_inside = c.coarse_field(5), expected_across = c.coarse_field(5);
      by_threads.restrict_along(inside, across, psi, mu);
      c.transfer.restrict_along(expected_inside, expected_across, psi, mu);
      for (int k = 0; k < 5; ++k) {
        const Values sum = reference::add(expected_inside.to_host(k), 1.0, expected_across.to_host(k));
        const double allowed = transfer_tolerance() * std::sqrt(reference::norm2(sum));
        const auto expect_values = [&](const SpinorField<float>& found, const SpinorField<float>& expected) {
          const Values difference = reference::add(found.to_host(k), -1.0, expected.to_host(k));
          EXPECT_LE(std::sqrt(reference::norm2(difference)), allowed) << "direction " << mu;
        };
        expect_values(inside, expected_inside);
        expect_values(across, expected_across);
      }
    }
  }
}

/// Products of all pairs of fields, in chunks that do not divide the rows.
TEST(TransfersByThreads, AddUpProductsOfFields) {
  for (const TransferGeometry& geometry : thread_geometries) {
    SCOPED_TRACE(geometry.name);
    const TransferCase c(geometry);
    SpinorField<float> fields = c.coarse_noise(5);
    const auto rows = detail::RowsOfFields::of(fields);
    constexpr int pairs = 15, chunk = 7;
    const int rows_of_team = 3 * chunk, teams = (rows.rows + rows_of_team - 1) / rows_of_team;
    std::vector<double> sums(static_cast<std::size_t>(2 * pairs * teams));
    run_teams_of_threads(teams,
                         detail::GramOfRows{rows, sums.data(), pairs, rows_of_team, chunk, chunk * rows.vectors * 16});
    for (int j = 0; j < 5; ++j) {
      const Values b_j = fields.to_host(j);
      for (int i = 0; i <= j; ++i) {
        const Values b_i = fields.to_host(i);
        std::complex<double> expected = 0.0, found = 0.0;
        for (std::size_t k = 0; k < b_i.size(); ++k) expected += std::conj(b_i[k]) * b_j[k];
        for (int team = 0; team < teams; ++team) {
          const auto at = static_cast<std::size_t>(2 * (team * pairs + detail::number_of_pair(i, j)));
          found += std::complex<double>(sums[at], sums[at + 1]);
        }
        EXPECT_LE(std::abs(found - expected), 1e-12 * reference::norm2(b_j)) << i << " " << j;
      }
    }
  }
}

/// A panel of a matrix of noise, eliminated.
struct EliminatedPanel {
  std::vector<double> matrix;
  std::vector<int> pivot_rows;
  int singular = 0;
};
template <int R>
EliminatedPanel eliminated_panel(int threads_of_team, int dimension, const detail::Panel& panel) {
  EliminatedPanel result;
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 2 * dimension * dimension; ++k) result.matrix.push_back(normal(generator));
  result.pivot_rows.assign(static_cast<std::size_t>(dimension), -1);
  using Kernel = detail::EliminatePanel<R>;
  const Kernel kernel{{result.matrix.data(), dimension}, panel, 1e-12, result.pivot_rows.data(), &result.singular,
                      Kernel::bytes(threads_of_team)};
  Kokkos::TeamPolicy<Execution> policy(1, threads_of_team);
  policy.set_scratch_size(detail::scratch_level, Kokkos::PerTeam(kernel.team_bytes + 64));
  Kokkos::parallel_for("kaon::test", policy, kernel);
  Kokkos::fence("kaon::test");
  return result;
}

void expect_equal_panels(const EliminatedPanel& found, const EliminatedPanel& expected) {
  EXPECT_EQ(found.pivot_rows, expected.pivot_rows);
  EXPECT_EQ(found.singular, 0);
  ASSERT_EQ(found.matrix.size(), expected.matrix.size());
  for (std::size_t k = 0; k < found.matrix.size(); ++k) {
    EXPECT_NEAR(found.matrix[k], expected.matrix[k], 1e-12 * (1.0 + std::abs(expected.matrix[k]))) << k;
  }
}

// Rows in registers and in memory; more of them than threads, in panels that are full and not.
TEST(PanelsByThreads, AreThoseOfOneThread) {
  if (on_device || Execution().concurrency() < threads) GTEST_SKIP() << "needs two threads of a host";
  constexpr int dimension = 37;
  for (const detail::Panel& panel : {detail::Panel{0, 8}, detail::Panel{8, 8}, detail::Panel{32, 5}}) {
    const EliminatedPanel expected = eliminated_panel<0>(1, dimension, panel);
    expect_equal_panels(eliminated_panel<0>(threads, dimension, panel), expected);
    expect_equal_panels(eliminated_panel<64>(1, dimension, panel), expected);
    expect_equal_panels(eliminated_panel<19>(threads, dimension, panel), expected);
  }
}

/// The largest of 100 candidates, the first of equal ones.
struct FindLargest {
  detail::PivotSearch search;
  const double* sizes;
  int* found;

  KOKKOS_FUNCTION void operator()(const detail::Team& team) const {
    detail::PivotCandidate best{-1.0, 0};
    for (int row = team.team_rank(); row < 100; row += team.team_size()) best.take({sizes[row], row});
    found[team.team_rank()] = search.largest(team, best).row;
  }
};

TEST(PanelsByThreads, FindTheFirstOfEqualPivots) {
  if (on_device || Execution().concurrency() < threads) GTEST_SKIP() << "needs two threads of a host";
  for (const int first : {3, 4}) {
    std::vector<double> sizes(100, 1.0), of_threads(threads);
    for (const int row : {first, first + 1, first + 50, 99}) sizes[static_cast<std::size_t>(row)] = 2.0;
    std::vector<int> rows(threads), found(threads);
    Kokkos::parallel_for("kaon::test", Kokkos::TeamPolicy<Execution>(1, threads),
                         FindLargest{{of_threads.data(), rows.data()}, sizes.data(), found.data()});
    Kokkos::fence("kaon::test");
    EXPECT_EQ(found, std::vector<int>(threads, first));
  }
}

#endif

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
