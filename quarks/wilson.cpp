// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/families.hpp"

#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

namespace kaon {
namespace {

WilsonParameters wilson_parameters(const FermionParameters& p) { return {p.mass, p.anisotropy, p.boundary}; }

WilsonCloverParameters clover_parameters(const FermionParameters& p) {
  return {p.mass, p.csw, p.csw_temporal, p.anisotropy, p.boundary};
}

void check(const FermionParameters& p) { check_parameters(wilson_parameters(p)); }

}  // namespace

std::span<const FermionFamily> detail::wilson_families() {
  static const FermionFamily families[]{
      {.action = FermionAction::wilson,
       .name = "wilson",
       .program = "wilson",
       .title = "Wilson",
       .parameters = {"mass", "kappa", "xi0", "nu"},
       .check = check,
       .make = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
         return Wilson<T>(links, wilson_parameters(p));
       }},
      {.action = FermionAction::wilson_clover,
       .name = "wilson_clover",
       .program = "clover",
       .title = "Wilson-clover",
       .parameters = {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"},
       .needed = {"csw"},
       .make = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
         return WilsonClover<T>(links, clover_parameters(p));
       }},
      {.action = FermionAction::exponential_clover,
       .name = "exponential_clover",
       .program = "exp-clover",
       .title = "Wilson with an exponential clover term",
       .has_forces = false,
       .parameters = {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"},
       .needed = {"csw"},
       .check = check,
       .make = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
         return make_exponential_clover(links, clover_parameters(p));
       }},
  };
  return families;
}

}  // namespace kaon
