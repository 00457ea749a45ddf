// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::test {

/// Sets `smear_anisotropy` where the headers have it, and says whether they do.
template <class Structure>
bool set_anisotropy(Structure& param, double anisotropy) {
  if constexpr (requires { param.smear_anisotropy; }) param.smear_anisotropy = anisotropy;
  return requires { param.smear_anisotropy; };
}

}  // namespace kaon::test
