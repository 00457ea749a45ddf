// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/wilson_like.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The families of operators and their parameters, once for C++, C, Python, the program and libquda.

namespace kaon {

/// A family of operators. Its number is that of `kaon_action` in kaon.h.
enum class FermionAction {
  wilson,
  wilson_clover,
  twisted_mass,
  twisted_clover,
  staggered,
  asqtad,
  hisq,
  domain_wall,
  twisted_doublet,
  twisted_clover_doublet,
  exponential_clover,
  improved  ///< staggered quarks on fat and third links that are given; it has no number in kaon.h
};

/// The value of a parameter that is not set.
inline constexpr double not_set = std::numeric_limits<double>::quiet_NaN();

/// The parameters of all families together; each reads its own (`fermion_families`).
struct FermionParameters {
  FermionAction action = FermionAction::wilson;
  double mass = 0.0;
  std::optional<double> kappa{};         ///< the kappa that set the mass, for reports; operators read the mass
  double mu = 0.0;                       ///< twisted mass
  double csw = 1.0;                      ///< clover: of the spatial planes, and of the temporal ones unless set
  std::optional<double> csw_temporal{};  ///< clover
  Anisotropy anisotropy{};               ///< all but staggered
  BoundaryAngles boundary = antiperiodic_in_time;
  double u0 = not_set;        ///< asqtad: the tadpole factor
  double naik_epsilon = 0.0;  ///< HISQ
  double m5 = 1.8;            ///< domain wall, like the next three
  int slices = 16;
  double b = 1.0;
  double c = 0.0;
  std::vector<std::complex<double>> b_of_slices{};  ///< the next three as of `DomainWallParameters`
  std::vector<std::complex<double>> c_of_slices{};
  std::optional<double> lower_mass{};
  double epsilon = 0.0;  ///< twisted doublet
};

/// A parameter of operators.
struct FermionParameter {
  std::string_view name;    ///< in C and Python
  std::string_view option;  ///< of the program
  double initial;           ///< its value unless it is given; a clover term has csw 1 then, and csw in planes with t
  bool positive;            ///< above 0; other parameters may be any number
  std::string_view text;
  double (*get)(const FermionParameters&);
  void (*set)(FermionParameters&, double value);  ///< kappa sets the mass, too
  std::string_view phrase{};                      ///< in `describe_action`: "csw = {}"
  bool integer = false;
};

/// In the order of kaon.h. All families have boundary angles besides.
extern const std::array<FermionParameter, 14> family_parameters;
/// Returns the row of a name. Throws `Error` for an unknown name.
const FermionParameter& family_parameter(std::string_view name);

/// Operators by the methods that solve for them.
enum class OperatorKind {
  definite,    ///< Wilson-like, with one slice
  indefinite,  ///< `EvenOddOperator::is_indefinite`: domain wall quarks and doublets
  staggered    ///< with `EvenOddOperator::normal_system`
};

/// The links of a family's hops.
enum class FamilyLinks {
  thin,     ///< the gauge field itself
  smeared,  ///< fat and third links that are made of the gauge field, in double
  given     ///< fat and third links of the caller
};

template <class T>
class Quark;

/// A family of operators, its data and its functions. It is described in one file of quarks/.
struct FermionFamily {
  FermionAction action;
  std::string_view name;     ///< KAON_... of kaon.h, in small letters
  std::string_view program;  ///< --action of the program
  std::string_view title;    ///< begins the line of reports: `describe_action`
  std::string_view part{};   ///< its name in KAON_PARTS, which a build may omit; empty: it is always built
  OperatorKind kind = OperatorKind::definite;
  FamilyLinks links = FamilyLinks::thin;
  bool has_forces = true;                        ///< hybrid Monte Carlo has terms of these quarks
  std::array<std::string_view, 8> parameters{};  ///< names of what the family reads; unused entries are empty
  std::array<std::string_view, 2> needed{};      ///< parameters that the program must be given
  /// Throws `ParameterError` for numbers that the operator refuses on any links; null: it refuses none but those that
  /// are not finite.
  void (*check)(const FermionParameters&) = nullptr;
  Quark<double> (*make)(const GaugeField<double>& links, const FermionParameters&) = nullptr;
  Quark<float> (*make_single)(const GaugeField<float>& links, const FermionParameters&) = nullptr;

  bool reads(std::string_view parameter) const;
  /// Whether this build has the family.
  bool is_built() const;
  /// M = 2m + D on fields without spin, for several masses at once; others have 4 spins.
  bool is_staggered() const { return kind == OperatorKind::staggered; }
  /// Whether it makes fat and third links of the gauge field.
  bool makes_links() const { return links == FamilyLinks::smeared; }
  /// Whether fields have several slices: those of domain wall quarks, or the flavours of a doublet.
  bool has_slices() const { return kind == OperatorKind::indefinite; }
  /// Whether its fields have two slices, the flavours of a doublet.
  bool is_doublet() const { return reads("epsilon"); }
  int spins() const { return is_staggered() ? 1 : 4; }
  /// `LatticeParameters::reach` of the lattice.
  int reach() const { return links == FamilyLinks::thin ? 1 : 3; }
};

/// All families, in the order of `FermionAction`.
std::span<const FermionFamily> fermion_families();
/// Throws `Error` for a number that is no family.
const FermionFamily& family_of(FermionAction action);

/// Throws `ParameterError` for numbers that the operator of this family refuses on any links, such as a mass that is
/// not finite or a site term without inverse.
void check_parameters(const FermionParameters& parameters);

/// Lines of reports about quarks of one family that differ by mass and Naik epsilon: "Wilson-clover, csw = 1.769" and
/// "0.1, kappa 0.122".
std::string describe_action(std::span<const FermionParameters> quarks);
std::string describe_masses(std::span<const FermionParameters> quarks);

}  // namespace kaon
