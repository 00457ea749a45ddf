// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/staggered/fat_links.hpp"

#include "gauge/near_fields.hpp"
#include "gauge/near_launch.hpp"
#include "gauge/staggered/fat_link_kernels.hpp"
#include "gauge/unitary_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::NearLinks;

void require_finite(const PathCoefficients& c) {
  const double sum = c.one_link + c.third + c.three_staple + c.five_staple + c.seven_staple + c.lepage;
  require(std::isfinite(sum), [&] {
    return fmt::format(
        "path coefficients must be finite, not {} (one link), {} (third link), {}, {}, {} (staples of three, five and "
        "seven links), {} (Lepage's staple)",
        c.one_link, c.third, c.three_staple, c.five_staple, c.seven_staple, c.lepage);
  });
}

}  // namespace

GaugeField<double> detail::fat_links_of_unitary(const GaugeField<double>& links, const PathCoefficients& weights) {
  require_storage(links.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  GaugeField<double> fat(lattice);
  with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    Matrices x(lattice, 3), t(lattice, 3);
    const NearLinks<double, typename Access::Value> out(fat);
    for (int mu = 0; mu < directions; ++mu) {
      run_near("kaon::first_staples", lattice, FirstStaples<Access>{u.access().node, x.access(), u.access(), mu});
      x.exchange();
      run_near("kaon::second_staples", lattice,
               SecondStaples<Access>{u.access().node, t.access(), u.access(), x.access(), weights, mu});
      t.exchange();
      run_near("kaon::last_staples", lattice,
               LastStaples<Access>{u.access().node, out, u.access(), t.access(), weights, mu});
    }
  });
  return fat;
}

GaugeField<double> fat_links(const GaugeField<double>& links, const PathCoefficients& coefficients) {
  detail::require_storage(links.storage(), LinkStorage::full);
  require_finite(coefficients);
  if (coefficients.lepage != 0.0) detail::require_unitary(links, "fattening with Lepage's staple");
  return detail::fat_links_of_unitary(links, coefficients);
}

}  // namespace kaon
