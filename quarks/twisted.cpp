// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"
#include "quarks/families.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/quarks/flavors.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>

#include <vector>

namespace kaon {
namespace {

using detail::Parts;

TwistedMassParameters twisted_parameters(const FermionParameters& p) {
  return {p.mass, p.mu, p.anisotropy, p.boundary};
}

TwistedDoubletParameters doublet_parameters(const FermionParameters& p) {
  TwistedDoubletParameters doublet{.mass = p.mass, .mu = p.mu, .epsilon = p.epsilon};
  doublet.anisotropy = p.anisotropy;
  doublet.boundary = p.boundary;
  if (p.action != FermionAction::twisted_clover_doublet) return doublet;
  doublet.csw = p.csw;
  doublet.csw_temporal = p.csw_temporal;
  return doublet;
}

constexpr auto make_twisted = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
  if constexpr (Parts::twisted_mass) {
    if (p.action == FermionAction::twisted_mass) return TwistedMass<T>(links, twisted_parameters(p));
    return TwistedClover<T>(links, {p.mass, p.mu, p.csw, p.csw_temporal, p.anisotropy, p.boundary});
  }
  detail::refuse_part("twisted_mass");
};

constexpr auto make_doublet = []<class T>(const GaugeField<T>& links, const FermionParameters& p) -> Quark<T> {
  if constexpr (Parts::twisted_mass) return TwistedDoublet<T>(links, doublet_parameters(p));
  detail::refuse_part("twisted_mass");
};

void check_twisted(const FermionParameters& p) {
  if constexpr (Parts::twisted_mass) check_parameters(twisted_parameters(p));
}

void check_doublet(const FermionParameters& p) {
  if constexpr (Parts::twisted_mass) check_parameters(doublet_parameters(p));
}

/// Adds what the families of one flavour share.
FermionFamily twisted_family(FermionFamily family) {
  family.part = "twisted_mass";
  family.is_predicted = false;
  family.needed = {"mu"};
  family.make = make_twisted;
  return family;
}

/// Adds what the families of doublets share.
FermionFamily doublet_family(FermionFamily family) {
  family.part = "twisted_mass";
  family.kind = OperatorKind::indefinite;
  family.is_predicted = false;
  family.needed = {"mu", "epsilon"};
  family.blamed = "--epsilon";
  family.pion_note =
      "The pion is that of flavour 0 and the antiquark of flavour 1; --correlator has those of all flavours.";
  family.file_suffixes = {"_00", "_01", "_10", "_11"};
  family.make = make_doublet;
  return family;
}

template <class T>
void require_flavors(const SpinorField<T>& psi, const SpinorField<T>& field, int flavor) {
  SpinorParameters expected = field.parameters();
  expected.slices = 2;
  require(field.slices() == 1 && psi.parameters() == expected && psi.lattice() == field.lattice(), [&] {
    return fmt::format(
        "the flavours of a doublet are the two slices of a field with the sites and right-hand sides of the other one, "
        "on its lattice: got {} slices and {} right-hand sides, and {} and {}",
        psi.slices(), psi.right_hand_sides(), field.slices(), field.right_hand_sides());
  });
  require(flavor == 0 || flavor == 1, [&] { return fmt::format("a doublet has flavours 0 and 1, not {}", flavor); });
}

std::vector<Parity> parities_of(Subset subset) {
  if (subset == Subset::full) return {Parity::even, Parity::odd};
  return {parity_of(subset)};
}

}  // namespace

std::span<const FermionFamily> detail::twisted_families() {
  static const FermionFamily families[]{
      twisted_family({.action = FermionAction::twisted_mass,
                      .name = "twisted_mass",
                      .program = "twisted-mass",
                      .title = "Wilson with a twisted mass",
                      .parameters = {"mass", "kappa", "mu", "xi0", "nu"},
                      .check = check_twisted}),
      twisted_family({.action = FermionAction::twisted_clover,
                      .name = "twisted_clover",
                      .program = "twisted-mass",
                      .title = "Wilson-clover with a twisted mass",
                      .parameters = {"mass", "kappa", "mu", "csw", "csw_temporal", "xi0", "nu"}}),
      doublet_family({.action = FermionAction::twisted_doublet,
                      .name = "twisted_doublet",
                      .program = "twisted-doublet",
                      .title = "Wilson doublet with twisted masses that differ",
                      .parameters = {"mass", "kappa", "mu", "epsilon", "xi0", "nu"},
                      .check = check_doublet}),
      doublet_family({.action = FermionAction::twisted_clover_doublet,
                      .name = "twisted_clover_doublet",
                      .program = "twisted-doublet",
                      .title = "Wilson-clover doublet with twisted masses that differ",
                      .parameters = {"mass", "kappa", "mu", "epsilon", "csw", "csw_temporal", "xi0", "nu"}}),
  };
  return families;
}

template <class T>
void set_flavor(SpinorField<T>& psi, const SpinorField<T>& source, int flavor) {
  require_flavors(psi, source, flavor);
  blas::set_zero(psi);
  for (const Parity parity : parities_of(psi.subset())) {
    blas::copy(psi.parity(parity).slice(flavor), source.parity(parity));
  }
}

template <class T>
void take_flavor(SpinorField<T>& out, const SpinorField<T>& psi, int flavor) {
  require_flavors(psi, out, flavor);
  for (const Parity parity : parities_of(psi.subset())) {
    blas::copy(out.parity(parity), psi.parity(parity).slice(flavor));
  }
}

template void set_flavor(SpinorField<double>&, const SpinorField<double>&, int);
template void set_flavor(SpinorField<float>&, const SpinorField<float>&, int);
template void take_flavor(SpinorField<double>&, const SpinorField<double>&, int);
template void take_flavor(SpinorField<float>&, const SpinorField<float>&, int);

}  // namespace kaon
