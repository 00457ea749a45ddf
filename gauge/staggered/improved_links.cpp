// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>

#include "gauge/staggered/fat_links.hpp"
#include "gauge/staggered/u3_projection.hpp"

namespace kaon {
namespace {

/// out = a + factor b
GaugeField<double> add_multiple(const GaugeField<double>& a, double factor, const GaugeField<double>& b) {
  GaugeField<double> out(a.lattice());
  double* const to = out.data();
  const double *const x = a.data(), *const y = b.data();
  const Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>> numbers(a.lattice().execution(), 0, out.size());
  Kokkos::parallel_for(
      "kaon::add_links", numbers, KOKKOS_LAMBDA(const std::size_t k) { to[k] = x[k] + factor * y[k]; });
  return out;
}

}  // namespace

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
    GaugeField<double> fat = improved.empty()
                                 ? detail::fat_links_of_unitary(w, level)
                                 : add_multiple(improved.front().fat, level.one_link - levels.front().one_link, w);
    improved.push_back({std::move(fat), third.share(), level.third});
  }
  return improved;
}

ImprovedLinks hisq_links(const GaugeField<double>& links, double naik_epsilon) {
  return std::move(hisq_links(links, std::span(&naik_epsilon, 1)).front());
}

}  // namespace kaon
