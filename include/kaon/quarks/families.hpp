// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/operators/boundary.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>

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
  improved  ///< staggered quarks on fat and third links of the caller; kaon.h has no number for it
};

/// The value of a parameter that is not set.
inline constexpr double not_set = std::numeric_limits<double>::quiet_NaN();

/// The parameters of all families together; each family reads some of them (`FermionFamily::reads`).
struct FermionParameters {
  FermionAction action = FermionAction::wilson;
  double mass = 0.0;
  std::optional<double> kappa{};  ///< the kappa that set the mass; only reports read it
  double mu = 0.0;                ///< the twisted mass
  double csw = 1.0;               ///< the clover coefficient, in planes with t unless `csw_temporal` is set
  std::optional<double> csw_temporal{};
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
  double u0 = not_set;  ///< the tadpole factor of asqtad
  double naik_epsilon = 0.0;
  double m5 = 1.8;  ///< domain wall quarks: as in `DomainWallParameters`, like the next six
  int slices = 16;
  double b = 1.0;
  double c = 0.0;
  std::vector<std::complex<double>> b_of_slices{};
  std::vector<std::complex<double>> c_of_slices{};
  std::optional<double> lower_mass{};
  double epsilon = 0.0;  ///< the splitting of a twisted doublet
};

/// A parameter of operators.
struct FermionParameter {
  std::string_view name;    ///< its name in C and Python
  std::string_view option;  ///< its option in the program
  double initial;           ///< its default; for csw a face chooses one, which is 1 in C++
  bool positive;            ///< requires a number above 0
  std::string_view text;
  double (*get)(const FermionParameters&);
  void (*set)(FermionParameters&, double value);  ///< the setter of kappa sets the mass, too
  std::string_view phrase{};                      ///< its format in `describe_action`: "csw = {}"
  bool integer = false;
  std::string_view alias{};  ///< another option of the program that sets it
};

/// The parameters in the order of kaon.h. All families have boundary angles besides.
extern const std::array<FermionParameter, 14> family_parameters;
/// Returns the row of a name. Throws `Error` for an unknown name.
const FermionParameter& family_parameter(std::string_view name);

/// The kind of an operator decides which methods solve for it.
enum class OperatorKind {
  definite,    ///< Wilson-like operators with one slice
  indefinite,  ///< domain wall quarks and doublets (`EvenOddOperator::is_indefinite`)
  staggered    ///< operators with `EvenOddOperator::normal_system`
};

/// The links of a family's hops.
enum class FamilyLinks {
  thin,     ///< the gauge field itself
  smeared,  ///< fat and third links, which are made of the gauge field in double
  given     ///< fat and third links of the caller
};

template <class T>
class Quark;

/// Makes the quark of a family on links in double or single precision, by one generic function.
struct QuarkMaker {
  template <class T>
  using Make = Quark<T> (*)(const GaugeField<T>& links, const FermionParameters& parameters);
  Make<double> in_double = nullptr;
  Make<float> in_single = nullptr;

  QuarkMaker() = default;
  template <class Generic>
  QuarkMaker(Generic make) : in_double(make), in_single(make) {}
};

/// The data and functions of a family, which one file of quarks/ describes.
struct FermionFamily {
  FermionAction action;
  std::string_view name;     ///< KAON_... of kaon.h, in small letters
  std::string_view program;  ///< the word of --action in the program
  std::string_view title;    ///< the first words of `describe_action`
  std::string_view part{};   ///< the part of KAON_PARTS without which it is not built; empty: it is always built
  OperatorKind kind = OperatorKind::definite;
  FamilyLinks links = FamilyLinks::thin;
  std::vector<int> link_reals{18, 12, 8};                 ///< the reals in which iterations may store a link
  std::optional<SchurForm> schur = SchurForm::symmetric;  ///< the default of `SolveOptions`; staggered quarks have none
  bool has_forces = true;                                 ///< hybrid Monte Carlo has terms of these quarks
  bool has_pauli_villars = false;                ///< these terms are divided by Pauli-Villars fields, of mass 1
  bool several_masses = false;                   ///< several masses share a Krylov space
  bool is_predicted = true;                      ///< `Predictor` has solves of these quarks
  std::array<std::string_view, 8> parameters{};  ///< names of parameters that the family reads; unused: empty
  std::array<std::string_view, 2> needed{};      ///< parameters that the program requires
  std::string_view blamed{};                     ///< options of the program that errors of `make` name
  std::string_view normal_matrix{};              ///< the matrix whose eigenvectors deflate solves; empty: M^dag M
  std::string_view pion_note{};                  ///< a sentence of reports about the pion
  /// The suffixes of the files of propagators, in the order of `propagate`.
  std::vector<std::string_view> file_suffixes{""};
  /// Throws `ParameterError` for numbers that the operator refuses on any links; null: it refuses only numbers that are
  /// not finite.
  void (*check)(const FermionParameters&) = nullptr;
  /// Throws `ParameterError` for numbers that have an operator but no propagators; null: there are none.
  void (*check_propagator)(const FermionParameters&) = nullptr;
  QuarkMaker make{};

  bool reads(std::string_view parameter) const;
  /// Returns whether this build has the family.
  bool is_built() const;
  /// Returns whether the operator is M = 2m + D on fields without spin, which is solved for several masses at once.
  bool is_staggered() const { return kind == OperatorKind::staggered; }
  /// Returns whether the family makes fat and third links of the gauge field.
  bool makes_links() const { return links == FamilyLinks::smeared; }
  /// Returns whether fields have several slices: those of domain wall quarks, or the flavours of a doublet.
  bool has_slices() const { return kind == OperatorKind::indefinite; }
  bool is_doublet() const { return reads("epsilon"); }
  int spins() const { return is_staggered() ? 1 : 4; }
  /// Returns `LatticeParameters::reach` of lattices for the operator.
  int reach() const { return links == FamilyLinks::thin ? 1 : 3; }
};

/// All families, in the order of `FermionAction`.
std::span<const FermionFamily> fermion_families();
/// Throws `Error` for a number that is no family.
const FermionFamily& family_of(FermionAction action);

/// Throws `ParameterError` for numbers with which the family has no quark on any links: not finite or above 1e70, a
/// mass of -4 or below, which has no kappa, and a site term without inverse.
void check_parameters(const FermionParameters& parameters);

/// Lines of reports about quarks of one family that differ by mass and Naik epsilon: "Wilson-clover, csw = 1.769" and
/// "0.1, kappa 0.122".
std::string describe_action(std::span<const FermionParameters> quarks);
std::string describe_masses(std::span<const FermionParameters> quarks);

}  // namespace kaon
