// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/fused_updates.hpp"
#include "core/reductions/pending_reductions.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

using detail::Complex;

constexpr int right_hand_sides = 3;
constexpr int left_out = 1;

/// Scalars that are the first six sums, for all right-hand sides but one.
template <int Scalars>
struct Copy {
  static constexpr int scalars = Scalars, earlier = 0;
  bool declines;
  KOKKOS_INLINE_FUNCTION bool operator()(const detail::ReducedSums& of, const Complex<double>*,
                                         Complex<double>* s) const {
    for (int j = 0; j < scalars; ++j) s[j] = {of.sums[2 * j], of.sums[2 * j + 1]};
    return !declines;
  }
};
template <int Scalars>
Copy<Scalars> copy_of(std::size_t k) {
  return {k == left_out};
}

/// Parts of sums, more than a team adds up, and their sums.
struct Parts {
  explicit Parts(double factor = 1.0) {
    constexpr int parts = 700;
    const auto size = static_cast<std::size_t>(right_hand_sides * parts * detail::site_sums);
    partial = Kokkos::View<double*, Memory>("partial", size);
    const auto host = Kokkos::create_mirror_view(partial);
    total.assign(right_hand_sides * detail::site_sums, 0.0);
    for (std::size_t n = 0; n < size; ++n) {
      host(n) = factor * (0.001 + 1e-6 * static_cast<double>(n % 1009));
      const std::size_t rhs = n / (parts * detail::site_sums);
      total[rhs * detail::site_sums + n % detail::site_sums] += host(n);
    }
    Kokkos::deep_copy(partial, host);
    sums.partial = partial.data();
    sums.parts = parts;
  }
  /// Coefficient j of all right-hand sides.
  blas::Complexes coefficient(std::size_t j) const {
    blas::Complexes values;
    for (std::size_t rhs = 0; rhs < right_hand_sides; ++rhs) {
      const double* const of_rhs = total.data() + rhs * detail::site_sums;
      values.emplace_back(of_rhs[2 * j], of_rhs[2 * j + 1]);
    }
    return values;
  }
  Kokkos::View<double*, Memory> partial;
  std::vector<double> total;
  detail::SiteSums sums;
};

template <class T>
SpinorField<T> noise(const Lattice& lattice, std::uint32_t stream) {
  SpinorField<double> gaussian(lattice, {.subset = Subset::odd, .right_hand_sides = right_hand_sides});
  set_gaussian(gaussian, {.seed = 5, .stream = stream});
  SpinorField<T> field(lattice, gaussian.parameters());
  blas::copy(field, gaussian);
  return field;
}

/// Whether `found` is `expected` to a few roundings, except for the right-hand side that was left out, which is
/// `before` to the last bit.
template <class T>
void expect_field(const SpinorField<T>& found, const SpinorField<T>& expected, const SpinorField<T>& before) {
  const double tolerance = std::is_same_v<T, double> ? 1e-14 : std::is_same_v<T, float> ? 1e-6 : 3e-4;
  for (int k = 0; k < right_hand_sides; ++k) {
    if (k == left_out) {
      EXPECT_EQ(found.to_host(k), before.to_host(k));
      continue;
    }
    const auto is = found.to_host(k), should = expected.to_host(k);
    double difference = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < is.size(); ++i) {
      difference += std::norm(is[i] - should[i]);
      norm += std::norm(should[i]);
    }
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm)) << "right-hand side " << k;
  }
}

template <class T>
class ScalarsOf : public ::testing::Test {
 protected:
  Lattice lattice_{LatticeParameters{.extents = {8, 4, 4, 8}}};
  SpinorField<T> x0_ = noise<T>(lattice_, 0), r0_ = noise<T>(lattice_, 1), p0_ = noise<T>(lattice_, 2),
                 t_ = noise<T>(lattice_, 3), v_ = noise<T>(lattice_, 4);
  SpinorField<T> x_ = noise<T>(lattice_, 0), r_ = noise<T>(lattice_, 1), p_ = noise<T>(lattice_, 2);
  SpinorField<T> x1_ = noise<T>(lattice_, 0), r1_ = noise<T>(lattice_, 1), p1_ = noise<T>(lattice_, 2);

  void reset() {
    for (SpinorField<T>* x : {&x_, &x1_}) blas::copy(*x, x0_);
    for (SpinorField<T>* r : {&r_, &r1_}) blas::copy(*r, r0_);
    for (SpinorField<T>* p : {&p_, &p1_}) blas::copy(*p, p0_);
  }
};
using AllPrecisions = ::testing::Types<double, float, half>;
TYPED_TEST_SUITE(ScalarsOf, AllPrecisions);

TYPED_TEST(ScalarsOf, VectorOperationsTakeWhatKernelsCompute) {
  const Parts parts;
  const blas::Complexes a = parts.coefficient(0), b = parts.coefficient(1), c = parts.coefficient(2);
  blas::Reals a_re, b_re;
  for (std::size_t k = 0; k < right_hand_sides; ++k) {
    a_re.push_back(a[k].real());
    b_re.push_back(b[k].real());
  }
  const auto sums = [&](const auto& function_of) {
    return detail::PartialSums{parts.sums}.reduce(this->lattice_, right_hand_sides, function_of, {},
                                                  detail::AppliedBy::kernels);
  };

  detail::PendingSums made = sums(copy_of<1>);
  const blas::Scalars scalars = made.scalars();
  blas::caxpy(this->x_, this->t_, -scalars);
  for (std::size_t n = 0; n < parts.total.size(); ++n) {
    EXPECT_NEAR(made.wait()[n], parts.total[n], 1e-12 * parts.total[n]);
  }
  for (std::size_t k = 0; k < right_hand_sides; ++k) {
    EXPECT_EQ(scalars.has(k), k != left_out);
    if (k != left_out) {
      EXPECT_EQ(scalars(k), std::complex<double>(made.sum(k, 0), made.sum(k, 1)));
    }
  }
  blas::caxpy(this->x1_, this->t_, -blas::Scalars(a));
  expect_field(this->x_, this->x1_, this->x0_);

  this->reset();
  blas::cg_update(this->x_, this->p_, this->t_, sums(copy_of<2>).scalars());
  blas::cg_update(this->x1_, this->p1_, this->t_, {a_re, b_re});
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->p_, this->p1_, this->p0_);

  this->reset();
  blas::mr_update_norm2(this->x_, this->r_, this->t_, sums(copy_of<1>).scalars());
  blas::mr_update_norm2(this->x1_, this->r1_, this->t_, a);
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->r_, this->r1_, this->r0_);

  this->reset();
  blas::bicgstab_update(this->x_, this->r_, this->p_, this->t_, this->v_, sums(copy_of<3>).scalars());
  blas::bicgstab_update(this->x1_, this->r1_, this->p1_, this->t_, this->v_, {a, b, c});
  expect_field(this->x_, this->x1_, this->x0_);
  expect_field(this->r_, this->r1_, this->r0_);
  expect_field(this->p_, this->p1_, this->p0_);
}

/// The scalar that y = y + a x had, and |y|^2 / 100.
struct Norm {
  static constexpr int scalars = 2, earlier = 1;
  KOKKOS_INLINE_FUNCTION bool operator()(const detail::ReducedSums& of, const Complex<double>* a,
                                         Complex<double>* s) const {
    s[0] = a[0];
    s[1] = {0.01 * of.y_norm2(), 0.0};
    return true;
  }
};

// Scalars of a vector operation's sums, and of scalars that kernels or the host computed before.
TYPED_TEST(ScalarsOf, FunctionsFollowOnSumsOfVectorOperations) {
  const Parts parts;
  blas::Reals a;
  for (const auto& value : parts.coefficient(0)) a.push_back(value.real());
  a[left_out] = detail::declined;
  for (const bool by_kernels : {true, false}) {
    this->reset();
    detail::PendingSums sums = detail::PartialSums{parts.sums}.reduce(this->lattice_, right_hand_sides, copy_of<1>, {},
                                                                      detail::AppliedBy::kernels);
    const blas::Scalars first = by_kernels ? sums.scalars() : blas::Scalars(a);
    detail::PendingSums norms = detail::axpy_norm2(
        this->r_, this->t_, first, [](std::size_t) { return Norm{}; }, first);
    blas::cg_update(this->x_, this->p_, this->r_, norms.scalars());
    norms.wait();
    EXPECT_TRUE(std::isnan(norms.sum(left_out, 0)));
    EXPECT_FALSE(norms.scalars().has(left_out));

    const blas::Reals expected = blas::axpy_norm2(this->r1_, this->t_, a);
    blas::Reals b;
    for (std::size_t k = 0; k < right_hand_sides; ++k) {
      b.push_back(0.01 * expected[k]);
      if (k != left_out) {
        EXPECT_NEAR(norms.sum(k, 0), expected[k], 1e-6 * expected[k]);
        EXPECT_EQ(norms.scalars()(k, 1), 0.01 * norms.sum(k, 0));
      }
    }
    blas::cg_update(this->x1_, this->p1_, this->r1_, {a, b});
    expect_field(this->r_, this->r1_, this->r0_);
    expect_field(this->x_, this->x1_, this->x0_);
    expect_field(this->p_, this->p1_, this->p0_);
  }
}

TYPED_TEST(ScalarsOf, ReductionsOutOfRangeAreDeclined) {
  const detail::SumRange range{.least = 1e-3, .most = 1e3, .with_x = true};
  for (const double factor : {1e-9, 1.0, 1e9}) {
    const Parts parts(factor);
    detail::PendingSums sums = detail::PartialSums{parts.sums, range}.reduce(
        this->lattice_, right_hand_sides, copy_of<1>, {}, detail::AppliedBy::kernels);
    blas::caxpy(this->x_, this->t_, sums.scalars());
    const bool holds = factor == 1.0;
    for (std::size_t k = 0; k < right_hand_sides; ++k) {
      EXPECT_EQ(sums.scalars().has(k), holds && k != left_out);
      if (!holds) {
        EXPECT_EQ(this->x_.to_host(static_cast<int>(k)), this->x0_.to_host(static_cast<int>(k)));
      }
    }
    blas::copy(this->x_, this->x0_);
  }
}

// Pending sums remain separate for any order in which the host waits for them, or if it never does.
TYPED_TEST(ScalarsOf, PendingSumsKeepApart) {
  detail::Workspace& workspace = this->lattice_.workspace();
  const blas::Reals norms[] = {blas::norm2(this->x0_), blas::norm2(this->r0_), blas::norm2(this->p0_)};
  auto of_x = blas::reduce<TypeParam>(this->x0_, nullptr, {});
  {
    auto never = blas::reduce<TypeParam>(this->t_, nullptr, {});
    auto of_r = blas::reduce<TypeParam>(this->r0_, nullptr, {});
    auto of_p = blas::reduce<TypeParam>(this->p0_, nullptr, {});
    EXPECT_EQ(workspace.results_in_flight(), 4);
    EXPECT_EQ(of_p.wait().y_norm2, norms[2]);
    EXPECT_EQ(blas::norm2(this->x0_), norms[0]);
    EXPECT_EQ(of_r.wait().y_norm2, norms[1]);
    EXPECT_EQ(workspace.results_in_flight(), 2);
  }
  for (int again = 0; again < 3; ++again) EXPECT_EQ(blas::norm2(this->r0_), norms[1]);
  EXPECT_EQ(of_x.wait().y_norm2, norms[0]);
  EXPECT_EQ(workspace.results_in_flight(), 0);
}

// Functions whose reductions are not requested cost no result.
TYPED_TEST(ScalarsOf, UnattendedSumsAreNotWaitedFor) {
  const Parts parts;
  const blas::Scalars a =
      detail::PartialSums{parts.sums}
          .reduce(this->lattice_, right_hand_sides, copy_of<1>, {}, detail::AppliedBy::kernels_unattended)
          .scalars();
  blas::caxpy(this->x_, this->t_, a);
  EXPECT_EQ(this->lattice_.workspace().results_in_flight(), 0);
  blas::caxpy(this->x1_, this->t_, parts.coefficient(0));
  expect_field(this->x_, this->x1_, this->x0_);
  for (std::size_t k = 0; k < right_hand_sides; ++k) EXPECT_EQ(a.has(k), k != left_out);  // copied, if requested
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
