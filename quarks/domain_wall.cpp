// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "quarks/families.hpp"

#include <kaon/operators/domain_wall.hpp>
#include <kaon/quarks/make_quark.hpp>

namespace kaon {
namespace {

DomainWallParameters domain_wall_parameters(const FermionParameters& p) {
  return {.mass = p.mass,
          .m5 = p.m5,
          .slices = p.slices,
          .b = p.b,
          .c = p.c,
          .b_of_slices = p.b_of_slices,
          .c_of_slices = p.c_of_slices,
          .anisotropy = p.anisotropy,
          .boundary = p.boundary,
          .lower_mass = p.lower_mass};
}

constexpr auto make_domain_wall = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
  if constexpr (detail::Parts::domain_wall) return DomainWall<T>(links, domain_wall_parameters(p));
  detail::refuse_part("domain_wall");
};

void check_domain_wall(const FermionParameters& p) {
  if constexpr (detail::Parts::domain_wall) check_parameters(domain_wall_parameters(p));
}

}  // namespace

std::span<const FermionFamily> detail::domain_wall_families() {
  static const FermionFamily families[]{
      {.action = FermionAction::domain_wall,
       .name = "domain_wall",
       .program = "domain-wall",
       .title = "domain wall",
       .part = "domain_wall",
       .kind = OperatorKind::indefinite,
       .schur = SchurForm::asymmetric,
       .has_pauli_villars = true,
       .parameters = {"mass", "m5", "slices", "b", "c", "xi0", "nu"},
       .blamed = "--mass, --b and --c",
       .check = check_domain_wall,
       .make = make_domain_wall},
  };
  return families;
}

}  // namespace kaon
