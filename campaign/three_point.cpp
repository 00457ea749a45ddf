// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/three_point.hpp"

#include "campaign/contract.hpp"
#include "campaign/gammas.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/measure/sequential.hpp>
#include <kaon/measure/smearing.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kaon::detail {
namespace {

using Field = SpinorField<double>;
using Values = std::vector<std::complex<double>>;

/// The source of the sequential solve, without the smearing of the sink.
void set_source(Field& eta, const MeasuredHadron& hadron, const MeasurementInput& input,
                const ThreePointFields& fields) {
  const MeasuredThreePoint& of = *hadron.three_point;
  const SequentialParameters at{.source_site = fields.source.site,
                                .time = of.sink_time,
                                .momentum = of.sink_momentum,
                                .time_boundary = input.boundary[3]};
  std::vector<const Field*> quarks;
  for (const std::size_t quark : hadron.quarks) quarks.push_back(&fields.at_sink[quark]);
  if (of.hadron != "meson") {
    const BaryonOperator baryon = baryon_operator(of.hadron);
    return set_baryon_sequential_source<double>(eta, baryon, baryon, quarks, of.quark, projector(of.sink), at);
  }
  if (of.quark == 0) return set_meson_sequential_source(eta, *quarks[1], gamma_matrix(of.sink), at);
  // The antiquark goes from the sink to the source: the quark is the sequential source of its line.
  set_current_sequential_source(eta, *quarks[0], gamma_matrix(of.sink), at);
}

}  // namespace

Values three_point(const MeasuredHadron& hadron, const MeasurementInput& input, const ThreePointFields& fields) {
  const Phase phase(PhaseName::contract);
  const MeasuredThreePoint& of = *hadron.three_point;
  const Lattice& lattice = fields.links.lattice();
  const std::size_t place = hadron.quarks[static_cast<std::size_t>(of.quark)];
  const Field& s = fields.propagators[place];
  Field eta(lattice, s.parameters());
  set_source(eta, hadron, input, fields);
  if (fields.sink != nullptr) {
    GaussianSmearingParameters smearing = fields.sink->smearing;
    smearing.time = (fields.source.site[3] + of.sink_time) % lattice.extents()[3];
    gaussian_smear(eta, fields.smearing, smearing);
  }
  // Conserved currents of domain wall quarks are made of fields in five dimensions.
  const auto& of_currents = fields.current_fields[place];
  std::vector<std::string> wanted{"propagator"};
  if (of_currents) wanted.emplace_back(current_fields);
  const QuarkPropagators<double> solved = fields.solve(place, eta, wanted);
  const bool of_antiquark = of.hadron == "meson" && of.quark == 1;
  const auto ordered = [&](const Field& from_source, const Field& from_sink) {
    return of_antiquark ? std::pair(&from_sink, &from_source) : std::pair(&from_source, &from_sink);
  };
  const auto [quark, antiquark] = ordered(s, solved.at("propagator"));
  const FermionParameters& parameters = input.quarks[place].parameters;
  const ContractionParameters sums{.source_site = fields.source.site, .momenta = hadron.momenta};

  std::optional<SpatialSums> local;
  std::map<std::pair<int, bool>, LinkSpinSums> along;  // directions, in five dimensions or not
  std::vector<Values> of_channels;
  for (const std::string& words : hadron.channels) {
    const std::size_t colon = words.find(':');
    const Current current = current_of(words);
    const SpinMatrix source =
        colon == words.npos ? gamma_product(0) : sequential_meson_source(gamma_matrix(words.substr(colon + 1)));
    const std::vector<SpinMatrix> gamma{current.gamma};
    if (current.kind == CurrentKind::local) {
      if (!local) local = meson_spin_sums(*quark, *antiquark, sums);
      of_channels.push_back(sequential_currents(*local, gamma, source));
      continue;
    }
    const bool is_conserved = current.kind == CurrentKind::conserved, has_slices = is_conserved && of_currents;
    const std::pair key(current.direction, has_slices);
    if (!along.contains(key)) {
      const auto [one, other] =
          has_slices ? ordered(*of_currents, solved.at(current_fields)) : std::pair(quark, antiquark);
      along.emplace(key, link_spin_sums(*one, *other, fields.links, input.boundary, current.direction, sums));
    }
    const double weight = current.direction < 3 ? parameters.anisotropy.spatial_weight() : 1.0;
    of_channels.push_back(is_conserved ? conserved_current(along.at(key), source,
                                                           has_slices ? (parameters.b + parameters.c) * weight : weight)
                                       : derivative_currents(along.at(key), gamma, source));
  }
  return by_momentum(of_channels, static_cast<std::size_t>(lattice.extents()[3]),
                     number_of_sources(fields.source, lattice));
}

}  // namespace kaon::detail
