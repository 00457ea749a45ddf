// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/staggered/fat_link_kernels.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace detail {
namespace {

// The passes of `fat_links` backwards. S changes by Re tr(Y^dag dF). Each staple S_nu(X) is linear and self-adjoint in
// X, and its links take B_nu(Y, X) (`add_staple_adjoint`), sums of the shape of a staple in direction mu.

/// G_mu += (one - 6 lepage) Y_mu + sum_nu (three X'_nu + S_nu(T'_nu)). 2664 flops.
template <class Links>
struct GradientAlong {
  using V = typename Links::Value;
  static constexpr int calls = 2;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, gradient, x, t;
  PathCoefficients weights;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int parity = first; parity < last; ++parity) {
      const auto site = links.start(index, parity);
      const auto ahead = links.step(site, mu, +1);
      ColorMatrix<V> sum = zero_matrix<V>();
      add_multiple(sum, weights.one_link - 6.0 * weights.lepage, gradient.load(site, mu));
      for (int nu = 0; nu < 3; ++nu) {
        add_multiple(sum, weights.three_staple, x.load(site, nu));
        add_staple(sum, links, t, nu, site, ahead, across.direction(nu));
      }
      sums.add(1.0, sum, index, parity, mu);
    }
  }
};

/// G_nu += B_nu(Y_mu, T_nu) + B_nu(T'_nu, U_mu) + seven (B_nu(X'_rho, X_sigma) + B_nu(X'_sigma, X_rho)). 6696 flops.
template <class Links>
struct GradientAcross {
  using V = typename Links::Value;
  static constexpr int calls = 6;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, x, t;                       ///< of `fat_links`
  Links gradient, gradient_x, gradient_t;  ///< Y, X', T'
  PathCoefficients weights;
  int mu;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const DirectionsAcross across{mu};
    for (int n = first; n < last; ++n) {
      const int number = n % 3, rho = DirectionsAcross::next(number), sigma = DirectionsAcross::next(rho);
      const int nu = across.direction(number);
      const auto site = links.start(index, n / 3);
      const auto ahead = links.step(site, nu, +1);
      ColorMatrix<V> sevens = zero_matrix<V>(), sum = zero_matrix<V>();
      add_staple_adjoint(sevens, links, {gradient_x, rho}, {x, sigma}, site, ahead, mu, nu);
      add_staple_adjoint(sevens, links, {gradient_x, sigma}, {x, rho}, site, ahead, mu, nu);
      add_multiple(sum, weights.seven_staple, sevens);
      add_staple_adjoint(sum, links, {gradient, mu}, {t, number}, site, ahead, mu, nu);
      add_staple_adjoint(sum, links, {gradient_t, number}, {links, mu}, site, ahead, mu, nu);
      sums.add(1.0, sum, index, n / 3, nu);
    }
  }
};

/// G_mu(x) += weight (N(x) T(x+2)^dag U(x+1)^dag + ...): U is the first, the second and the third link of third links.
/// 1260 flops.
template <class Links>
struct ThirdGradient {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearSums<double, V> sums;
  Links links, gradient;
  double weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4;
      const auto site = links.start(index, n / 4);
      const auto next = links.step(site, mu, +1), previous = links.step(site, mu, -1);
      const auto before = links.step(previous, mu, -1);
      ColorMatrix<V> sum = zero_matrix<V>();
      const ColorMatrix<V> behind = links.load(previous, mu), ahead = links.load(next, mu);
      add_third(sum, gradient.load(site, mu), ahead, links.load(links.step(next, mu, +1), mu));
      add_middle(sum, behind, gradient.load(previous, mu), ahead);
      add_last(sum, links.load(before, mu), behind, gradient.load(before, mu));
      sums.add(weight, sum, index, n / 4, mu);
    }
  }

 private:
  /// sum += y (a b)^dag
  KAON_KERNEL_PART static void add_third(ColorMatrix<V>& sum, const ColorMatrix<V>& y, const ColorMatrix<V>& a,
                                         const ColorMatrix<V>& b) {
    sum = sum + times_adjoint(y, a * b);
  }
  /// sum += a^dag y b^dag
  KAON_KERNEL_PART static void add_middle(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& y,
                                          const ColorMatrix<V>& b) {
    sum = sum + times_adjoint(adjoint_times(a, y), b);
  }
  /// sum += (a b)^dag y
  KAON_KERNEL_PART static void add_last(ColorMatrix<V>& sum, const ColorMatrix<V>& a, const ColorMatrix<V>& b,
                                        const ColorMatrix<V>& y) {
    sum = sum + adjoint_times(a * b, y);
  }
};

}  // namespace
}  // namespace detail

namespace {

using detail::NearSums;

void require_fields(const GaugeField<double>& sum, const GaugeField<double>& links, const GaugeField<double>& given) {
  for (const GaugeField<double>* field : {&sum, &links, &given}) {
    detail::require_storage(field->storage(), LinkStorage::full);
    require(field->lattice() == links.lattice(), "links and gradients must lie on one lattice");
  }
  require(sum.data() != given.data() && sum.data() != links.data(),
          "a gradient cannot take the place of what it is made of");
}

}  // namespace

void detail::add_multiple(GaugeField<double>& sum, double factor, const GaugeField<double>& a) {
  const Kokkos::View<double*, Memory, Kokkos::MemoryUnmanaged> to(sum.data(), sum.size());
  const Kokkos::View<const double*, Memory, Kokkos::MemoryUnmanaged> from(a.data(), a.size());
  Kokkos::parallel_for(
      "kaon::add_links",
      Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>>(sum.lattice().execution(), 0, sum.size()),
      KOKKOS_LAMBDA(const std::size_t k) { to(k) += factor * from(k); });
}

void add_fat_links_gradient(GaugeField<double>& sum, const GaugeField<double>& links,
                            const PathCoefficients& coefficients, const GaugeField<double>& of_fat) {
  require_fields(sum, links, of_fat);
  const PathCoefficients& c = coefficients;
  require(std::isfinite(c.one_link + c.three_staple + c.five_staple + c.seven_staple + c.lepage),
          "path coefficients must be finite");
  if (c.lepage != 0.0) detail::require_unitary(links, "the gradient of Lepage's staple");
  const bool has_staples = c.three_staple != 0.0 || c.five_staple != 0.0 || c.seven_staple != 0.0 || c.lepage != 0.0;
  if (!has_staples) return detail::add_multiple(sum, c.one_link, of_fat);
  PathCoefficients without_three = c;
  without_three.three_staple = 0.0;
  const Lattice& lattice = links.lattice();
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links), y(of_fat);
    Matrices x(lattice, 3), t(lattice, 3), gradient_x(lattice, 3), gradient_t(lattice, 3);
    const NearSums<double, typename Access::Value> out(sum);
    const Access &a = u.access(), &b = y.access();
    for (int mu = 0; mu < directions; ++mu) {
      run_near("kaon::first_staples", lattice, detail::FirstStaples<Access>{a.node, x.access(), a, a, mu});
      run_near("kaon::gradient_staples", lattice, detail::FirstStaples<Access>{a.node, gradient_x.access(), a, b, mu});
      x.exchange();
      gradient_x.exchange();
      run_near("kaon::second_staples", lattice,
               detail::SecondStaples<Access>{a.node, t.access(), a, x.access(), c, mu});
      run_near("kaon::second_staples", lattice,
               detail::SecondStaples<Access>{a.node, gradient_t.access(), a, gradient_x.access(), without_three, mu});
      t.exchange();
      gradient_t.exchange();
      run_near("kaon::gradient_along", lattice,
               detail::GradientAlong<Access>{a.node, out, a, b, gradient_x.access(), gradient_t.access(), c, mu});
      run_near("kaon::gradient_across", lattice,
               detail::GradientAcross<Access>{a.node, out, a, x.access(), t.access(), b, gradient_x.access(),
                                              gradient_t.access(), c, mu});
    }
  });
}

void add_third_links_gradient(GaugeField<double>& sum, const GaugeField<double>& links, double weight,
                              const GaugeField<double>& of_third) {
  require_fields(sum, links, of_third);
  require(std::isfinite(weight), [&] { return fmt::format("the weight {} of third links is not finite", weight); });
  const Lattice& lattice = links.lattice();
  constexpr int layers = 2;
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links, layers), y(of_third, layers);
    const NearSums<double, typename Access::Value> out(sum);
    run_near("kaon::third_gradient", lattice,
             detail::ThirdGradient<Access>{u.access().node, out, u.access(), y.access(), weight});
  });
}

}  // namespace kaon
