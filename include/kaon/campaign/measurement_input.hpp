// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/measure/contractions.hpp>
#include <kaon/measure/propagate.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/quarks/solve_options.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The input of `kaon measure`, for the program, C++, C and Python alike.

namespace kaon {

/// A key of the input. docs/measure.md shows this table.
struct InputKey {
  std::string table;    ///< "" is the top; "quark.NAME" has a name that the user chooses; "[meson]" is a list of tables
  std::string name;     ///< its name in the table
  std::string type;     ///< "word", "number", "integer", "flag", "words", "boundary", "sites", "momenta",
                        ///< "momentum" or "times"
  std::string initial;  ///< the default as JSON; empty: the key may be missing
  double lowest;        ///< least and largest number, for numbers, integers and elements of lists
  double highest;
  std::vector<std::string> choices;  ///< valid words; empty: any
  std::string text;                  ///< one sentence for the documents
};

/// All keys, in the order of the documents. Parameters of quarks are those of `family_parameters`.
std::span<const InputKey> input_keys();

/// A current in a propagator, which one more solve adds: `set_current_sequential_source`.
struct CurrentInQuark {
  std::size_t quark = 0;       ///< of the propagator without it, a place in `MeasurementInput::quarks`
  std::string gamma;           ///< one of `gamma_words`
  std::optional<int> time{};   ///< distance from the source; none: all times
  SpatialMomentum momentum{};  ///< phases exp(-i q.(x - x0))
};

/// A propagator of the input.
struct MeasuredQuark {
  std::string name;  ///< of doublets with that of the propagator, "h.0_to_1"
  FermionParameters parameters;
  SpatialMomentum momentum{};               ///< of its source: phases exp(i p.(x - x0))
  std::string propagator = "propagator";    ///< `Propagator::name`
  std::optional<CurrentInQuark> current{};  ///< `parameters` are then those of that quark
};

/// The sources of a configuration.
struct MeasuredSources {
  SourceParameters parameters{};     ///< kind and smearing
  std::vector<Coordinates> sites{};  ///< of points, which the input lists
  std::vector<int> times{};          ///< of walls, which the input lists
  int random = 0;                    ///< number of sites or times that are drawn for each configuration
  std::uint64_t seed = 1;
  int together = 1;  ///< sources whose right-hand sides are solved together

  /// Whether they are at sites; the others are on time slices.
  bool are_points() const { return parameters.kind == SourceKind::point || parameters.kind == SourceKind::gaussian; }
  /// The number of sources of a configuration.
  std::size_t count() const {
    return random > 0 ? static_cast<std::size_t>(random) : std::max(sites.size(), times.size());
  }
};

/// All-mode averaging (arXiv:1208.4349): solves from all sources to a lower accuracy, whose bias a few exact solves
/// correct.
struct SloppySolves {
  SolveAccuracy accuracy{};  ///< of the solves from all sources
  int exact = 1;             ///< sources that are solved for exactly, too: the first ones
};

/// Smearing of the links in spatial directions or in all.
struct MeasuredLinks {
  std::string method = "none";  ///< none, stout, ape or hyp
  double strength = 0.1;        ///< rho of stout, alpha of APE
  int steps = 1;
  bool in_space = true;    ///< staples and links in time are left out
  bool of_quarks = false;  ///< the operators of quarks have these links, too
};

/// The smearing of a sink.
struct MeasuredSink {
  std::string name;
  GaussianSmearingParameters smearing;
};

/// Two gamma matrices, as words: "g5:g5" has that of the sink first.
struct GammaPair {
  std::string sink;
  std::string source;
  bool operator==(const GammaPair&) const = default;
};

/// A current on one quark of a hadron between source and sink: one sequential solve through the sink.
struct MeasuredThreePoint {
  std::string hadron;  ///< "meson" or a kind of baryon
  int quark = 0;       ///< its number in the hadron; of mesons 0 is the quark and 1 the antiquark
  std::string sink;    ///< the gamma matrix of a meson's sink, the projector of a baryon
  int sink_time = 0;   ///< distance from the source
  SpatialMomentum sink_momentum{};
};

/// Correlators of one kind of hadron.
struct MeasuredHadron {
  std::string kind;                 ///< "meson", a kind of baryon such as "nucleon", or "three_point"
  std::string name;                 ///< of its group in the file, "l_l" or "nucleon_l_l"
  std::vector<std::size_t> quarks;  ///< places in `MeasurementInput::quarks`
  std::vector<GammaPair> gammas;    ///< of mesons
  std::vector<std::string> channels;
  std::vector<SpatialMomentum> momenta;
  std::vector<std::string> sinks;  ///< "point" or names of `MeasurementInput::sinks`
  std::string key{};               ///< of its table in messages, "meson[0]"
  /// Channels are then currents, "g4", of mesons with the gamma matrix of the source, "g4:g5"; momenta are theirs.
  std::optional<MeasuredThreePoint> three_point{};
};

struct MeasurementInput {
  std::string text;  ///< the whole input as JSON, with its defaults
  BoundaryAngles boundary = antiperiodic_in_time;
  MeasuredLinks links{};
  std::vector<MeasuredQuark> quarks{};  ///< propagators that hadrons use; those with currents stand after the others
  MeasuredSources sources{};
  std::optional<SloppySolves> sloppy{};
  std::vector<MeasuredSink> sinks{};
  std::vector<MeasuredHadron> hadrons{};
  SolveOptions solver{};
  std::string folder = "measurements";
  std::string layout = "plain";        ///< plain or hadrons
  std::string format = "hdf5";         ///< hdf5 or json
  std::string file{};                  ///< the name of the input in messages
  std::map<std::string, int> lines{};  ///< of its keys, "source.sites[1]"; none for JSON
};

/// Reads an input file: JSON if its name ends in .json, or not in .toml and it starts with {, and else TOML. Throws
/// `Error`, whose message has the file, the line (of TOML) and the key: for unknown keys with the nearest known one,
/// for wrong types and for values out of range.
MeasurementInput read_measurement_input(const std::filesystem::path& file);
/// Reads the text of an input. `name` is the file in messages.
MeasurementInput parse_measurement_input(const std::string& text, const std::string& name, bool is_toml);

/// Returns the TOML of an example that runs on examples/quenched_b6.0_8x8x8x16.nersc. Throws `Error` for an unknown
/// name; "spectrum" is the one that exists.
std::string measurement_example(std::string_view name);

}  // namespace kaon
