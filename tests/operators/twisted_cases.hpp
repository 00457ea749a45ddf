// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/operators/wilson_cases.hpp"

#include <kaon/operators/twisted_mass.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kaon::test {

/// A Wilson or clover operator and its twisted mass mu.
struct TwistedCase {
  FermionCase fermion;
  double mu = 0.0;
  std::array<double, 2> rho{};  // of clover operators, on even and on odd sites
};

/// Plain, and with everything on, as `fermion_cases`; mu of both signs.
inline std::vector<TwistedCase> twisted_cases() {
  std::vector<TwistedCase> cases;
  double mu = 0.4;
  for (FermionCase& fermion : fermion_cases()) {
    fermion.name = "twisted " + fermion.name;
    cases.push_back({fermion, mu});
    mu = -1.5 * mu;
  }
  return cases;
}

/// These cases and a clover operator whose twist differs from parity to parity.
inline std::vector<TwistedCase> all_twisted_cases() {
  std::vector<TwistedCase> cases = twisted_cases();
  TwistedCase shifted = cases.back();
  shifted.fermion.name += ", shifted";
  shifted.rho = {0.25, -0.7};
  cases.push_back(shifted);
  return cases;
}

inline std::string describe(const Lattice& lattice, const TwistedCase& twisted) {
  return describe(lattice, twisted.fermion);
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> make_operator(const GaugeField<T>& links, const TwistedCase& twisted) {
  const WilsonCloverParameters& fermion = twisted.fermion.parameters;
  if (!twisted.fermion.clover) {
    return std::make_unique<TwistedMass<T>>(
        links,
        TwistedMassParameters{
            .mass = fermion.mass, .mu = twisted.mu, .anisotropy = fermion.anisotropy, .boundary = fermion.boundary});
  }
  TwistedCloverParameters parameters;
  parameters.mass = fermion.mass;
  parameters.mu = twisted.mu;
  parameters.csw = fermion.csw;
  parameters.csw_temporal = fermion.csw_temporal;
  parameters.anisotropy = fermion.anisotropy;
  parameters.boundary = fermion.boundary;
  parameters.rho = twisted.rho;
  return std::make_unique<TwistedClover<T>>(links, parameters);
}

inline reference::WilsonParameters reference_parameters(const TwistedCase& twisted) {
  reference::WilsonParameters result = reference_parameters(twisted.fermion);
  result.twisted_mass = twisted.mu;
  result.twist_shifts = twisted.rho;
  return result;
}

template <class T>
std::unique_ptr<EvenOddOperator<T>> converted(const EvenOddOperator<double>& dirac, const TwistedCase& twisted,
                                              LinkStorage storage, HaloPrecision halo = HaloPrecision::field) {
  if (twisted.fermion.clover)
    return std::make_unique<TwistedClover<T>>(dynamic_cast<const TwistedClover<double>&>(dirac), storage, halo);
  return std::make_unique<TwistedMass<T>>(dynamic_cast<const TwistedMass<double>&>(dirac), storage, halo);
}

}  // namespace kaon::test
