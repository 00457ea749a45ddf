// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/gammas.hpp"
#include "campaign/hdf5_image.hpp"
#include "campaign/keys.hpp"
#include "campaign/staggered_mesons.hpp"
#include "core/base/nearest_word.hpp"

#include <kaon/campaign/measurement_input.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

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
    read_quarks();
    read_sources();
    read_currents();
    read_sinks();
    read_hadrons();
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
    if (input_.layout == "hadrons" && input_.format != "hdf5") {
      document_.fail("output.format", "the layout of Hadrons is for HDF5 alone");
    }
    for (const MeasuredHadron& hadron : input_.hadrons) {
      if (input_.layout != "hadrons") continue;
      if (hadron.kind == "meson" && std::ranges::any_of(hadron.channels, detail::is_spin_taste)) {
        document_.fail("output.layout", "the layout of Hadrons has no tastes of staggered mesons");
      }
      if (!hadron.three_point) continue;
      for (const std::string& words : hadron.channels) {
        const std::string word = words.substr(0, words.find(':'));
        if (detail::current_of(word).kind == detail::CurrentKind::local) continue;
        document_.fail("output.layout",
                       fmt::format("the layout of Hadrons has currents without links alone, not {}", word));
      }
    }
    input_.text = json_.dump(-1, ' ', true, Json::error_handler_t::replace);
    return std::move(input_);
  }

 private:
  void read_links() {
    const Json& links = json_.at("links");
    input_.links = {.method = links.at("smearing"),
                    .strength = links.at("strength"),
                    .steps = links.at("steps"),
                    .in_space = links.at("directions") == "space",
                    .of_quarks = links.at("quarks")};
    if (input_.links.of_quarks && input_.links.method == "none") {
      document_.fail("links.quarks", "there are no smeared links: set links.smearing");
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

  void read_quarks() {
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
        doublets_.push_back(measured);
      }
    }
  }

  void read_currents() {
    if (!json_.contains("current")) return;
    for (const auto& [name, current] : json_.at("current").items()) {
      const std::string key = key_of("current", name);
      for (const char* needed : {"quark", "gamma"}) {
        if (!current.contains(needed)) document_.fail(key, fmt::format("{} is missing", needed));
      }
      if (std::ranges::find(input_.quarks, name, &MeasuredQuark::name) != input_.quarks.end()) {
        document_.fail(key, fmt::format("there is a quark '{}': give another name", name));
      }
      const std::size_t place = place_of_quark(key_of(key, "quark"), current.at("quark"));
      const MeasuredQuark& quark = input_.quarks[place];
      const std::string gamma = current.at("gamma");
      if (quark.current) document_.fail(key_of(key, "quark"), fmt::format("{} has a current already", quark.name));
      if (is_staggered(place) || quark.propagator != "propagator") {
        document_.fail(key_of(key, "quark"),
                       fmt::format("{} is no quark of one flavor with spin, which currents need", quark.name));
      }
      const std::vector<std::string> gammas(gamma_words.begin(), gamma_words.end());
      chosen(key_of(key, "gamma"), Json::array({gamma}), gammas);
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
    const bool is_point =
        sources.parameters.kind == SourceKind::point || sources.parameters.kind == SourceKind::gaussian;
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
    require_different(key_of("source", listed), source.contains(listed) ? source.at(listed) : Json::array());
    for (const MeasuredQuark& quark : input_.quarks) {
      if (sources.parameters.kind != SourceKind::point || quark.momentum == SpatialMomentum{}) continue;
      document_.fail(key_of(key_of("quark", quark.name), "momentum"), "point sources have all momenta already");
    }
    if (is_point && sources.parameters.kind == SourceKind::gaussian) {
      require_stable("source", sources.parameters.width, sources.parameters.steps);
    }
  }

  /// Elements of a list must differ: a correlator would be measured twice.
  void require_different(const std::string& key, const Json& list) const {
    std::set<std::string> known;
    for (std::size_t n = 0; n < list.size(); ++n) {
      if (!known.insert(list[n].dump()).second) {
        document_.fail(key_of(key, n), fmt::format("{} is in the list twice", list[n].dump()));
      }
    }
  }

  void require_stable(const std::string& key, double width, int steps) const {
    if (width * width <= 2.0 / 3.0 * steps) return;
    document_.fail(key_of(key, "width"),
                   fmt::format("smearing to {} in {} steps grows without bound: width^2 is at most 2/3 of the steps",
                               width, steps));
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

  /// Adds a propagator of a doublet to the quarks when a hadron has it first.
  std::size_t place_of_quark(const std::string& key, const std::string& name) {
    const auto found = std::ranges::find(input_.quarks, name, &MeasuredQuark::name);
    if (found != input_.quarks.end()) return static_cast<std::size_t>(found - input_.quarks.begin());
    const auto of_doublet = std::ranges::find(doublets_, name, &MeasuredQuark::name);
    if (of_doublet != doublets_.end()) {
      input_.quarks.push_back(*of_doublet);
      return input_.quarks.size() - 1;
    }
    std::vector<std::string> names;
    for (const auto* const list : {&input_.quarks, &doublets_}) {
      for (const MeasuredQuark& quark : *list) {
        if (std::ranges::find(names, quark.name) == names.end()) names.push_back(quark.name);
      }
    }
    document_.fail(key, fmt::format("there is no quark '{}', only {}{}", name, fmt::join(names, ", "),
                                    detail::suggestion(name, names)));
  }

  std::vector<SpatialMomentum> momenta_of(const std::string& key, const Json& hadron) const {
    std::vector<SpatialMomentum> momenta;
    if (hadron.contains("momenta")) {
      require_different(key_of(key, "momenta"), hadron.at("momenta"));
      momenta = hadron.at("momenta").get<std::vector<SpatialMomentum>>();
    }
    if (hadron.contains("momentum_squared")) {
      const int square = hadron.at("momentum_squared");
      constexpr int largest = 100;
      if (square > largest) {
        document_.fail(key_of(key, "momentum_squared"), fmt::format("{} is above {}", square, largest));
      }
      for (const SpatialMomentum& p : momenta_up_to(square)) {
        if (std::ranges::find(momenta, p) == momenta.end()) momenta.push_back(p);
      }
    }
    if (momenta.empty()) momenta.push_back({0, 0, 0});
    return momenta;
  }

  /// Quarks, momenta and sinks of a hadron.
  MeasuredHadron common_parts(const std::string& key, const Json& hadron, std::size_t quarks) {
    MeasuredHadron result;
    if (!hadron.contains("quarks")) document_.fail(key, "quarks is missing");
    const Json& names = hadron.at("quarks");
    if (names.size() != quarks) {
      document_.fail(key_of(key, "quarks"), fmt::format("{} quarks are needed, not {}", quarks, names.size()));
    }
    for (std::size_t n = 0; n < names.size(); ++n) {
      result.quarks.push_back(place_of_quark(key_of(key_of(key, "quarks"), n), names[n]));
      result.name += (n == 0 ? "" : "_") + names[n].get<std::string>();
    }
    result.momenta = momenta_of(key, hadron);
    result.sinks = hadron.at("sinks").get<std::vector<std::string>>();
    require_different(key_of(key, "sinks"), hadron.at("sinks"));
    for (std::size_t n = 0; n < result.sinks.size(); ++n) {
      if (result.sinks[n] == "point" || std::ranges::count(input_.sinks, result.sinks[n], &MeasuredSink::name) > 0) {
        continue;
      }
      std::vector<std::string> names_of_sinks{"point"};
      for (const MeasuredSink& sink : input_.sinks) names_of_sinks.push_back(sink.name);
      document_.fail(key_of(key_of(key, "sinks"), n),
                     fmt::format("there is no sink '{}', only {}{}", result.sinks[n], fmt::join(names_of_sinks, ", "),
                                 detail::suggestion(result.sinks[n], names_of_sinks)));
    }
    return result;
  }

  bool is_staggered(std::size_t quark) const {
    return family_of(input_.quarks[quark].parameters.action).is_staggered();
  }

  std::vector<GammaPair> pairs_of(const std::string& key, const std::string& word) const {
    try {
      return detail::gamma_pairs(word);
    } catch (const Error& error) {
      document_.fail(key, error.what());
    }
  }

  void read_meson(const std::string& key, const Json& meson) {
    MeasuredHadron result = common_parts(key, meson, 2);
    result.kind = "meson";
    const bool staggered = is_staggered(result.quarks[0]);
    if (staggered != is_staggered(result.quarks[1])) {
      document_.fail(key_of(key, "quarks"), "a staggered quark and one with spin have no meson here");
    }
    const Json& words = meson.at("gammas");
    for (std::size_t n = 0; n < words.size(); ++n) {
      const std::string at = key_of(key_of(key, "gammas"), n);
      if (staggered) {
        add_spin_tastes(at, words[n], result);
        continue;
      }
      for (const GammaPair& pair : pairs_of(at, words[n])) {
        if (std::ranges::find(result.gammas, pair) != result.gammas.end()) continue;
        result.gammas.push_back(pair);
        result.channels.push_back(pair.sink + ":" + pair.source);
      }
    }
    add_hadron(key, std::move(result));
  }

  void add_spin_tastes(const std::string& at, const std::string& given, MeasuredHadron& meson) const {
    try {
      for (const std::string& word : detail::spin_taste_words(given)) {
        const std::string channel = word + ":" + word;
        if (std::ranges::find(meson.channels, channel) != meson.channels.end()) continue;
        meson.channels.push_back(channel);
        meson.gammas.push_back({"g5", "g5"});
      }
    } catch (const Error& error) {
      document_.fail(at, error.what());
    }
    const auto is_sign = [&](std::size_t mu) {
      return input_.boundary[mu] == 0.0 || (mu == 3 && input_.boundary[mu] == std::numbers::pi);
    };
    if (std::ranges::any_of(meson.channels, detail::is_spin_taste) &&
        !(is_sign(0) && is_sign(1) && is_sign(2) && is_sign(3))) {
      document_.fail(
          at, "tastes other than g5 need quarks that are periodic in space, and periodic or antiperiodic in time");
    }
  }

  void read_baryon(const std::string& key, const Json& baryon) {
    if (!baryon.contains("kind")) document_.fail(key, "kind is missing");
    const std::string kind = baryon.at("kind");
    const bool staggered = kind == "staggered";
    const bool open = kind == "open";
    const int quarks = staggered ? 1 : open ? 3 : baryon_quarks(baryon_operator(kind));
    MeasuredHadron result = common_parts(key, baryon, static_cast<std::size_t>(quarks));
    result.kind = kind;
    result.name = kind + "_" + result.name;
    for (const std::size_t quark : result.quarks) {
      if (is_staggered(quark) == staggered) continue;
      document_.fail(key_of(key, "quarks"),
                     fmt::format("kind = \"{}\" is for quarks {} spin", kind, staggered ? "without" : "with"));
    }
    result.channels = chosen(key_of(key, "channels"), baryon.at("channels"), detail::projector_words());
    if (staggered) result.channels = {"local"};
    if (open) result.channels = open_channels();
    add_hadron(key, std::move(result));
  }

  /// Spins of three quarks at the sink and at the source, in the order of `three_quark_spin_sums`: "012:333".
  static std::vector<std::string> open_channels() {
    std::vector<std::string> channels;
    constexpr int components = 4096;
    for (int n = 0; n < components; ++n) {
      channels.push_back(fmt::format("{}{}{}:{}{}{}", n / 1024, n / 256 % 4, n / 64 % 4, n / 16 % 4, n / 4 % 4, n % 4));
    }
    return channels;
  }

  /// Words of a list that `choices` has.
  std::vector<std::string> chosen(const std::string& key, const Json& list,
                                  const std::vector<std::string>& choices) const {
    require_different(key, list);
    for (std::size_t n = 0; n < list.size(); ++n) {
      const std::string word = list[n];
      if (std::ranges::find(choices, word) != choices.end()) continue;
      document_.fail(key_of(key, n), fmt::format("'{}' is none of {}{}", word, fmt::join(choices, ", "),
                                                 detail::suggestion(word, choices)));
    }
    return list.get<std::vector<std::string>>();
  }

  /// The words of a meson's source gammas by that of its sink, each of which needs a solve.
  std::map<std::string, std::vector<std::string>> sources_by_sink(const std::string& key, const Json& words) const {
    std::map<std::string, std::vector<std::string>> sources;
    for (std::size_t n = 0; n < words.size(); ++n) {
      for (const GammaPair& pair : pairs_of(key_of(key, n), words[n])) {
        std::vector<std::string>& of_sink = sources[pair.sink];
        if (std::ranges::find(of_sink, pair.source) == of_sink.end()) of_sink.push_back(pair.source);
      }
    }
    return sources;
  }

  void check_currents(const std::string& key, const MeasuredHadron& hadron, const std::vector<std::string>& currents) {
    const bool has_conserved = std::ranges::any_of(currents, [](const std::string& word) {
      return detail::current_of(word).kind == detail::CurrentKind::conserved;
    });
    for (const std::size_t quark : hadron.quarks) {
      const FermionFamily& family = family_of(input_.quarks[quark].parameters.action);
      const auto fail = [&](const char* reason) {
        document_.fail(key_of(key, "quarks"), fmt::format("quark {}: {}", input_.quarks[quark].name, reason));
      };
      if (family.is_staggered()) fail("staggered quarks have no three-point functions");
      if (input_.quarks[quark].current) fail("it has a current already");
      if (family.reads("mu"))
        fail("twisted masses have none of these three-point functions, which need S = g5 S^dag g5");
      if (has_conserved && family.reads("slices")) {
        document_.fail(key_of(key, "currents"),
                       "the conserved currents are those of Wilson and clover quarks, without slices");
      }
    }
  }

  void read_three_point(const std::string& key, const Json& given) {
    if (!given.contains("kind")) document_.fail(key, "kind is missing");
    const std::string kind = given.at("kind");
    const bool is_meson = kind == "meson";
    const int count = is_meson ? 2 : baryon_quarks(baryon_operator(kind));
    MeasuredHadron base = common_parts(key, given, static_cast<std::size_t>(count));
    base.kind = "three_point";
    if (!given.contains("sink_times")) document_.fail(key, "sink_times is missing");
    require_different(key_of(key, "sink_times"), given.at("sink_times"));
    require_different(key_of(key, "sink_momenta"), given.at("sink_momenta"));
    std::vector<std::string> flavors{"u", "d", "s"};
    flavors.resize(static_cast<std::size_t>(count));
    const std::vector<std::string> wanted = given.contains("flavors")
                                                ? chosen(key_of(key, "flavors"), given.at("flavors"), flavors)
                                            : is_meson ? std::vector<std::string>{"u"}
                                                       : flavors;
    std::vector<std::string> currents;
    for (std::size_t n = 0; n < given.at("currents").size(); ++n) {
      try {
        for (std::string& word : detail::current_words(given.at("currents")[n])) {
          if (std::ranges::find(currents, word) == currents.end()) currents.push_back(std::move(word));
        }
      } catch (const Error& error) {
        document_.fail(key_of(key_of(key, "currents"), n), error.what());
      }
    }
    check_currents(key, base, currents);
    std::map<std::string, std::vector<std::string>> sources;
    if (is_meson) {
      sources = sources_by_sink(key_of(key, "gammas"), given.at("gammas"));
    } else {
      for (const std::string& word :
           chosen(key_of(key, "projectors"), given.at("projectors"), detail::projector_words())) {
        sources[word] = {};
      }
    }
    for (const auto& [sink, of_sink] : sources) {
      base.channels = currents;
      if (is_meson) {
        base.channels.clear();
        for (const std::string& source : of_sink) {
          for (const std::string& current : currents) base.channels.push_back(current + ":" + source);
        }
      }
      for (const std::string& flavor : wanted) {
        for (const int time : given.at("sink_times").get<std::vector<int>>()) {
          for (const SpatialMomentum& p : given.at("sink_momenta").get<std::vector<SpatialMomentum>>()) {
            MeasuredHadron hadron = base;
            hadron.three_point = {kind, static_cast<int>(std::ranges::find(flavors, flavor) - flavors.begin()), sink,
                                  time, p};
            hadron.name =
                fmt::format("{}_{}_{}_{}_t{}_p{}_{}_{}", kind, base.name, flavor, sink, time, p[0], p[1], p[2]);
            add_hadron(key, std::move(hadron));
          }
        }
      }
    }
  }

  void add_hadron(const std::string& key, MeasuredHadron hadron) {
    for (const MeasuredHadron& known : input_.hadrons) {
      if (known.kind == hadron.kind && known.name == hadron.name) {
        document_.fail(key, fmt::format("there is another {} {}: put both into one table", hadron.kind, hadron.name));
      }
    }
    input_.hadrons.push_back(std::move(hadron));
  }

  void read_hadrons() {
    const auto read_each = [&](const std::string& table, void (Reader::*read)(const std::string&, const Json&)) {
      if (!json_.contains(table)) return;
      for (std::size_t n = 0; n < json_.at(table).size(); ++n) (this->*read)(key_of(table, n), json_.at(table)[n]);
    };
    read_each("meson", &Reader::read_meson);
    read_each("baryon", &Reader::read_baryon);
    read_each("three_point", &Reader::read_three_point);
    if (input_.hadrons.empty()) document_.fail("meson", "there is nothing to measure: write [[meson]]");
  }

  void read_solver() {
    const Json& solver = json_.at("solver");
    for_each_solver_number([&](const SolverOption& option, auto member) {
      using Number = std::remove_reference_t<decltype(input_.solver.*member)>;
      input_.solver.*member = solver.at(std::string(option.name)).template get<Number>();
    });
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
  std::vector<MeasuredQuark> doublets_;  ///< their propagators, which hadrons may name
};

}  // namespace

MeasurementInput parse_measurement_input(const std::string& text, const std::string& name, bool is_toml) {
  const Document document = detail::parse_document(text, name, is_toml);
  return Reader(document).read();
}

MeasurementInput read_measurement_input(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  require(stream.good() || stream.eof(), [&] { return fmt::format("{}: the file cannot be read", file.string()); });
  require(!text.empty(), [&] { return fmt::format("{}: the file is empty or cannot be read", file.string()); });
  return parse_measurement_input(text, file.string(), file.extension() == ".toml");
}

}  // namespace kaon
