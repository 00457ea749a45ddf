// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"

#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/measure/propagate.hpp>

#include <algorithm>
#include <utility>

namespace kaon {
namespace {

/// Quarks with the same links, before their operator is made.
struct Masses {
  FermionParameters parameters;  // of the first mass
  std::vector<double> masses;
  std::vector<std::size_t> places;
};

bool share_links(const FermionParameters& one, const FermionParameters& other) {
  const FermionFamily& family = family_of(one.action);
  if (!family.is_staggered() || one.action != other.action || one.boundary != other.boundary) return false;
  return std::ranges::all_of(family_parameters, [&](const FermionParameter& row) {
    return row.name == "mass" || !family.reads(row.name) || row.get(one) == row.get(other);
  });
}

}  // namespace

std::vector<QuarkGroup> quark_groups(const GaugeField<double>& thin, std::span<const FermionParameters> quarks) {
  const bool fattens =
      std::ranges::any_of(quarks, [](const auto& quark) { return family_of(quark.action).makes_links(); });
  GaugeField<double> projected = fattens ? thin.clone() : thin.share();
  if (fattens) reunitarize(projected);
  const auto links_of = [&](const Masses& m) -> const GaugeField<double>& {
    return family_of(m.parameters.action).makes_links() ? projected : thin;
  };
  std::vector<Masses> together;
  for (std::size_t n = 0; n < quarks.size(); ++n) {
    auto found = std::ranges::find_if(together, [&](const Masses& m) { return share_links(m.parameters, quarks[n]); });
    if (found == together.end()) found = together.insert(found, Masses{quarks[n], {}, {}});
    found->masses.push_back(quarks[n].mass);
    found->places.push_back(n);
  }
  std::vector<QuarkGroup> groups;
  const auto is_hisq = [](const Masses& m) { return m.parameters.action == FermionAction::hisq; };
  if (std::ranges::count_if(together, is_hisq) < 2) {
    for (Masses& m : together) {
      groups.push_back({make_quark(links_of(m), m.parameters), std::move(m.masses), std::move(m.places)});
    }
    return groups;
  }
  if constexpr (detail::Parts::staggered) {
    std::vector<double> epsilons;
    for (const Masses& m : together) {
      if (is_hisq(m)) epsilons.push_back(m.parameters.naik_epsilon);
    }
    std::vector<ImprovedLinks> improved = hisq_links(projected, epsilons);
    auto next = improved.begin();
    const auto make = [&](const Masses& m) {
      return is_hisq(m) ? make_quark(*next++, m.parameters) : make_quark(links_of(m), m.parameters);
    };
    for (Masses& m : together) groups.push_back({make(m), std::move(m.masses), std::move(m.places)});
    return groups;
  }
  detail::refuse_part("staggered");
}

}  // namespace kaon
