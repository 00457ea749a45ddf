// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/ref.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/wilson_like.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/solvers/operator_in_precisions.hpp>

#include <complex>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace kaon {

/// The parameters of all families together; each reads its own (`fermion_families`).
struct FermionParameters {
  FermionAction action = FermionAction::wilson;
  double mass = 0.0;
  double mu = 0.0;                       ///< twisted mass
  double csw = 1.0;                      ///< clover: of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< clover
  Anisotropy anisotropy{};               ///< all but staggered
  BoundaryAngles boundary = antiperiodic_in_time;
  double u0 = not_set;        ///< asqtad: the tadpole factor
  double naik_epsilon = 0.0;  ///< HISQ
  double m5 = 1.8;            ///< domain wall, with the mass, as the next three
  int slices = 16;
  double b = 1.0;
  double c = 0.0;
  std::vector<std::complex<double>> b_of_slices{};  ///< the next three as of `DomainWallParameters`
  std::vector<std::complex<double>> c_of_slices{};
  std::optional<double> lower_mass{};
  double epsilon = 0.0;  ///< twisted doublet
};

/// An operator of a family that a program chooses when it runs, in the precision T, `double` or `float`, and on demand
/// in others. Copies share it.
///
///   const AnyOperator<double> dirac(links, {.action = FermionAction::wilson_clover, .mass = 0.1, .csw = 1.0});
///   const PropagatorSolver solver(dirac, {.tolerance = 1e-10});
template <class T>
class AnyOperator {
 public:
  /// Makes the operator; keeps a handle to `links`. Throws `Error` for what the operator of this family refuses.
  AnyOperator(const GaugeField<T>& links, const FermionParameters& parameters);
  /// An operator that converts from itself in other precisions, as those of all families do.
  template <template <class> class Dirac>
  requires std::derived_from<Dirac<T>, EvenOddOperator<T>>
  explicit AnyOperator(Dirac<T>&& dirac) : AnyOperator(Ref<Dirac<T>>(std::move(dirac))) {}

  const EvenOddOperator<T>& operator*() const { return *precisions_.exact; }
  const EvenOddOperator<T>* operator->() const { return &*precisions_.exact; }
  const detail::OperatorInPrecisions<T>& in_precisions() const { return precisions_; }
  /// The same in single precision, with all reals of the links.
  AnyOperator<float> in_single() const { return rounded_(); }

 private:
  template <template <class> class Dirac>
  explicit AnyOperator(const Ref<Dirac<T>>& dirac)
      : precisions_(dirac),
        rounded_([dirac] { return AnyOperator<float>(Dirac<float>(*dirac, LinkStorage::full, dirac->halo())); }) {}

  detail::OperatorInPrecisions<T> precisions_;
  std::function<AnyOperator<float>()> rounded_;
};

extern template class AnyOperator<double>;
extern template class AnyOperator<float>;

}  // namespace kaon
