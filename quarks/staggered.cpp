// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "quarks/families.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/parameter_error.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

namespace kaon {

using detail::Parts;

ImprovedLinks smeared_links(const GaugeField<double>& thin, const FermionParameters& p) {
  if constexpr (Parts::staggered) {
    if (p.action == FermionAction::hisq) return hisq_links(thin, p.naik_epsilon);
    require(p.action == FermionAction::asqtad, "only asqtad and HISQ quarks make links");
    require(!std::isnan(p.u0), "u0 is not set: asqtad links need it");
    return asqtad_links(thin, p.u0);
  }
  detail::refuse_part("staggered");
}

Quark<double> make_quark(const ImprovedLinks& links, const FermionParameters& p) {
  if constexpr (Parts::staggered) {
    return ImprovedStaggered<double>(links.fat, links.third,
                                     {.mass = p.mass, .third_weight = links.third_weight, .boundary = p.boundary});
  }
  detail::refuse_part("staggered");
}

namespace {

constexpr auto make_naive = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
  if constexpr (Parts::staggered) return Staggered<T>(links, {p.mass, p.boundary});
  detail::refuse_part("staggered");
};

constexpr auto make_smeared = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
  if constexpr (std::is_same_v<T, double>) return make_quark(smeared_links(links, p), p);
  throw Error("links of asqtad and HISQ are made in double: give such links");
};

constexpr auto refuse_thin = []<class T>(const GaugeField<T>&, const FermionParameters&) -> Quark<T> {
  throw Error("improved staggered quarks are made of fat and third links: give those");
};

/// Sites of one parity are divided by 2m.
void check_propagator(const FermionParameters& p) {
  const double square = 4.0 * p.mass * p.mass;
  if (p.mass == 0.0)
    throw ParameterError("mass", "0 has no staggered propagator here: sites of one parity are divided by 2m");
  if (!std::isnormal(square)) {
    throw ParameterError("mass", fmt::format("4m^2 of the staggered operator is {} for m = {}", square, p.mass));
  }
}

/// Adds what all families of staggered quarks share.
FermionFamily staggered_family(FermionFamily family) {
  family.part = "staggered";
  family.kind = OperatorKind::staggered;
  family.schur = std::nullopt;
  family.several_masses = true;
  family.normal_matrix = "4m^2 - D_eo D_oe";
  family.pion_note =
      "The Goldstone pion of two quarks of one mass has no oscillating partner: nothing is taken out of C(t).";
  family.check_propagator = check_propagator;
  return family;
}

}  // namespace

std::span<const FermionFamily> detail::staggered_families() {
  static const FermionFamily families[]{
      staggered_family({.action = FermionAction::staggered,
                        .name = "staggered",
                        .program = "staggered",
                        .title = "naive staggered, 2m + D",
                        .parameters = {"mass"},
                        .make = make_naive}),
      staggered_family({.action = FermionAction::asqtad,
                        .name = "asqtad",
                        .program = "asqtad",
                        .title = "asqtad, 2m + D",
                        .links = FamilyLinks::smeared,
                        .link_reals = {18, 14, 12, 10, 8},  // third links are products of three links in SU(3)
                        .parameters = {"mass", "u0"},
                        .needed = {"u0"},
                        .make = make_smeared}),
      staggered_family({.action = FermionAction::hisq,
                        .name = "hisq",
                        .program = "hisq",
                        .title = "HISQ, 2m + D",
                        .links = FamilyLinks::smeared,
                        .link_reals = {18, 14, 10},
                        .parameters = {"mass", "naik_epsilon"},
                        .make = make_smeared}),
      staggered_family({.action = FermionAction::improved,
                        .name = "improved",
                        .program = "improved",
                        .title = "improved staggered, 2m + D, with links of files",
                        .links = FamilyLinks::given,
                        .link_reals = {18, 14, 10},
                        .has_forces = false,
                        .is_predicted = false,
                        .parameters = {"mass"},
                        .make = refuse_thin}),
  };
  return families;
}

}  // namespace kaon
