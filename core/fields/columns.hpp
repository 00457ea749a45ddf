// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <span>

namespace kaon::detail {

// All right-hand sides of a field with one slice from and to host values in the order
// [t][z][y][x][spin][colour][right-hand side], x fastest: all sites of this process. Each number is moved once. Throw
// `Error` for a wrong number of values.

template <class T>
void columns_from_host(SpinorField<T>& field, std::span<const std::complex<double>> values);
/// Zero on sites that the field does not hold.
template <class T>
void columns_to_host(std::span<std::complex<double>> values, const SpinorField<T>& field);

}  // namespace kaon::detail
