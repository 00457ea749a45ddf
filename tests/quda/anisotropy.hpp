// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::test {

/// Sets `smear_anisotropy` and returns true if the headers have this member.
template <class Structure>
bool set_anisotropy(Structure& param, double anisotropy) {
  if constexpr (requires { param.smear_anisotropy; }) param.smear_anisotropy = anisotropy;
  return requires { param.smear_anisotropy; };
}

}  // namespace kaon::test
