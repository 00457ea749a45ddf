// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/quarks/families.hpp>

#include <span>

namespace kaon::detail {

// The families of each file of quarks/.
std::span<const FermionFamily> wilson_families();
std::span<const FermionFamily> twisted_families();
std::span<const FermionFamily> domain_wall_families();
std::span<const FermionFamily> staggered_families();

}  // namespace kaon::detail
