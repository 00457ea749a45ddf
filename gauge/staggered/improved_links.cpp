// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace kaon {

ImprovedLinks asqtad_links(const GaugeField<double>& links, double u0) {
  const PathCoefficients coefficients = asqtad_coefficients(u0);
  return {fat_links(links, coefficients), third_links(links), coefficients.third};
}

std::vector<ImprovedLinks> hisq_links(const GaugeField<double>& links, std::span<const double> naik_epsilons) {
  std::vector<PathCoefficients> levels;
  for (const double epsilon : naik_epsilons) levels.push_back(hisq_coefficients(epsilon));
  std::vector<ImprovedLinks> improved;
  if (levels.empty()) return improved;
  GaugeField<double> w = fat_links(links, fat7_coefficients());
  detail::project_to_u3(w, w);
  const GaugeField<double> third = third_links(w);
  for (const PathCoefficients& level : levels) {
    GaugeField<double> fat = improved.empty() ? detail::fat_links_of_unitary(w, level) : improved.front().fat.clone();
    if (!improved.empty()) detail::add_multiple(fat, level.one_link - levels.front().one_link, w);
    improved.push_back({std::move(fat), third.share(), level.third});
  }
  return improved;
}

ImprovedLinks hisq_links(const GaugeField<double>& links, double naik_epsilon) {
  return std::move(hisq_links(links, std::span(&naik_epsilon, 1)).front());
}

namespace {

/// out = factor links
GaugeField<double> multiple(const GaugeField<double>& links, double factor) {
  GaugeField<double> out(links.lattice());
  double* const to = out.data();
  const double* const from = links.data();
  const Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>> numbers(links.lattice().execution(), 0,
                                                                               out.size());
  Kokkos::parallel_for(
      "kaon::scale_links", numbers, KOKKOS_LAMBDA(const std::size_t k) { to[k] = factor * from[k]; });
  return out;
}

/// values(0, x) = sum_mu |U_mu(x)|^2
struct NormKernel {
  detail::SiteGauge<double> links;
  detail::EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double sum = 0.0;
    for (int mu = 0; mu < 4; ++mu) sum += norm2(links.load(x, mu));
    values(0, detail::local_number(links.map, x)) = sum;
  }
};

/// The w > 0 with sum |U_ij|^2 = 3 n w^2 over n links.
double weight_of(const GaugeField<double>& links) {
  const std::vector<double> sums =
      detail::ordered_site_sums<double>("kaon::long_link_weight", links.lattice(), 1, [&](const auto& values) {
        return NormKernel{detail::site_access(links), values};
      });
  return std::sqrt(sums[0] / (3.0 * directions * static_cast<double>(links.lattice().volume())));
}

/// Re det L / |det L| at each site: the sum over spatial links, the same with MILC's phases, and of the time link,
/// where it remains on the lattice and where it leads over the edge.
struct SignKernel {
  detail::SiteGauge<double> links;
  detail::EntryValues values;

  KOKKOS_FUNCTION double sign(const int (&x)[4], int mu) const {
    const detail::Complex<double> determinant = detail::determinant(links.load(x, mu));
    const double size = Kokkos::sqrt(norm2(determinant));
    return size > 0.0 ? determinant.re / size : 0.0;
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    double sum = 0.0, with_phases = 0.0;
    int odd = x[3];  // origins are even
    for (int mu = 0; mu < 3; ++mu) {
      const double own = sign(x, mu);
      sum += own;
      with_phases += odd % 2 == 0 ? own : -own;
      odd += x[mu];
    }
    const bool leaves = x[3] + links.map.origin[3] + 3 >= links.map.global[3];
    const double in_time = sign(x, 3);
    const int number = detail::local_number(links.map, x);
    values(0, number) = sum;
    values(1, number) = with_phases;
    values(2, number) = leaves ? 0.0 : in_time;
    values(3, number) = leaves ? in_time : 0.0;
  }
};

void require_full(const GaugeField<double>& links) {
  require(links.storage() == LinkStorage::full, "long links are made of links in 18 reals: these are compressed");
}

}  // namespace

GaugeField<double> long_links(const ImprovedLinks& links) {
  require_full(links.third);
  return multiple(links.third, links.third_weight);
}

double detail::distance_from_multiple_of_unitary(const GaugeField<double>& links) {
  const double weight = weight_of(links);
  if (weight == 0.0) return 0.0;
  if (!std::isnormal(weight)) return std::numeric_limits<double>::infinity();
  return deviation_from_su3(multiple(links, 1.0 / weight)).unitarity.deviation;
}

detail::FoldedSigns detail::signs_in_long_links(const GaugeField<double>& links) {
  const Lattice& lattice = links.lattice();
  const std::vector<double> sums =
      ordered_site_sums<double>("kaon::long_link_signs", lattice, 4, [&](const auto& values) {
        return SignKernel{site_access(links), values};
      });
  const double sites = static_cast<double>(lattice.volume()), over_edge = std::min(1.0, 3.0 / lattice.extents()[3]);
  const std::array<double, 4> links_of{3.0 * sites, 3.0 * sites, (1.0 - over_edge) * sites, over_edge * sites};
  const auto is_clear = [&](std::size_t k) { return std::abs(sums[k]) > 0.5 * links_of[k]; };
  FoldedSigns found;
  if (is_clear(0) != is_clear(1)) found.milc = is_clear(1);
  if (is_clear(2) && is_clear(3)) found.antiperiodic = sums[2] * sums[3] < 0.0;
  return found;
}

ImprovedLinks links_from_long(GaugeField<double> fat, const GaugeField<double>& long_links) {
  require_full(long_links);
  require(fat.lattice() == long_links.lattice(), "fat and long links must lie on one lattice");
  constexpr double tolerance = 1e-5;  // as for storages with a determinant
  const double weight = weight_of(long_links);
  if (std::isnormal(weight)) {
    GaugeField<double> third = multiple(long_links, -1.0 / weight);
    if (deviation_from_su3(third).unitarity.deviation <= tolerance) {
      return {std::move(fat), std::move(third), -weight};
    }
  }
  return {std::move(fat), long_links.clone(), 1.0};
}

}  // namespace kaon
