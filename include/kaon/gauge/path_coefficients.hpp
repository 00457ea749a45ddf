// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon {

/// Weights of the paths from x to x + mu that make up improved staggered links, for links without staggered phases. A
/// staple goes around mu in directions nu, rho, sigma, which differ from mu and from each other, in both senses:
///
/// | weight         | path                                | paths a link |
/// |----------------|-------------------------------------|--------------|
/// | `one_link`     | mu                                  | 1            |
/// | `third`        | mu mu mu, which ends at x + 3mu     | 1            |
/// | `three_staple` | nu mu -nu                           | 6            |
/// | `five_staple`  | nu rho mu -rho -nu                  | 24           |
/// | `seven_staple` | nu rho sigma mu -sigma -rho -nu     | 48           |
/// | `lepage`       | nu nu mu -nu -nu                    | 6            |
///
/// Codes that fold the phases eta_mu into their links, as MILC and QUDA do, have the three-staple and the seven-staple
/// with the opposite sign: each plaquette that a path goes around has a product of phases of -1.
struct PathCoefficients {
  double one_link = 1.0;
  double third = 0.0;
  double three_staple = 0.0;
  double five_staple = 0.0;
  double seven_staple = 0.0;
  double lepage = 0.0;
};

/// asqtad with tadpole factor u0: 5/8, -1/(24 u0^2), 1/(16 u0^2), 1/(64 u0^4), 1/(384 u0^6), -1/(16 u0^4). Their sum on
/// unit links is 9/8 for u0 = 1. Throws `Error` unless u0 is positive and finite. Source: K. Orginos, D. Toussaint and
/// R. L. Sugar, Phys. Rev. D 60 (1999) 054503; G. P. Lepage, Phys. Rev. D 59 (1999) 074502.
PathCoefficients asqtad_coefficients(double u0);

/// Fat7, the first level of HISQ: 1/8, 0, 1/16, 1/64, 1/384, 0, of sum 1 on unit links.
PathCoefficients fat7_coefficients();

/// The second level of HISQ, for links in U(3): 1 + epsilon/8, -(1 + epsilon)/24, 1/16, 1/64, 1/384, -1/8, epsilon the
/// Naik epsilon of the quark mass (0 for light quarks). Throws `Error` unless epsilon is finite. Source: E. Follana et
/// al., Phys. Rev. D 75 (2007) 054502.
PathCoefficients hisq_coefficients(double naik_epsilon);

}  // namespace kaon
