// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace kaon::detail {

/// Poles, zeros and extrema of Zolotarev's best rational approximation of x^(-1/2) of degree (n, n).
struct Zolotarev {
  std::vector<double> poles;    ///< b_i: r(x) = A prod_i (x + z_i) / (x + b_i)
  std::vector<double> zeros;    ///< z_i
  std::vector<double> extrema;  ///< the 2n + 2 places where r(x) x^(1/2) is extreme, from `lower` to `upper`
};

/// In Jacobi's functions of modulus k, k'^2 = 1 - k^2 = lower/upper, and with c_j = (sn/cn)^2(j K / (2n + 1)):
///
///   b_i = lower c_{2i-1},   z_i = lower c_{2i},   extrema lower (1 + c_j) / (1 + k'^2 c_j).
///
/// Source: J. van den Eshof, A. Frommer, T. Lippert, K. Schilling and H. A. van der Vorst, Comput. Phys. Commun. 146
/// (2002) 203, section 4.3.
Zolotarev zolotarev(double lower, double upper, int degree);

}  // namespace kaon::detail
