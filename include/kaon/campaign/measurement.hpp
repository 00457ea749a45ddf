// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/solvers/solver.hpp>

#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kaon {

/// The correlators of one hadron on one configuration.
struct HadronCorrelators {
  MeasuredHadron hadron;
  /// C[source][sink][momentum][channel][t], t the distance from the source: one array in this order. With sloppy solves
  /// these are `sloppy` + `correction`, whose mean over the sources is the unbiased estimate.
  std::vector<std::complex<double>> values{};
  // All-mode averaging fills these; otherwise they are empty.
  std::vector<std::complex<double>> sloppy{};      ///< from all sources, like `values`
  std::vector<std::complex<double>> exact{};       ///< from the first sources alone
  std::vector<std::complex<double>> correction{};  ///< [sink][momentum][channel][t], mean of exact - sloppy of these
};

/// A solve of a measurement.
struct MeasuredSolve {
  std::string quark;
  std::size_t source = 0;  ///< its place
  SolveResult result;
  bool sloppy = false;
};

/// The results of a measurement on one configuration.
struct Measurement {
  Coordinates extents{};
  std::vector<SourceParameters> sources{};
  std::vector<HadronCorrelators> correlators{};
  std::vector<MeasuredSolve> solves{};
  std::map<std::string, double> seconds{};  ///< by phase, "setup", "source", "solve", "contract" and others
  std::string failure{};                    ///< says which solve did not converge; empty: all converged
};

/// Called during a measurement.
struct MeasurementHooks {
  /// Before each solve: the names of its quarks, the place of its first source, the number of sources, and whether it
  /// is a sloppy one. Sloppy solves come after the exact ones.
  std::function<void(const std::string& quarks, std::size_t source, std::size_t sources, bool sloppy)> on_solve{};
  /// After each solve.
  std::function<void(const MeasuredSolve& solve)> on_solved{};
  OnIteration on_iteration{};
};

/// The sources of a configuration on a lattice of these extents. Random ones are drawn from the seed and `name`, by
/// which each configuration of an ensemble has its own, in any order of the configurations. Throws `Error` for sites
/// and times outside the lattice, those of currents and sinks too, for more random ones than there are, and for momenta
/// beyond half of an extent.
std::vector<SourceParameters> sources_of(const MeasurementInput& input, const Coordinates& extents,
                                         const std::string& name);

/// Measures the correlators of the input on one configuration:
///
/// `meson_correlators` and `baryon_correlator`, of staggered quarks `staggered_meson_correlators` and
/// `staggered_baryon_correlators`. Correlators of walls of noise are divided by `number_of_sources`. A solve that does
/// not converge ends the measurement, and is a result, not an exception. Collective. Throws `Error` as `sources_of` and
/// as the operators and solvers do.
Measurement measure(const GaugeField<double>& links, const MeasurementInput& input, const std::string& name,
                    const MeasurementHooks& hooks = {});

/// The cost of the measurement of one configuration.
struct MeasurementPlan {
  std::size_t sources = 0;
  std::size_t solves = 0;         ///< of single right-hand sides
  std::size_t sloppy_solves = 0;  ///< in addition
  std::uint64_t file_bytes = 0;   ///< of correlators
};

MeasurementPlan plan(const MeasurementInput& input, const Coordinates& extents);

/// Bytes that a measurement allocates at its peak, on all processes.
struct MeasurementMemory {
  double fields = 0.0;  ///< of the device, or of a host without a device
  double others = 0.0;  ///< of the host beside a device
};

/// Returns the memory for the measurement of a configuration on `lattice` without multigrid. It is extrapolated from
/// measurements of free quarks on small lattices, which take a second, or some seconds with domain wall quarks. If
/// processes exchange halos, some of these lattices exchange them with themselves.
MeasurementMemory memory_of(const MeasurementInput& input, const Lattice& lattice);

/// Returns the memory if multigrid solves for the quarks, from free quarks on a lattice of 16 aggregates of the first
/// level that it would have, which takes some seconds, and from the sizes of GCR's directions and of the inverse on the
/// last level. There is none where the method excludes multigrid, for domain wall quarks and doublets, for a lattice
/// without aggregates, and for staggered quarks beside others.
std::optional<MeasurementMemory> memory_with_multigrid(const MeasurementInput& input, const Lattice& lattice);

/// The smallest `LatticeParameters::reach` for the quarks of the input.
int reach_of(const MeasurementInput& input);

/// The origin of a measurement, which its file records.
struct MeasurementRecord {
  std::string configuration;  ///< file of the links
  std::string checksum;
  double plaquette = 0.0;
  std::string provenance = "{}";  ///< JSON, a table of keys; seconds by phase and solves are added
};

/// Returns the text of JSON that `write_measurement` writes.
std::string to_json(const Measurement& measurement, const MeasurementInput& input, const MeasurementRecord& record);

/// Writes a measurement by the first process, under a temporary name until it is complete. Returns the names of the
/// files in `folder`: NAME.h5, NAME.json, or in the layout of Hadrons one for each hadron, source, sink and momentum.
/// docs/measure.md has the layouts. Collective. Throws `Error` where a file cannot be written, for HDF5 in builds
/// without it, and in the layout of Hadrons for a NAME without a number.
std::vector<std::filesystem::path> write_measurement(const std::filesystem::path& folder, const std::string& name,
                                                     const Measurement& measurement, const MeasurementInput& input,
                                                     const MeasurementRecord& record, const Communicator& communicator);

/// The names of these files.
std::vector<std::filesystem::path> files_of_measurement(const std::filesystem::path& folder, const std::string& name,
                                                        const MeasurementInput& input, std::size_t sources);

}  // namespace kaon
