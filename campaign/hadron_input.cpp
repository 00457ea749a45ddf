// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/hadron_input.hpp"

#include "campaign/gammas.hpp"
#include "campaign/keys.hpp"
#include "campaign/staggered_mesons.hpp"
#include "core/base/nearest_word.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>
#include <utility>

namespace kaon::detail {
namespace {

/// Spins of three quarks at the sink and at the source, in the order of `three_quark_spin_sums`: "012:333".
std::vector<std::string> open_channels() {
  std::vector<std::string> channels;
  constexpr int components = 4096;
  for (int n = 0; n < components; ++n) {
    channels.push_back(fmt::format("{}{}{}:{}{}{}", n / 1024, n / 256 % 4, n / 64 % 4, n / 16 % 4, n / 4 % 4, n % 4));
  }
  return channels;
}

}  // namespace

HadronReader::HadronReader(const Document& document, MeasurementInput& input, std::vector<MeasuredQuark> doublets)
    : document_(document), input_(input), doublets_(std::move(doublets)) {}

std::size_t HadronReader::place_of_quark(const std::string& key, const std::string& name) {
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
  document_.fail(
      key, fmt::format("there is no quark '{}', only {}{}", name, fmt::join(names, ", "), suggestion(name, names)));
}

bool HadronReader::is_staggered(std::size_t quark) const {
  return family_of(input_.quarks[quark].parameters.action).is_staggered();
}

std::vector<SpatialMomentum> HadronReader::momenta_of(const std::string& key, const Json& hadron) const {
  std::vector<SpatialMomentum> momenta;
  if (hadron.contains("momenta")) {
    require_different(document_, key_of(key, "momenta"), hadron.at("momenta"));
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

MeasuredHadron HadronReader::common_parts(const std::string& key, const Json& hadron, std::size_t quarks) {
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
  result.key = key;
  result.momenta = momenta_of(key, hadron);
  result.sinks = hadron.at("sinks").get<std::vector<std::string>>();
  require_different(document_, key_of(key, "sinks"), hadron.at("sinks"));
  for (std::size_t n = 0; n < result.sinks.size(); ++n) {
    if (result.sinks[n] == "point" || std::ranges::count(input_.sinks, result.sinks[n], &MeasuredSink::name) > 0) {
      continue;
    }
    std::vector<std::string> names_of_sinks{"point"};
    for (const MeasuredSink& sink : input_.sinks) names_of_sinks.push_back(sink.name);
    document_.fail(key_of(key_of(key, "sinks"), n),
                   fmt::format("there is no sink '{}', only {}{}", result.sinks[n], fmt::join(names_of_sinks, ", "),
                               suggestion(result.sinks[n], names_of_sinks)));
  }
  return result;
}

std::vector<GammaPair> HadronReader::pairs_of(const std::string& key, const std::string& word) const {
  try {
    return gamma_pairs(word);
  } catch (const Error& error) {
    document_.fail(key, error.what());
  }
}

void HadronReader::read_meson(const std::string& key, const Json& meson) {
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

void HadronReader::add_spin_tastes(const std::string& at, const std::string& given, MeasuredHadron& meson) const {
  try {
    for (const std::string& word : spin_taste_words(given)) {
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
  if (std::ranges::any_of(meson.channels, is_spin_taste) && !(is_sign(0) && is_sign(1) && is_sign(2) && is_sign(3))) {
    document_.fail(at,
                   "tastes other than g5 need quarks that are periodic in space, and periodic or antiperiodic in time");
  }
}

void HadronReader::read_baryon(const std::string& key, const Json& baryon) {
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
  result.channels = chosen(document_, key_of(key, "channels"), baryon.at("channels"), projector_words());
  if (staggered) result.channels = {"local"};
  if (open) result.channels = open_channels();
  add_hadron(key, std::move(result));
}

std::map<std::string, std::vector<std::string>> HadronReader::sources_by_sink(const std::string& key,
                                                                              const Json& words) const {
  std::map<std::string, std::vector<std::string>> sources;
  for (std::size_t n = 0; n < words.size(); ++n) {
    for (const GammaPair& pair : pairs_of(key_of(key, n), words[n])) {
      std::vector<std::string>& of_sink = sources[pair.sink];
      if (std::ranges::find(of_sink, pair.source) == of_sink.end()) of_sink.push_back(pair.source);
    }
  }
  return sources;
}

void HadronReader::check_currents(const std::string& key, const MeasuredHadron& hadron,
                                  const std::vector<std::string>& currents) {
  const bool has_conserved = std::ranges::any_of(
      currents, [](const std::string& word) { return current_of(word).kind == CurrentKind::conserved; });
  for (const std::size_t quark : hadron.quarks) {
    const FermionFamily& family = family_of(input_.quarks[quark].parameters.action);
    const auto fail = [&](const char* reason) {
      document_.fail(key_of(key, "quarks"), fmt::format("quark {}: {}", input_.quarks[quark].name, reason));
    };
    if (family.is_staggered()) fail("staggered quarks have no three-point functions");
    if (input_.quarks[quark].current) fail("it has a current already");
    if (family.reads("mu")) fail("twisted masses have none of these three-point functions, which need S = g5 S^dag g5");
    const FermionParameters& parameters = input_.quarks[quark].parameters;
    if (has_conserved && family.reads("slices") && parameters.b + parameters.c == 0.0) {
      document_.fail(key_of(key, "currents"),
                     fmt::format("quark {}: b + c = 0 has no conserved currents", input_.quarks[quark].name));
    }
  }
}

void HadronReader::read_three_point(const std::string& key, const Json& given) {
  if (!given.contains("kind")) document_.fail(key, "kind is missing");
  const std::string kind = given.at("kind");
  const bool is_meson = kind == "meson";
  const int count = is_meson ? 2 : baryon_quarks(baryon_operator(kind));
  MeasuredHadron base = common_parts(key, given, static_cast<std::size_t>(count));
  base.kind = "three_point";
  if (!given.contains("sink_times")) document_.fail(key, "sink_times is missing");
  require_different(document_, key_of(key, "sink_times"), given.at("sink_times"));
  require_different(document_, key_of(key, "sink_momenta"), given.at("sink_momenta"));
  std::vector<std::string> flavors{"u", "d", "s"};
  flavors.resize(static_cast<std::size_t>(count));
  const std::vector<std::string> wanted = given.contains("flavors")
                                              ? chosen(document_, key_of(key, "flavors"), given.at("flavors"), flavors)
                                          : is_meson ? std::vector<std::string>{"u"}
                                                     : flavors;
  std::vector<std::string> currents;
  for (std::size_t n = 0; n < given.at("currents").size(); ++n) {
    try {
      for (std::string& word : current_words(given.at("currents")[n])) {
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
         chosen(document_, key_of(key, "projectors"), given.at("projectors"), projector_words())) {
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
          hadron.name = fmt::format("{}_{}_{}_{}_t{}_p{}_{}_{}", kind, base.name, flavor, sink, time, p[0], p[1], p[2]);
          add_hadron(key, std::move(hadron));
        }
      }
    }
  }
}

void HadronReader::add_hadron(const std::string& key, MeasuredHadron hadron) {
  for (const MeasuredHadron& known : input_.hadrons) {
    if (known.kind == hadron.kind && known.name == hadron.name) {
      document_.fail(key, fmt::format("there is another {} {}: put both into one table", hadron.kind, hadron.name));
    }
  }
  input_.hadrons.push_back(std::move(hadron));
}

void HadronReader::read(const Json& content) {
  const auto read_each = [&](const std::string& table,
                             void (HadronReader::*read_one)(const std::string&, const Json&)) {
    if (!content.contains(table)) return;
    for (std::size_t n = 0; n < content.at(table).size(); ++n) {
      (this->*read_one)(key_of(table, n), content.at(table)[n]);
    }
  };
  read_each("meson", &HadronReader::read_meson);
  read_each("baryon", &HadronReader::read_baryon);
  read_each("three_point", &HadronReader::read_three_point);
  if (input_.hadrons.empty()) document_.fail("meson", "there is nothing to measure: write [[meson]]");
}

}  // namespace kaon::detail
