// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/boundary.hpp>
#include <kaon/operators/wilson_like.hpp>

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

// The families of operators and their parameters, once for C++, C, Python, the program and libquda.

namespace kaon {

/// A family of operators that are made of thin links. Its number is that of `kaon_action` in kaon.h.
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
  twisted_clover_doublet
};

/// The value of a parameter that is not set.
inline constexpr double not_set = std::numeric_limits<double>::quiet_NaN();

/// A parameter of operators.
struct FermionParameter {
  std::string_view name;    ///< in C and Python
  std::string_view option;  ///< of the program
  double initial;           ///< its value unless it is given; a clover term has csw 1 then, and csw in planes with t
  bool positive;            ///< above 0; other parameters may be any number
  std::string_view text;
};

/// In the order of kaon.h. All families have boundary angles besides.
inline constexpr std::array family_parameters{
    FermionParameter{"mass", "--mass", not_set, false, "Bare mass m"},
    FermionParameter{"kappa", "--kappa", not_set, true, "Instead of the mass: m = 1/(2 kappa) - 4"},
    FermionParameter{"mu", "--mu", 0.0, false, "Twisted mass"},
    FermionParameter{"csw", "--csw", not_set, false, "Coefficient of the clover term"},
    FermionParameter{"csw_temporal", "--csw-t", not_set, false, "The same in planes with t"},
    FermionParameter{"xi0", "--xi0", 1.0, true, "Bare anisotropy"},
    FermionParameter{"nu", "--nu", 1.0, true, "Bare fermion speed"},
    FermionParameter{"u0", "--u0", not_set, true, "Tadpole factor"},
    FermionParameter{"naik_epsilon", "--naik-epsilon", 0.0, false, "Naik epsilon"},
    FermionParameter{"m5", "--m5", 1.8, true, "Domain wall: its height M5"},
    FermionParameter{"slices", "--ls", 16.0, true, "Domain wall: L_s, the number of slices"},
    FermionParameter{"b", "--b", 1.0, false, "Domain wall: b of Moebius"},
    FermionParameter{"c", "--c", 0.0, false, "Domain wall: c of Moebius; 0: Shamir"},
    FermionParameter{"epsilon", "--epsilon", 0.0, false, "Doublet: its splitting epsilon"},
};

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

struct FermionFamily {
  FermionAction action;
  std::string_view name;                         ///< KAON_... of kaon.h, in small letters
  std::string_view program;                      ///< --action of the program
  bool staggered = false;                        ///< M = 2m + D on fields without spin; others have 4 spins
  bool own_links = false;                        ///< fat and third links, made in double, for lattices of reach 3
  std::array<std::string_view, 8> parameters{};  ///< names of what the family reads; unused entries are empty

  constexpr bool reads(std::string_view parameter) const {
    return std::find(parameters.begin(), parameters.end(), parameter) != parameters.end();
  }
  /// Whether its fields have two slices, the flavours of a doublet.
  constexpr bool is_doublet() const { return reads("epsilon"); }
  constexpr int spins() const { return staggered ? 1 : 4; }
};

/// In the order of `FermionAction`.
inline constexpr std::array fermion_families{
    FermionFamily{.action = FermionAction::wilson,
                  .name = "wilson",
                  .program = "wilson",
                  .parameters = {"mass", "kappa", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::wilson_clover,
                  .name = "wilson_clover",
                  .program = "clover",
                  .parameters = {"mass", "kappa", "csw", "csw_temporal", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::twisted_mass,
                  .name = "twisted_mass",
                  .program = "twisted-mass",
                  .parameters = {"mass", "kappa", "mu", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::twisted_clover,
                  .name = "twisted_clover",
                  .program = "twisted-mass",
                  .parameters = {"mass", "kappa", "mu", "csw", "csw_temporal", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::staggered,
                  .name = "staggered",
                  .program = "staggered",
                  .staggered = true,
                  .parameters = {"mass"}},
    FermionFamily{.action = FermionAction::asqtad,
                  .name = "asqtad",
                  .program = "asqtad",
                  .staggered = true,
                  .own_links = true,
                  .parameters = {"mass", "u0"}},
    FermionFamily{.action = FermionAction::hisq,
                  .name = "hisq",
                  .program = "hisq",
                  .staggered = true,
                  .own_links = true,
                  .parameters = {"mass", "naik_epsilon"}},
    FermionFamily{.action = FermionAction::domain_wall,
                  .name = "domain_wall",
                  .program = "domain-wall",
                  .parameters = {"mass", "m5", "slices", "b", "c", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::twisted_doublet,
                  .name = "twisted_doublet",
                  .program = "twisted-doublet",
                  .parameters = {"mass", "kappa", "mu", "epsilon", "xi0", "nu"}},
    FermionFamily{.action = FermionAction::twisted_clover_doublet,
                  .name = "twisted_clover_doublet",
                  .program = "twisted-doublet",
                  .parameters = {"mass", "kappa", "mu", "epsilon", "csw", "csw_temporal", "xi0", "nu"}},
};

constexpr const FermionFamily& family_of(FermionAction action) {
  return fermion_families[static_cast<std::size_t>(action)];
}

}  // namespace kaon
