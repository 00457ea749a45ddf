// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/contract.hpp"

#include "campaign/gammas.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/measure/contractions.hpp>

#include <utility>

namespace kaon::detail {
namespace {

using Values = std::vector<std::complex<double>>;

Values meson(std::span<const SpinorField<double>* const> quarks, const MeasuredHadron& hadron,
             const ContractionParameters& parameters) {
  std::vector<MesonChannel> channels;
  for (const std::string& words : hadron.channels) channels.push_back(meson_channel(words));
  return meson_correlators(meson_spin_sums(*quarks[0], *quarks[1], parameters), channels);
}

/// Three quarks with open spins, a channel for each component.
Values open_quarks(std::span<const SpinorField<double>* const> quarks, const BaryonParameters& parameters) {
  const SpatialSums sums = three_quark_spin_sums(*quarks[0], *quarks[1], *quarks[2], parameters);
  Values all;
  for (std::size_t momentum = 0; momentum < sums.momenta; ++momentum) {
    for (std::size_t component = 0; component < sums.components; ++component) {
      for (std::size_t t = 0; t < sums.times; ++t) all.push_back(sums.at(momentum, t)[component]);
    }
  }
  return all;
}

Values baryon(std::span<const SpinorField<double>* const> quarks, const MeasuredHadron& hadron,
              const BaryonParameters& parameters) {
  if (quarks[0]->spins() == 1) return staggered_baryon_correlators(*quarks[0], parameters);
  if (hadron.kind == "open") return open_quarks(quarks, parameters);
  const BaryonOperator operators = baryon_operator(hadron.kind);
  const SpatialSums sums = baryon_spin_sums(operators, operators, quarks, parameters);
  std::vector<Values> of_channels;
  for (const std::string& word : hadron.channels) of_channels.push_back(baryon_correlator(sums, projector(word)));
  return by_momentum(of_channels, sums.times, 1.0);
}

}  // namespace

Values contract(std::span<const SpinorField<double>* const> quarks, const MeasuredHadron& hadron,
                const SourceParameters& source, double time_boundary) {
  const Phase phase(PhaseName::contract);
  const ContractionParameters parameters{.source_site = source.site, .momenta = hadron.momenta};
  Values values = hadron.kind == "meson" ? meson(quarks, hadron, parameters)
                                         : baryon(quarks, hadron, BaryonParameters{parameters, time_boundary});
  const double points = number_of_sources(source, quarks[0]->lattice());
  if (points != 1.0) {
    for (std::complex<double>& value : values) value /= points;
  }
  return values;
}

Values by_momentum(const std::vector<Values>& of_channels, std::size_t times, double points) {
  Values all;
  for (std::size_t first = 0; first < of_channels.front().size(); first += times) {
    for (const Values& values : of_channels) {
      for (std::size_t t = 0; t < times; ++t) all.push_back(values[first + t] / points);
    }
  }
  return all;
}

}  // namespace kaon::detail
