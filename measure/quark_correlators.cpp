// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/tuning/phases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/quark_correlators.hpp>

#include <algorithm>
#include <utility>

namespace kaon {
namespace {

using Field = SpinorField<double>;

/// Averages over the sources.
std::vector<double> averaged(std::vector<double> values, const SourceParameters& source, const Lattice& lattice) {
  for (double& value : values) value /= number_of_sources(source, lattice);
  return values;
}

std::vector<double> pion(const Field& one, const Field& other, const SourceParameters& source) {
  return averaged(pion_correlator(one, other, {.source_site = source.site}), source, one.lattice());
}

/// S for the quark (0 + sign 1)/sqrt2 at both ends.
Field combination(const QuarkPropagators<double>& doublet, double sign) {
  const Field& first = doublet.at("0");
  Field sum(first.lattice(), first.parameters());
  const auto add = [&](const char* name, double factor) { blas::axpy(sum, doublet.at(name), 0.5 * factor); };
  add("0", 1.0);
  add("1_to_0", sign);
  add("0_to_1", sign);
  add("1", 1.0);
  return sum;
}

}  // namespace

std::vector<Correlator> quark_correlators(const QuarkPropagators<double>& quark, const SourceParameters& source) {
  const detail::Phase phase(detail::PhaseName::contract);
  require(!quark.propagators.empty(), "correlators need a propagator");
  const Field& first = quark.propagators.front().field;
  const CorrelatorParameters from{.source_site = source.site};
  std::vector<Correlator> found;
  const std::vector<double> sum = pion_correlator(first, from);
  std::vector<double> values = averaged(sum, source, first.lattice());
  std::vector<std::optional<double>> masses = effective_mass(values);
  found.push_back({"pion", std::move(values), std::move(masses)});
  if (const Field* const midpoint = quark.find("midpoint")) {
    found.push_back({"residual_mass", residual_mass(pion_correlator(*midpoint, from), sum)});
  }
  if (!quark.axial_current.empty()) {
    std::vector<double> current = averaged(quark.axial_current, source, first.lattice());
    std::ranges::rotate(current, current.begin() + source.site[3]);
    found.push_back({"axial_current", std::move(current)});
  }
  if (quark.find("0_to_1") == nullptr || quark.find("1_to_0") == nullptr) return found;
  const auto add = [&](const std::string& name, const Field& one, const Field& other) {
    found.push_back({name, pion(one, other, source), {}, "flavor_correlators"});
  };
  for (const auto& [name, field] : quark.propagators) add(name, field, field);
  const Field plus = combination(quark, 1.0), minus = combination(quark, -1.0);
  add("plus", plus, plus);
  add("minus", minus, minus);
  add("plus_minus", plus, minus);
  return found;
}

Correlator pion_of_pair(const QuarkPropagators<double>& one, const QuarkPropagators<double>& other,
                        const SourceParameters& source) {
  const detail::Phase phase(detail::PhaseName::contract);
  const Field& field = one.at("propagator");
  Correlator found{"pion", pion(field, other.at("propagator"), source)};
  found.effective_masses = field.spins() == 1 ? oscillating_effective_mass(found.values) : effective_mass(found.values);
  return found;
}

}  // namespace kaon
