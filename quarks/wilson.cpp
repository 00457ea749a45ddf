// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quarks/families.hpp"

#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

namespace kaon {
namespace {

WilsonParameters wilson_parameters(const FermionParameters& p) { return {p.mass, p.anisotropy, p.boundary}; }

template <class T>
Quark<T> make_wilson(const GaugeField<T>& links, const FermionParameters& p) {
  return Wilson<T>(links, wilson_parameters(p));
}

template <class T>
Quark<T> make_wilson_clover(const GaugeField<T>& links, const FermionParameters& p) {
  return WilsonClover<T>(links, {p.mass, p.csw, p.csw_temporal, p.anisotropy, p.boundary});
}

template <class T>
Quark<T> make_exponential(const GaugeField<T>& links, const FermionParameters& p) {
  return make_exponential_clover(links, {p.mass, p.csw, p.csw_temporal, p.anisotropy, p.boundary});
}

}  // namespace

std::span<const FermionFamily> detail::wilson_families() {
  static const FermionFamily families[]{
      {.action = FermionAction::wilson,
       .name = "wilson",
       .program = "wilson",
       .title = "Wilson",
       .parameters = {"mass", "kappa", "xi0", "nu"},
       .check = [](const FermionParameters& p) { check_parameters(wilson_parameters(p)); },
       .make = make_wilson<double>,
       .make_single = make_wilson<float>},
      {.action = FermionAction::wilson_clover,
       .name = "wilson_clover",
       .program = "clover",
       .title = "Wilson-clover",
       .parameters = {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"},
       .needed = {"csw"},
       .make = make_wilson_clover<double>,
       .make_single = make_wilson_clover<float>},
      {.action = FermionAction::exponential_clover,
       .name = "exponential_clover",
       .program = "exp-clover",
       .title = "Wilson with an exponential clover term",
       .has_forces = false,
       .parameters = {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"},
       .needed = {"csw"},
       .check = [](const FermionParameters& p) { check_parameters(wilson_parameters(p)); },
       .make = make_exponential<double>,
       .make_single = make_exponential<float>},
  };
  return families;
}

}  // namespace kaon
