// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/domain_wall.hpp>
#include <kaon/operators/improved_staggered.hpp>
#include <kaon/operators/staggered.hpp>
#include <kaon/operators/twisted_doublet.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <type_traits>
#include <utility>

namespace kaon {
namespace {

/// Of asqtad or HISQ.
template <class T>
Quark<T> improved(const GaugeField<T>& links, const FermionParameters& p) {
  if constexpr (!detail::Parts::staggered) {
    detail::refuse_part("staggered");
  } else if constexpr (std::is_same_v<T, double>) {
    const ImprovedLinks made =
        p.action == FermionAction::hisq ? hisq_links(links, p.naik_epsilon) : asqtad_links(links, p.u0);
    return ImprovedStaggered<T>(made.fat, made.third,
                                {.mass = p.mass, .third_weight = made.third_weight, .boundary = p.boundary});
  } else {
    throw Error("links of asqtad and HISQ are made in double: give such links");
  }
}

}  // namespace

template <class T>
Quark<T> make_quark(const GaugeField<T>& links, const FermionParameters& p) {
  switch (p.action) {
    case FermionAction::wilson:
      return Wilson<T>(links, {p.mass, p.anisotropy, p.boundary});
    case FermionAction::wilson_clover:
      return WilsonClover<T>(links, {p.mass, p.csw, p.csw_temporal, p.anisotropy, p.boundary});
    case FermionAction::twisted_mass:
      if constexpr (detail::Parts::twisted_mass) {
        return TwistedMass<T>(links, {p.mass, p.mu, p.anisotropy, p.boundary});
      }
      detail::refuse_part("twisted_mass");
    case FermionAction::twisted_clover:
      if constexpr (detail::Parts::twisted_mass) {
        return TwistedClover<T>(links, {p.mass, p.mu, p.csw, p.csw_temporal, p.anisotropy, p.boundary});
      }
      detail::refuse_part("twisted_mass");
    case FermionAction::staggered:
      if constexpr (detail::Parts::staggered) return Staggered<T>(links, {p.mass, p.boundary});
      detail::refuse_part("staggered");
    case FermionAction::asqtad:
    case FermionAction::hisq:
      return improved(links, p);
    case FermionAction::domain_wall:
      if constexpr (detail::Parts::domain_wall) {
        return DomainWall<T>(links, {.mass = p.mass,
                                     .m5 = p.m5,
                                     .slices = p.slices,
                                     .b = p.b,
                                     .c = p.c,
                                     .b_of_slices = p.b_of_slices,
                                     .c_of_slices = p.c_of_slices,
                                     .anisotropy = p.anisotropy,
                                     .boundary = p.boundary,
                                     .lower_mass = p.lower_mass});
      }
      detail::refuse_part("domain_wall");
    case FermionAction::twisted_doublet:
    case FermionAction::twisted_clover_doublet:
      if constexpr (detail::Parts::twisted_mass) {
        TwistedDoubletParameters doublet{.mass = p.mass, .mu = p.mu, .epsilon = p.epsilon};
        doublet.anisotropy = p.anisotropy;
        doublet.boundary = p.boundary;
        if (p.action == FermionAction::twisted_clover_doublet) {
          doublet.csw = p.csw;
          doublet.csw_temporal = p.csw_temporal;
        }
        return TwistedDoublet<T>(links, doublet);
      }
      detail::refuse_part("twisted_mass");
  }
  throw Error("this is no family of operators: name one of FermionAction");
}

template Quark<double> make_quark(const GaugeField<double>&, const FermionParameters&);
template Quark<float> make_quark(const GaugeField<float>&, const FermionParameters&);

}  // namespace kaon
