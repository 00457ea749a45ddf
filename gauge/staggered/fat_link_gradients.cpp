// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/near_launch.hpp"
#include "gauge/staggered/fat_link_gradient_kernels.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
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
      run_near("kaon::first_staples", lattice, detail::FirstStaples<Access>{a.node, x.access(), a, mu});
      run_near("kaon::gradient_staples", lattice,
               detail::GradientStaples<Access>{a.node, gradient_x.access(), a, b, mu});
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
