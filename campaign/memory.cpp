// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/quark_operators.hpp"
#include "core/base/parts.hpp"
#include "core/device/allocated_bytes.hpp"
#include "core/tuning/without_tuning.hpp"
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/staggered/staggered_levels.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace kaon {
namespace {

/// Makes it a momentum of a lattice with extents of 4. Momenta that become equal take as much memory as before.
void fold(SpatialMomentum& momentum) {
  for (int& n : momentum) n %= 3;
}

/// The input for a batch of so many sources on any lattice, with masses for which the solvers of free quarks converge
/// soon. The exact source of all-mode averages is in a batch of its own.
MeasurementInput reduced(MeasurementInput input, int sources) {
  const std::vector<std::size_t> operators = detail::quark_operators(input).of_quarks;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    MeasuredQuark& quark = input.quarks[k];
    quark.parameters.mass = 0.6 + 0.1 * static_cast<double>(operators[k]);
    fold(quark.momentum);
    if (!quark.current) continue;
    fold(quark.current->momentum);
    if (quark.current->time) quark.current->time = 1;
  }
  input.sources.sites.clear();
  input.sources.times.clear();
  input.sources.random = sources + (input.sloppy ? 1 : 0);
  if (input.sloppy) input.sloppy->exact = 1;
  if (input.solver.method == KrylovMethod::multigrid) input.solver.method = KrylovMethod::automatic;
  input.solver.on_fallback = [](const std::string&) {};
  for (MeasuredHadron& hadron : input.hadrons) {
    for (SpatialMomentum& momentum : hadron.momenta) fold(momentum);
    if (!hadron.three_point) continue;
    hadron.three_point->sink_time = 1;
    fold(hadron.three_point->sink_momentum);
  }
  return input;
}

MeasurementMemory operator+(const MeasurementMemory& a, const MeasurementMemory& b) {
  return {.fields = a.fields + b.fields, .others = a.others + b.others};
}
MeasurementMemory operator*(double factor, const MeasurementMemory& a) {
  return {.fields = factor * a.fields, .others = factor * a.others};
}

/// The largest memory of a measurement on a small lattice of this process, which exchanges halos with itself in
/// partitioned directions.
MeasurementMemory peak_on(const MeasurementInput& input, const Coordinates& extents,
                          const std::array<bool, 4>& partition = {}) {
  const detail::AllocatedBytes bytes;
  const Lattice lattice({.extents = extents, .partition = partition, .reach = reach_of(input)});
  GaugeField<double> links(lattice);
  set_unit(links);
  (void)measure(links, input, "memory");
  return {.fields = static_cast<double>(bytes.fields().peak), .others = static_cast<double>(bytes.others().peak)};
}

/// Sites, on all processes, of the copies of links with layers around them, from which operators on partitioned
/// lattices are made (`GhostBox`): two layers around each virtual node for fat links, one around all of them for
/// others.
double box_sites(const Lattice& lattice) {
  const bool has_fat_links = lattice.reach() > 1;
  double sites = double(lattice.volume()) / double(lattice.local_volume());  // the number of processes
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int nodes = has_fat_links ? lattice.lane_grid<double>()[mu] : 1;
    sites *= lattice.local_extents()[mu] + (has_fat_links ? 4 : 2) * nodes;
  }
  return sites;
}

/// Returns the memory that the halos of `lattice` add: a part proportional to the sites at faces between processes, and
/// one to `box_sites`. Both are measured on small lattices with halos; `plain` is the peak of one without.
MeasurementMemory halos_of(const MeasurementInput& input, const Lattice& lattice, const Coordinates& extents,
                           const MeasurementMemory& plain) {
  if (!lattice.is_partitioned()) return {};
  const std::array<bool, 4> in_t{false, false, false, true};
  const double sites = double(volume_of(extents));
  const MeasurementMemory with_t = peak_on(input, extents, in_t);
  const MeasurementMemory of_face_site =
      extents[2] / sites * (peak_on(input, extents, {false, false, true, true}) + -1.0 * with_t);
  const double boxed = box_sites(Lattice({.extents = extents, .partition = in_t, .reach = lattice.reach()}));
  const MeasurementMemory of_boxes = with_t + -1.0 * plain + -sites / extents[3] * of_face_site;
  MeasurementMemory halos = box_sites(lattice) / boxed * of_boxes;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (!lattice.is_partitioned(mu)) continue;
    halos = halos + double(lattice.volume()) / lattice.local_extents()[mu] * of_face_site;
  }
  return halos;
}

/// The largest number of sources that are solved for together: exact and sloppy solves have batches of their own.
int batch_of(const MeasurementInput& input) {
  const std::size_t all = input.sources.count();
  const std::size_t exact = input.sloppy ? static_cast<std::size_t>(input.sloppy->exact) : all;
  return static_cast<int>(std::min<std::size_t>(input.sources.together, std::max(exact, all - exact)));
}

}  // namespace

MeasurementMemory memory_of(const MeasurementInput& input, const Lattice& lattice) {
  const detail::WithoutTuning off;  // would time kernels on small lattices
  const MeasurementInput small = reduced(input, batch_of(input));
  Coordinates once{4, 4, 4, 8};
  while (once[3] < small.sources.random) once[3] *= 2;
  Coordinates twice = once;
  twice[2] *= 2;
  const MeasurementMemory of_once = peak_on(small, once), of_further = peak_on(small, twice) + -1.0 * of_once;
  const double further = double(volume_of(lattice.extents())) / double(volume_of(once)) - 1.0;
  return of_once + further * of_further + halos_of(small, lattice, once, of_once);
}

std::optional<MeasurementMemory> memory_with_multigrid(const MeasurementInput& input, const Lattice& lattice) {
  if constexpr (detail::Parts::multigrid) {
    const KrylovMethod method = input.solver.method;
    if (method != KrylovMethod::automatic && method != KrylovMethod::multigrid) return std::nullopt;
    const auto is_staggered = [](const MeasuredQuark& quark) {
      return family_of(quark.parameters.action).is_staggered();
    };
    const bool staggered = is_staggered(input.quarks.front());
    for (const MeasuredQuark& quark : input.quarks) {
      // Several kinds have no common levels.
      if (is_staggered(quark) != staggered) return std::nullopt;
      // Domain wall quarks and doublets have a multigrid of their own, which is not counted.
      if (family_of(quark.parameters.action).kind == OperatorKind::indefinite) return std::nullopt;
    }
    const Coordinates& extents = lattice.extents();
    std::vector<MultigridCoarsening> levels;
    try {
      levels = detail::choose_levels_of_quarks(Lattice({.extents = extents, .reach = reach_of(input)}), staggered);
    } catch (const Error&) {  // there are no aggregates
      return std::nullopt;
    }
    double coarse_sites = double(volume_of(extents)) / (staggered ? double(volume_of(detail::hypercube)) : 1.0);
    for (const MultigridCoarsening& level : levels) coarse_sites /= double(volume_of(level.block));
    const double unknowns = coarse_sites * levels.back().vectors;  // two for each vector, on one parity
    const bool is_inverted = unknowns <= input.solver.multigrid.largest_inverse;

    // All levels but the first have little memory, and the inverse of the last is not in proportion to the sites.
    MeasurementInput small = reduced(input, batch_of(input));
    small.solver.method = KrylovMethod::multigrid;
    small.solver.multigrid.levels = {levels.front()};
    small.solver.multigrid.levels.front().bootstraps = 1;
    small.solver.multigrid.largest_inverse = 0;
    // Solves of free quarks end before they have all directions of GCR, p and M p on one parity in single precision.
    small.solver.multigrid.krylov_space = std::min(2, input.solver.multigrid.krylov_space);
    const double further_directions = input.solver.multigrid.krylov_space - small.solver.multigrid.krylov_space;
    const int components = staggered ? 3 : 12;
    const int together = std::min(components * batch_of(input), detail::most_multigrid_right_hand_sides);
    const double of_direction =
        double(volume_of(extents)) * components * together * static_cast<double>(sizeof(Kokkos::complex<float>));
    Coordinates aggregates{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      aggregates[mu] = 2 * levels.front().block[mu] * (staggered ? detail::hypercube[mu] : 1);
    }
    while (aggregates[3] < small.sources.random) aggregates[3] *= 2;
    const detail::WithoutTuning off;
    const MeasurementMemory of_aggregates = peak_on(small, aggregates);
    const double times = double(volume_of(extents)) / double(volume_of(aggregates));
    const double others =
        further_directions * of_direction + (is_inverted ? detail::ExactInverse::setup_bytes(unknowns) : 0.0);
    return times * of_aggregates + halos_of(small, lattice, aggregates, of_aggregates) +
           MeasurementMemory{.fields = others};
  }
  return std::nullopt;
}

}  // namespace kaon
