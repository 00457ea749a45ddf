// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

namespace kaon::detail {

/// Returns `count` zeros in memory whose pages all threads of the host have touched first: the system otherwise
/// provides the pages of a large vector to one thread, which takes longer than reading a file into it.
std::vector<std::complex<double>> host_zeros(std::size_t count);

}  // namespace kaon::detail
