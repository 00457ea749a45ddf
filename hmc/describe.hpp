// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/quarks/families.hpp>
#include <kaon/quarks/make_quark.hpp>

#include <fmt/format.h>

#include <string>

namespace kaon::detail {

/// The numbers that the family of the quarks reads, for names of terms: "mass = 0.1, c_sw = 1".
inline std::string describe(const FermionParameters& quarks) {
  const FermionFamily& family = family_of(quarks.action);
  std::string text = fmt::format("mass = {:.10g}", quarks.mass);
  if (family.reads("slices")) {
    text += fmt::format(", M5 = {:.10g}, {} slices, b = {:.10g}, c = {:.10g}", quarks.m5, quarks.slices, quarks.b,
                        quarks.c);
  }
  if (family.reads("mu")) text += fmt::format(", twisted mass = {:.10g}", quarks.mu);
  if (family.is_doublet()) text += fmt::format(", epsilon = {:.10g}", quarks.epsilon);
  if (family.reads("csw")) text += fmt::format(", c_sw = {:.10g}", quarks.csw);
  return text;
}

}  // namespace kaon::detail
