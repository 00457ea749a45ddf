// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/measure/spin_basis.hpp>

namespace kaon::detail {

SpinMatrix spin_product(const SpinMatrix& a, const SpinMatrix& b);
SpinMatrix adjoint(const SpinMatrix& a);
/// factor a + b
SpinMatrix add_scaled(std::complex<double> factor, const SpinMatrix& a, const SpinMatrix& b);

}  // namespace kaon::detail
