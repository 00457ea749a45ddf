// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/quark_operators.hpp"
#include "core/device/allocated_bytes.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/tuning.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <algorithm>

namespace kaon {
namespace {

/// Switches tuning off, which would time kernels on small lattices.
class WithoutTuning {
 public:
  WithoutTuning() : was_on_(tuning_is_on()) { set_tuning(false); }
  ~WithoutTuning() { set_tuning(was_on_); }
  WithoutTuning(const WithoutTuning&) = delete;
  WithoutTuning& operator=(const WithoutTuning&) = delete;

 private:
  bool was_on_;
};

/// The input for one batch of sources on any lattice, with masses for which the solvers of free quarks converge soon.
MeasurementInput reduced(MeasurementInput input, int sources) {
  const std::vector<std::size_t> operators = detail::quark_operators(input).of_quarks;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    MeasuredQuark& quark = input.quarks[k];
    quark.parameters.mass = 0.6 + 0.1 * static_cast<double>(operators[k]);
    if (quark.current && quark.current->time) quark.current->time = 1;
  }
  input.sources.sites.clear();
  input.sources.times.clear();
  input.sources.random = sources;
  if (input.sloppy) input.sloppy->exact = 1;
  if (input.solver.method == KrylovMethod::multigrid) input.solver.method = KrylovMethod::automatic;
  input.solver.on_fallback = [](const std::string&) {};
  for (MeasuredHadron& hadron : input.hadrons) {
    if (hadron.three_point) hadron.three_point->sink_time = 1;
  }
  return input;
}

struct Peak {
  double fields = 0.0, others = 0.0;
};

Peak peak_on(const Coordinates& extents, const MeasurementInput& input) {
  const detail::AllocatedBytes bytes;
  const Lattice lattice({.extents = extents, .reach = reach_of(input)});
  GaugeField<double> links(lattice);
  set_unit(links);
  (void)measure(links, input, "memory");
  return {static_cast<double>(bytes.fields().peak), static_cast<double>(bytes.others().peak)};
}

}  // namespace

MeasurementMemory memory_of(const MeasurementInput& input, const Coordinates& extents) {
  const WithoutTuning off;
  const int sources = static_cast<int>(std::min<std::size_t>(input.sources.together, input.sources.count()));
  const MeasurementInput small = reduced(input, sources);
  Coordinates once{4, 4, 4, 8};
  while (once[3] < sources) once[3] *= 2;
  Coordinates twice = once;
  twice[2] *= 2;
  const Peak first = peak_on(once, small), second = peak_on(twice, small);
  const double further = double(volume_of(extents)) / double(volume_of(once)) - 1.0;
  const auto scaled = [&](double of_once, double of_twice) { return of_once + further * (of_twice - of_once); };
  return {.fields = scaled(first.fields, second.fields), .others = scaled(first.others, second.others)};
}

}  // namespace kaon
