// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <vector>

namespace kaon {

/// sqrt(mean_x |r(x)|^2 / |x(x)|^2) over the sites that the fields hold, for each right-hand side; r is the residual
/// b - M x of a solution x. Heavy quarks, whose solutions fall by many orders of magnitude from the source on, are
/// solved for everywhere if it is small, not only where |x| is large. A site with x(x) = 0 counts as 1, as in MILC and
/// QUDA. Collective; the digits do not depend on lanes and threads. Throws `Error` for fields of different shapes.
template <class T>
std::vector<double> heavy_quark_residual(const SpinorField<T>& residual, const SpinorField<T>& solution);

}  // namespace kaon
