// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>
#include <kaon/gauge/path_coefficients.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {

PathCoefficients asqtad_coefficients(double u0) {
  const double u2 = u0 * u0, u4 = u2 * u2, u6 = u4 * u2;
  require(u0 > 0.0 && std::isnormal(u6) && std::isnormal(1.0 / u6), [&] {
    return fmt::format(
        "the tadpole factor u0 = {} is not usable: it must be a positive number, such as the fourth root "
        "of the plaquette, or 1, and 1/u0^6 must not overflow",
        u0);
  });
  return {.one_link = 5.0 / 8.0,
          .third = -1.0 / (24.0 * u2),
          .three_staple = 1.0 / (16.0 * u2),
          .five_staple = 1.0 / (64.0 * u4),
          .seven_staple = 1.0 / (384.0 * u6),
          .lepage = -1.0 / (16.0 * u4)};
}

PathCoefficients fat7_coefficients() {
  return {.one_link = 1.0 / 8.0, .three_staple = 1.0 / 16.0, .five_staple = 1.0 / 64.0, .seven_staple = 1.0 / 384.0};
}

PathCoefficients hisq_coefficients(double naik_epsilon) {
  require(std::isfinite(naik_epsilon), [&] {
    return fmt::format("the Naik epsilon {} is not usable: it must be a finite number, 0 for light quarks",
                       naik_epsilon);
  });
  return {.one_link = 1.0 + naik_epsilon / 8.0,
          .third = -(1.0 + naik_epsilon) / 24.0,
          .three_staple = 1.0 / 16.0,
          .five_staple = 1.0 / 64.0,
          .seven_staple = 1.0 / 384.0,
          .lepage = -1.0 / 8.0};
}

}  // namespace kaon
