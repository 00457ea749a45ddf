// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/quark_operators.hpp"
#include "core/base/parts.hpp"
#include "core/device/allocated_bytes.hpp"
#include "multigrid/coarse/exact_inverse.hpp"
#include "multigrid/setup/hierarchy_builder.hpp"
#include "multigrid/staggered/hypercube.hpp"
#include "multigrid/staggered/staggered_levels.hpp"

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/tuning.hpp>
#include <kaon/gauge/initial_links.hpp>

#include <algorithm>
#include <vector>

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

/// The input for a batch of so many sources on any lattice, with masses for which the solvers of free quarks converge
/// soon. The exact source of all-mode averages is in a batch of its own.
MeasurementInput reduced(MeasurementInput input, int sources) {
  const std::vector<std::size_t> operators = detail::quark_operators(input).of_quarks;
  for (std::size_t k = 0; k < operators.size(); ++k) {
    MeasuredQuark& quark = input.quarks[k];
    quark.parameters.mass = 0.6 + 0.1 * static_cast<double>(operators[k]);
    if (quark.current && quark.current->time) quark.current->time = 1;
  }
  input.sources.sites.clear();
  input.sources.times.clear();
  input.sources.random = sources + (input.sloppy ? 1 : 0);
  if (input.sloppy) input.sloppy->exact = 1;
  if (input.solver.method == KrylovMethod::multigrid) input.solver.method = KrylovMethod::automatic;
  input.solver.on_fallback = [](const std::string&) {};
  for (MeasuredHadron& hadron : input.hadrons) {
    if (hadron.three_point) hadron.three_point->sink_time = 1;
  }
  return input;
}

MeasurementMemory operator+(const MeasurementMemory& a, const MeasurementMemory& b) {
  return {.fields = a.fields + b.fields, .others = a.others + b.others};
}
MeasurementMemory operator*(double factor, const MeasurementMemory& a) {
  return {.fields = factor * a.fields, .others = factor * a.others};
}

/// The largest memory of a measurement on small lattices, one part of which is proportional to the sites at faces
/// between processes. They have one process, which exchanges halos with itself if those of `lattice` exchange any.
class SmallLattices {
 public:
  /// `extents` are those of the smallest of them.
  SmallLattices(const MeasurementInput& input, const Lattice& lattice, const Coordinates& extents)
      : input_(input), has_halos_(lattice.is_partitioned()) {
    if (!has_halos_) return;
    const double sites = double(volume_of(extents)) / extents[2];
    of_face_site_ = 1.0 / sites * (peak_on(extents, true) + -1.0 * peak_on(extents, false));
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (!lattice.is_partitioned(mu)) continue;
      of_faces_ = of_faces_ + double(volume_of(lattice.extents())) / lattice.local_extents()[mu] * of_face_site_;
    }
  }

  /// Without the part of the faces.
  MeasurementMemory peak(const Coordinates& extents) const {
    return peak_on(extents, false) + -double(volume_of(extents)) / extents[3] * of_face_site_;
  }
  /// The part of the faces on the large lattice.
  const MeasurementMemory& of_faces() const { return of_faces_; }

 private:
  /// With faces in t, or in z and t.
  MeasurementMemory peak_on(const Coordinates& extents, bool has_z) const {
    const detail::AllocatedBytes bytes;
    const Lattice lattice(
        {.extents = extents, .partition = {false, false, has_halos_ && has_z, has_halos_}, .reach = reach_of(input_)});
    GaugeField<double> links(lattice);
    set_unit(links);
    (void)measure(links, input_, "memory");
    return {.fields = static_cast<double>(bytes.fields().peak), .others = static_cast<double>(bytes.others().peak)};
  }

  const MeasurementInput& input_;
  bool has_halos_;
  MeasurementMemory of_face_site_{}, of_faces_{};
};

/// The largest number of sources that are solved for together: exact and sloppy solves have batches of their own.
int batch_of(const MeasurementInput& input) {
  const std::size_t all = input.sources.count();
  const std::size_t exact = input.sloppy ? static_cast<std::size_t>(input.sloppy->exact) : all;
  return static_cast<int>(std::min<std::size_t>(input.sources.together, std::max(exact, all - exact)));
}

}  // namespace

MeasurementMemory memory_of(const MeasurementInput& input, const Lattice& lattice) {
  const WithoutTuning off;
  const MeasurementInput small = reduced(input, batch_of(input));
  Coordinates once{4, 4, 4, 8};
  while (once[3] < small.sources.random) once[3] *= 2;
  Coordinates twice = once;
  twice[2] *= 2;
  const SmallLattices measured(small, lattice, once);
  const MeasurementMemory of_once = measured.peak(once), of_further = measured.peak(twice) + -1.0 * of_once;
  const double further = double(volume_of(lattice.extents())) / double(volume_of(once)) - 1.0;
  return of_once + further * of_further + measured.of_faces();
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
    const WithoutTuning off;
    const SmallLattices measured(small, lattice, aggregates);
    const double times = double(volume_of(extents)) / double(volume_of(aggregates));
    const double others =
        further_directions * of_direction + (is_inverted ? detail::ExactInverse::setup_bytes(unknowns) : 0.0);
    return times * measured.peak(aggregates) + measured.of_faces() + MeasurementMemory{.fields = others};
  }
  return std::nullopt;
}

}  // namespace kaon
