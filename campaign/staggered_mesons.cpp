// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "campaign/staggered_mesons.hpp"

#include "campaign/contract.hpp"
#include "core/base/parts.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/measure/contractions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace kaon::detail {
namespace {

using Values = std::vector<std::complex<double>>;

/// The bits of a product of gamma matrices, without its sign: g5 is all of them.
int bits_of(std::string_view gamma) {
  int bits = 0;
  for (const char c : gamma) {
    if (c == '5') bits ^= 15;
    if (c >= '2' && c <= '4') bits ^= 1 << (c - '1');
    if (c == '1' && gamma != "1") bits ^= 1;
  }
  return bits;
}

}  // namespace

std::vector<std::string> spin_taste_words(const std::string& word) {
  const std::size_t dash = word.find('-');
  const std::string spin = word.substr(0, dash), taste = dash == word.npos ? spin : word.substr(dash + 1);
  const auto is_gamma = [](const std::string& gamma) {
    return std::ranges::find(gamma_words, gamma) != gamma_words.end();
  };
  const bool is_goldstone = word == goldstone;
  require(is_goldstone || (dash != word.npos && is_gamma(spin) && (taste == "all" || is_gamma(taste))), [&] {
    return fmt::format(
        "'{}' is no operator of staggered mesons: give g5, the Goldstone pion, or gamma matrices of spin and taste "
        "such as g5-g4; g5-all is 16 tastes",
        word);
  });
  std::vector<std::string> words;
  for (const std::string_view each : gamma_words) {
    if (taste != "all" && taste != each) continue;
    words.push_back(bits_of(spin) == 15 && bits_of(each) == 15 ? std::string(goldstone)
                                                               : fmt::format("{}-{}", spin, each));
  }
  return words;
}

SpinTaste spin_taste_of(std::string_view word) {
  const std::size_t dash = word.find('-');
  if (dash == word.npos) return {15, 15};
  return {bits_of(word.substr(0, dash)), bits_of(word.substr(dash + 1))};
}

Values staggered_mesons(const MeasuredHadron& hadron, const MeasurementInput& input, const StaggeredFields& fields) {
  const Phase phase(PhaseName::contract);
  const ContractionParameters parameters{.source_site = fields.source.site, .momenta = hadron.momenta};
  std::optional<GaugeField<double>> phased;
  std::vector<Values> of_channels;
  for (const std::string& words : hadron.channels) {
    const std::string channel = words.substr(0, words.find(':'));
    if (channel == goldstone) {
      of_channels.push_back(staggered_meson_correlators(fields.quark, fields.antiquark, parameters));
      continue;
    }
    if (!phased) {
      phased.emplace(fields.links, fields.links.storage());
      if constexpr (Parts::staggered) fold_staggered_phases(*phased, {.antiperiodic = input.boundary[3] != 0.0});
    }
    const SpinorField<double> from_operator = fields.solve(channel, *phased);
    SpinorField<double> psi(from_operator.lattice(), from_operator.parameters());
    if constexpr (Parts::staggered) apply_spin_taste(psi, from_operator, *phased, spin_taste_of(channel));
    of_channels.push_back(staggered_meson_correlators(psi, fields.antiquark, parameters));
  }
  const Lattice& lattice = fields.links.lattice();
  return by_momentum(of_channels, static_cast<std::size_t>(lattice.extents()[3]),
                     number_of_sources(fields.source, lattice));
}

}  // namespace kaon::detail
