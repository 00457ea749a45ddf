// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/gammas.hpp"
#include "campaign/hadron_input.hpp"
#include "campaign/hdf5_image.hpp"
#include "campaign/keys.hpp"
#include "campaign/staggered_mesons.hpp"

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/operators/dirichlet.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <numbers>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace kaon {
namespace {

using detail::Document;
using detail::Json;
using detail::key_of;

/// Makes the input of a document whose keys have been checked.
class Reader {
 public:
  explicit Reader(const Document& document) : document_(document), json_(detail::checked(document)) {}

  MeasurementInput read() {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const Json& angle = json_.at("boundary")[mu];
      input_.boundary[mu] = angle == "periodic"       ? 0.0
                            : angle == "antiperiodic" ? std::numbers::pi
                            : angle == "dirichlet"    ? dirichlet
                                                      : angle.get<double>();
    }
    if (std::ranges::all_of(input_.boundary, [](double angle) { return std::abs(angle) == 1.0; })) {
      document_.fail("boundary", "these are angles, not signs: 0 is periodic");
    }
    read_links();
    detail::HadronReader hadrons(document_, input_, read_quarks());
    read_sources();
    read_currents(hadrons);
    read_sinks();
    check_links();
    hadrons.read(json_);
    read_solver();
    if (json_.contains("sloppy")) read_sloppy();
    const Json& output = json_.at("output");
    input_.folder = output.at("folder");
    input_.layout = output.at("layout");
    input_.format = output.at("format");
    if (input_.format == "hdf5" && !detail::has_hdf5()) {
      document_.fail("output.format",
                     "this build of kaon has no HDF5: set format = \"json\", or build kaon where HDF5 is found");
    }
    if (input_.layout == "hadrons") check_layout_of_hadrons();
    input_.file = document_.name;
    input_.lines = document_.lines;
    input_.text = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
    return std::move(input_);
  }

 private:
  void check_layout_of_hadrons() const {
    if (input_.format != "hdf5") document_.fail("output.format", "the layout of Hadrons is for HDF5 alone");
    for (const MeasuredHadron& hadron : input_.hadrons) {
      if (hadron.kind == "meson" && std::ranges::any_of(hadron.channels, detail::is_spin_taste)) {
        document_.fail("output.layout", "the layout of Hadrons has no tastes of staggered mesons");
      }
      if (!hadron.three_point) continue;
      for (const std::string& channel : hadron.channels) {
        if (detail::current_of(channel).kind == detail::CurrentKind::local) continue;
        document_.fail("output.layout",
                       fmt::format("the layout of Hadrons has currents without links alone, not {}", channel));
      }
    }
  }

  void read_links() {
    const Json& links = json_.at("links");
    input_.links = MeasuredLinks{.method = links.at("smearing"),
                                 .strength = links.at("strength"),
                                 .steps = links.at("steps"),
                                 .in_space = links.at("directions") == "space",
                                 .of_quarks = links.at("quarks")};
    if (input_.links.of_quarks && input_.links.method == "none") {
      document_.fail("links.quarks", "there are no smeared links: set links.smearing");
    }
    if (input_.links.method == "none") refuse("links", {"strength", "steps", "directions"}, "without links.smearing");
    if (input_.links.method == "hyp") refuse("links", {"strength"}, "with smearing = \"hyp\", whose numbers are fixed");
  }

  /// The smeared links have a use.
  void check_links() const {
    if (input_.links.method == "none" || input_.links.of_quarks || !input_.sinks.empty()) return;
    if (input_.sources.parameters.kind == SourceKind::gaussian) return;
    document_.fail(
        "links.smearing",
        "no source and no sink is smeared by these links; set links.quarks = true for those of the operators");
  }

  /// Refuses keys that are not read, unless they have their defaults, as in the input that results contain.
  void refuse(const std::string& table, std::initializer_list<std::string_view> names, const std::string& when) const {
    for (const InputKey& key : input_keys()) {
      if (key.table != table || std::ranges::find(names, key.name) == names.end()) continue;
      if (json_.at(table).at(key.name) == Json::parse(key.initial)) continue;
      document_.fail(key_of(table, key.name), "has no meaning " + when);
    }
  }

  /// The smallest family of the action that reads all parameters that the quark has.
  const FermionFamily& family_of_quark(const std::string& key, const Json& quark) const {
    const FermionFamily* found = nullptr;
    std::string unread;
    const auto size = [](const FermionFamily& family) {
      return std::ranges::count_if(family.parameters, [](std::string_view name) { return !name.empty(); });
    };
    for (const FermionFamily& family : fermion_families()) {
      if (family.program != quark.at("action").get<std::string>()) continue;
      std::string lacking;
      for (const auto& [name, value] : quark.items()) {
        if (name != "action" && name != "momentum" && !family.reads(name)) lacking = name;
      }
      if (!lacking.empty()) {
        unread = lacking;
      } else if (found == nullptr || size(family) < size(*found)) {
        found = &family;
      }
    }
    if (found == nullptr) {
      document_.fail(key_of(key, unread), fmt::format("has no meaning with action = {}", quark.at("action").dump()));
    }
    return *found;
  }

  /// Returns the propagators of doublets, which hadrons may name.
  std::vector<MeasuredQuark> read_quarks() {
    std::vector<MeasuredQuark> doublets;
    if (!json_.contains("quark") || json_.at("quark").empty())
      document_.fail("quark", "there is no quark: write [quark.l]");
    for (const auto& [name, quark] : json_.at("quark").items()) {
      const std::string key = key_of("quark", name);
      if (!quark.contains("action")) document_.fail(key, "action is missing");
      const FermionFamily& family = family_of_quark(key, quark);
      if (!family.is_built()) {
        document_.fail(key_of(key, "action"), fmt::format("this build of kaon lacks its part '{}'", family.part));
      }
      FermionParameters parameters{.action = family.action};
      parameters.boundary = input_.boundary;
      for (const FermionParameter& row : family_parameters) {
        const std::string parameter(row.name);
        if (quark.contains(parameter)) {
          row.set(parameters, quark.at(parameter).template get<double>());
        } else if (std::ranges::find(family.needed, row.name) != family.needed.end()) {
          document_.fail(key,
                         fmt::format("{} is missing, which action = {} needs", row.name, quark.at("action").dump()));
        }
      }
      if (quark.contains("mass") == quark.contains("kappa")) {
        const char* const needed = family.reads("kappa") ? "mass or kappa is missing" : "mass is missing";
        document_.fail(key, quark.contains("mass") ? "mass and kappa are both given: give one of them" : needed);
      }
      check_quark(key, family, parameters);
      MeasuredQuark measured{name, parameters};
      if (quark.contains("momentum")) measured.momentum = quark.at("momentum").get<SpatialMomentum>();
      if (!family.is_doublet()) {
        input_.quarks.push_back(measured);
        continue;
      }
      for (const char* propagator : {"0", "0_to_1", "1_to_0", "1"}) {
        measured.name = name + "." + propagator;
        measured.propagator = propagator;
        doublets.push_back(measured);
      }
    }
    return doublets;
  }

  void read_currents(detail::HadronReader& hadrons) {
    if (!json_.contains("current")) return;
    for (const auto& [name, current] : json_.at("current").items()) {
      const std::string key = key_of("current", name);
      for (const char* needed : {"quark", "gamma"}) {
        if (!current.contains(needed)) document_.fail(key, fmt::format("{} is missing", needed));
      }
      if (std::ranges::find(input_.quarks, name, &MeasuredQuark::name) != input_.quarks.end()) {
        document_.fail(key, fmt::format("there is a quark '{}': give another name", name));
      }
      const std::size_t place = hadrons.place_of_quark(key_of(key, "quark"), current.at("quark"));
      const MeasuredQuark& quark = input_.quarks[place];
      const std::string gamma = current.at("gamma");
      if (quark.current) document_.fail(key_of(key, "quark"), fmt::format("{} has a current already", quark.name));
      if (family_of(quark.parameters.action).is_staggered() || quark.propagator != "propagator") {
        document_.fail(key_of(key, "quark"),
                       fmt::format("{} is no quark of one flavor with spin, which currents need", quark.name));
      }
      const std::vector<std::string> gammas(gamma_words.begin(), gamma_words.end());
      detail::chosen(document_, key_of(key, "gamma"), Json::array({gamma}), gammas);
      CurrentInQuark in_quark{.quark = place, .gamma = gamma};
      if (current.contains("time")) in_quark.time = current.at("time").get<int>();
      if (current.contains("momentum")) in_quark.momentum = current.at("momentum").get<SpatialMomentum>();
      input_.quarks.push_back({name, quark.parameters, quark.momentum, "propagator", in_quark});
    }
  }

  void check_quark(const std::string& key, const FermionFamily& family, const FermionParameters& parameters) const {
    try {
      check_parameters(parameters);
      if (family.check_propagator != nullptr) family.check_propagator(parameters);
    } catch (const ParameterError& error) {
      const std::string named = parameters.kappa && error.parameter() == "mass" ? "kappa" : error.parameter();
      document_.fail(key_of(key, named), error.what());
    } catch (const Error& error) {
      document_.fail(key, error.what());
    }
  }

  void read_sources() {
    const Json& source = json_.at("source");
    MeasuredSources& sources = input_.sources;
    const std::string kind = source.at("kind");
    sources.parameters.kind = std::ranges::find(source_kinds, kind, &SourceWord::word)->value;
    sources.parameters.width = source.at("width");
    sources.parameters.steps = source.at("steps");
    sources.random = source.at("random");
    sources.seed = source.at("seed").get<std::uint64_t>();
    sources.together = source.at("together");
    const bool is_point = sources.are_points();
    const char* const listed = is_point ? "sites" : "times";
    const char* const meaningless = is_point ? "times" : "sites";
    if (source.contains(meaningless)) {
      document_.fail(key_of("source", meaningless), fmt::format("has no meaning with kind = \"{}\"", kind));
    }
    if (source.contains(listed) == (sources.random > 0)) {
      const char* const problem =
          sources.random > 0 ? "and random are both given: give one of them" : "or random is missing";
      document_.fail("source", fmt::format("{} {}", listed, problem));
    }
    if (source.contains("sites")) sources.sites = source.at("sites").get<std::vector<Coordinates>>();
    if (source.contains("times")) sources.times = source.at("times").get<std::vector<int>>();
    detail::require_different(document_, key_of("source", listed),
                              source.contains(listed) ? source.at(listed) : Json::array());
    for (const MeasuredQuark& quark : input_.quarks) {
      if (sources.parameters.kind != SourceKind::point || quark.momentum == SpatialMomentum{}) continue;
      document_.fail(key_of(key_of("quark", quark.name), "momentum"), "point sources have all momenta already");
    }
    if (sources.parameters.kind == SourceKind::gaussian) {
      require_stable("source", sources.parameters.width, sources.parameters.steps);
    } else {
      refuse("source", {"width", "steps"}, fmt::format("with kind = \"{}\", only with gaussian", kind));
    }
  }

  /// Runs `action`; its error becomes one of the key.
  template <class Action>
  void blame(const std::string& key, const Action& action) const {
    try {
      action();
    } catch (const Error& error) {
      document_.fail(key, error.what());
    }
  }

  void require_stable(const std::string& key, double width, int steps) const {
    blame(key_of(key, "width"), [&] { require_stable_smearing(width, steps); });
  }

  void read_sinks() {
    if (!json_.contains("sink")) return;
    for (const auto& [name, sink] : json_.at("sink").items()) {
      const std::string key = key_of("sink", name);
      if (name == "point") document_.fail(key, "the sink 'point' exists already, without smearing: give another name");
      require_stable(key, sink.at("width"), sink.at("steps"));
      input_.sinks.push_back({name, {.width = sink.at("width"), .steps = sink.at("steps")}});
    }
  }

  void read_solver() {
    const Json& solver = json_.at("solver");
    for_each_solver_number([&](const SolverOption& option, auto member) {
      using Number = std::remove_reference_t<decltype(input_.solver.*member)>;
      input_.solver.*member = solver.at(std::string(option.name)).template get<Number>();
    });
    if (input_.solver.tolerance < 1e-15) {
      document_.fail("solver.tolerance",
                     fmt::format("{} is more than double precision can reach (about 1e-15)", input_.solver.tolerance));
    }
    const std::string word = solver.at("method");
    const SolvingMethod& method = *std::ranges::find(krylov_methods, word, &SolvingMethod::word);
    input_.solver.method = method.value;
    for (const MeasuredQuark& quark : input_.quarks) {
      const std::string refusal = detail::refusal_of(method.value, family_of(quark.parameters.action).kind);
      if (!refusal.empty()) document_.fail("solver.method", fmt::format("quark {}: {}", quark.name, refusal));
    }
    if (!method.is_built())
      document_.fail("solver.method", fmt::format("this build of kaon lacks its part '{}'", method.part));
  }

  void read_sloppy() {
    const Json& sloppy = json_.at("sloppy");
    SloppySolves& solves = input_.sloppy.emplace();
    if (sloppy.contains("tolerance") == sloppy.contains("iterations")) {
      document_.fail("sloppy", sloppy.contains("tolerance")
                                   ? "tolerance and iterations are both given: give one of them"
                                   : "tolerance or iterations is missing");
    }
    if (sloppy.contains("tolerance")) solves.accuracy.tolerance = sloppy.at("tolerance");
    if (sloppy.contains("iterations")) solves.accuracy.iterations = sloppy.at("iterations");
    solves.exact = sloppy.at("exact");
    // Others could be beside the sources that correct the bias than beside the rest.
    if (input_.solver.method == KrylovMethod::block_cg) {
      document_.fail("solver.method",
                     "block-cg: the errors of sloppy solves would depend on the sources that are solved for together: "
                     "take auto");
    }
    if (solves.accuracy.iterations == 0 && solves.accuracy.tolerance < input_.solver.tolerance) {
      document_.fail("sloppy.tolerance", fmt::format("{} is below solver.tolerance = {}", solves.accuracy.tolerance,
                                                     input_.solver.tolerance));
    }
    if (static_cast<std::size_t>(solves.exact) > input_.sources.count()) {
      document_.fail("sloppy.exact",
                     fmt::format("{} is above the number of sources, {}", solves.exact, input_.sources.count()));
    }
  }

  const Document& document_;
  Json json_;
  MeasurementInput input_;
};

}  // namespace

MeasurementInput parse_measurement_input(const std::string& text, const std::string& name, bool is_toml) {
  const Document document = detail::parse_document(text, name, is_toml);
  return Reader(document).read();
}

MeasurementInput read_measurement_input(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  require(!is_folder, [&] { return fmt::format("{}: this is a folder, not an input file", file.string()); });
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  require(stream.good() || stream.eof(), [&] { return fmt::format("{}: the file cannot be read", file.string()); });
  require(!text.empty(), [&] { return fmt::format("{}: the file is empty or cannot be read", file.string()); });
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_object = first != std::string::npos && text[first] == '{';  // no document of TOML starts like this
  const auto extension = file.extension();
  return parse_measurement_input(text, file.string(), extension == ".toml" || (extension != ".json" && !is_object));
}

}  // namespace kaon
