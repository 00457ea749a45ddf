// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/reference/free_field.hpp"
#include "tests/reference/gamma.hpp"
#include "tests/reference/vectors.hpp"
#include "tests/reference/wilson.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/random.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/operators/wilson.hpp>

#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace kaon::test {

/// An operator to compare with the slow reference.
struct FermionCase {
  std::string name;
  bool clover = false;
  WilsonCloverParameters parameters;
  bool exponential = false;
};

/// Plain, and with everything on: anisotropy, complex phases in all directions, unequal clover coefficients.
inline std::vector<FermionCase> fermion_cases() {
  const Anisotropy anisotropy{.xi0 = 2.464, .nu = 0.95};
  const BoundaryAngles angles{0.3, -0.7, 1.1, 2.5};
  return {{"Wilson", false, {.mass = 0.2}},
          {"anisotropic Wilson with twisted boundaries",
           false,
           {.mass = -0.1, .anisotropy = anisotropy, .boundary = angles}},
          {"clover", true, {.mass = 0.1, .csw = 1.3}},
          {"anisotropic clover with twisted boundaries",
           true,
           {.mass = 0.3, .csw = 0.9, .csw_temporal = 1.1, .anisotropy = anisotropy, .boundary = angles}}};
}

/// The cases with a clover term, which is large and an exponential here.
inline std::vector<FermionCase> exponential_cases() {
  std::vector<FermionCase> cases{fermion_cases()[2], fermion_cases()[3]};
  for (FermionCase& fermion : cases) {
    fermion.name += ", exponential";
    fermion.exponential = true;
    fermion.parameters.csw = 1.9;
  }
  return cases;
}

inline std::string describe(const Lattice& lattice, const FermionCase& fermion) {
  return fermion.name + " on " + to_string(lattice.extents()) +
         (lattice.lanes() == Lanes::single ? ", one lane" : ", native lanes");
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> make_operator(const GaugeField<T>& links, const FermionCase& fermion) {
  if (fermion.exponential) {
    return std::make_unique<WilsonClover<T>>(make_exponential_clover(links, fermion.parameters));
  }
  if (fermion.clover) return std::make_unique<WilsonClover<T>>(links, fermion.parameters);
  return std::make_unique<Wilson<T>>(links, WilsonParameters{.mass = fermion.parameters.mass,
                                                             .anisotropy = fermion.parameters.anisotropy,
                                                             .boundary = fermion.parameters.boundary});
}

inline reference::WilsonParameters reference_parameters(const FermionCase& fermion) {
  reference::WilsonParameters result;
  result.mass = fermion.parameters.mass;
  result.anisotropy = fermion.parameters.anisotropy.xi0;
  result.nu = fermion.parameters.anisotropy.nu;
  result.exponential = fermion.exponential;
  if (fermion.clover) {
    result.csw_spatial = fermion.parameters.csw;
    result.csw_temporal = fermion.parameters.temporal_coefficient();
  }
  for (std::size_t mu = 0; mu < 4; ++mu) {
    result.boundary_phases[mu] = std::polar(1.0, fermion.parameters.boundary[mu]);
  }
  return result;
}

template <class T>
GaugeField<T> random_links(const Lattice& lattice) {
  GaugeField<T> links(lattice);
  set_weak(links, 0.4, {.seed = 5});  // rough, but with a well-conditioned clover term
  return links;
}

template <class T>
SpinorField<T> gaussian(const Lattice& lattice, int right_hand_sides) {
  SpinorField<T> psi(lattice, {.right_hand_sides = right_hand_sides});
  set_gaussian(psi, {.seed = 11});
  return psi;
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> converted(const EvenOddOperator<double>& dirac, const FermionCase& fermion,
                                              LinkStorage storage, HaloPrecision halo = HaloPrecision::field) {
  if (fermion.clover)
    return std::make_unique<WilsonClover<T>>(dynamic_cast<const WilsonClover<double>&>(dirac), storage, halo);
  return std::make_unique<Wilson<T>>(dynamic_cast<const Wilson<double>&>(dirac), storage, halo);
}

template <class T>
SpinorField<T> in_precision(const SpinorField<double>& psi) {
  SpinorField<T> result(psi.lattice(), psi.parameters());
  blas::copy(result, psi);
  return result;
}

}  // namespace kaon::test
