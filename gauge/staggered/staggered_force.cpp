// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/all_links.hpp"
#include "gauge/staggered/fat_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/staggered_force.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <optional>
#include <vector>

namespace kaon {
namespace {

/// G = U G^dag. 198 flops.
template <class V>
struct CloseKernel {
  detail::AllLinks<V> gradient, links;

  KOKKOS_FUNCTION void operator()(const int number) const {
    gradient.store(times_adjoint(links.load(number), gradient.load(number)), number);
  }
};

GaugeField<double> closed(GaugeField<double> gradient, const GaugeField<double>& links) {
  detail::for_each_link("kaon::close_gradients", links, [&]<class V>() {
    return CloseKernel<V>{detail::all_links<V>(gradient), detail::all_links<V>(links)};
  });
  return gradient;
}

std::vector<double> multiplied(std::span<const double> values, double factor) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value *= factor;
  return result;
}

}  // namespace

GaugeField<double> staggered_force(const GaugeField<double>& links, const PathCoefficients& coefficients,
                                   const StaggeredForceTerm& term, const StaggeredForceOptions& options) {
  const Lattice& lattice = links.lattice();
  const bool with_third = coefficients.third != 0.0;
  GaugeField<double> one(lattice), gradient(lattice);
  std::optional<GaugeField<double>> third;
  if (with_third) third.emplace(lattice);
  add_outer_products(one, with_third ? *third : gradient, term.vectors, term.residues,
                     multiplied(term.residues, coefficients.third));
  fold_staggered_phases(one, {.antiperiodic = options.antiperiodic});
  if (with_third) fold_staggered_phases(*third, {.antiperiodic = options.antiperiodic, .steps = 3});
  add_fat_links_gradient(gradient, links, coefficients, one);
  if (with_third) add_third_links_gradient(gradient, links, 1.0, *third);
  return closed(std::move(gradient), links);
}

GaugeField<double> hisq_force(const HisqLevels& levels, HisqGradients gradients, double filter) {
  GaugeField<double>& of_w = gradients.one;
  add_fat_links_gradient(of_w, levels.w, levels.second, gradients.fat);
  add_third_links_gradient(of_w, levels.w, 1.0, gradients.third);
  const GaugeField<double> of_v = u3_projection_gradient(levels.v, of_w, filter);
  GaugeField<double> gradient(levels.u.lattice());
  add_fat_links_gradient(gradient, levels.u, levels.first, of_v);
  return closed(std::move(gradient), levels.u);
}

GaugeField<double> hisq_force(const GaugeField<double>& links, std::span<const StaggeredForceTerm> terms,
                              const StaggeredForceOptions& options) {
  const Lattice& lattice = links.lattice();
  const PathCoefficients light = hisq_coefficients(0.0);
  HisqGradients gradients{GaugeField<double>(lattice), GaugeField<double>(lattice), GaugeField<double>(lattice)};
  for (const StaggeredForceTerm& term : terms) {
    const PathCoefficients own = hisq_coefficients(term.naik_epsilon);
    add_outer_products(gradients.fat, gradients.third, term.vectors, term.residues,
                       multiplied(term.residues, own.third));
    if (own.one_link == light.one_link) continue;
    add_outer_products(gradients.one, gradients.third, term.vectors,
                       multiplied(term.residues, own.one_link - light.one_link), multiplied(term.residues, 0.0));
  }
  fold_staggered_phases(gradients.fat, {.antiperiodic = options.antiperiodic});
  fold_staggered_phases(gradients.one, {.antiperiodic = options.antiperiodic});
  fold_staggered_phases(gradients.third, {.antiperiodic = options.antiperiodic, .steps = 3});
  const GaugeField<double> v = fat_links(links, fat7_coefficients());
  const GaugeField<double> w = project_to_u3(v);
  return hisq_force({.u = links, .v = v, .w = w}, std::move(gradients), options.filter);
}

}  // namespace kaon
