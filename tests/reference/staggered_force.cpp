// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "staggered_force.hpp"

#include "smeared_links.hpp"

namespace kaon::reference {
namespace {

Links advanced(const Links& links, const Links& momenta, double step) {
  Links result;
  result.reserve(links.size());
  for (std::size_t first = 0; first < links.size(); first += 9) {
    ColorMatrix p, u;
    std::copy_n(momenta.begin() + static_cast<std::ptrdiff_t>(first), 9, p.begin());
    std::copy_n(links.begin() + static_cast<std::ptrdiff_t>(first), 9, u.begin());
    const ColorMatrix product = exponential(Complex(step) * p) * u;
    result.insert(result.end(), product.begin(), product.end());
  }
  return result;
}

StaggeredParameters massless(double third_weight, bool antiperiodic) {
  StaggeredParameters parameters{.third_weight = third_weight};
  if (!antiperiodic) parameters.boundary_phases[3] = 1.0;
  return parameters;
}

}  // namespace

double bilinear(const StaggeredOperator& d, const ColorField& x) {
  const ColorField hopped = d.hop(x);
  double sum = 0.0;
  for_each_site(d.extents(), [&](const Coordinates& site) {
    const ColorVector a = color_at(x, site, d.extents()), b = color_at(hopped, site, d.extents());
    for (std::size_t c = 0; c < a.size(); ++c)
      sum += (parity_of(site) == 0 ? 1.0 : -1.0) * std::real(std::conj(a[c]) * b[c]);
  });
  return sum;
}

double one_level_action(const Links& links, const PathCoefficients& paths, double third_weight,
                        const std::vector<ForceTerm>& terms, const Coordinates& extents, bool antiperiodic) {
  const StaggeredOperator d(fat_links(links, paths, extents), third_links(links, extents), extents,
                            massless(third_weight, antiperiodic));
  double sum = 0.0;
  for (const ForceTerm& term : terms) sum += term.residue * bilinear(d, term.vector);
  return sum;
}

double hisq_action(const Links& links, const std::vector<ForceTerm>& terms, const Coordinates& extents,
                   bool antiperiodic) {
  const Links w = project_to_u3(fat_links(links, fat7_paths(), extents));
  double sum = 0.0;
  for (const ForceTerm& term : terms)
    sum += one_level_action(w, hisq_paths(term.naik_epsilon), -(1.0 + term.naik_epsilon) / 24.0, {term}, extents,
                            antiperiodic);
  return sum;
}

Links random_momenta(const Coordinates& extents, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Links momenta(static_cast<std::size_t>(36 * volume_of(extents)));
  for (auto p = momenta.begin(); p != momenta.end(); p += 9) {
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < row; ++column) {
        const Complex element(normal(generator), normal(generator));
        p[3 * row + column] = element;
        p[3 * column + row] = -std::conj(element);
      }
    const double first = normal(generator), second = normal(generator);
    p[0] = {0.0, first};
    p[4] = {0.0, second};
    p[8] = {0.0, -first - second};
  }
  return momenta;
}

double derivative_along(const std::function<double(const Links&)>& action, const Links& links, const Links& momenta) {
  constexpr double h = 5e-4;
  const auto difference = [&](double step) {
    return action(advanced(links, momenta, step)) - action(advanced(links, momenta, -step));
  };
  return (8.0 * difference(h) - difference(2.0 * h)) / (12.0 * h);
}

double work(const Links& momenta, const Links& force) {
  double sum = 0.0;
  for (std::size_t first = 0; first < momenta.size(); first += 9)
    for (std::size_t k = 0; k < 9; ++k) sum += std::real(momenta[first + k] * force[first + k % 3 * 3 + k / 3]);
  return sum;
}

}  // namespace kaon::reference
