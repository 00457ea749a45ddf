// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "perf/stopwatch.hpp"

#include <cstddef>

namespace kaon::perf {

/// The fastest of several copies of an array of `mebibytes` MiB: bytes read plus written in a second, by all
/// processes. Each process copies an array of its own.
///
/// Tried are loops with 8 and with 16 bytes an element and, on the host, memcpy, which writes past the caches.
double copy_bandwidth(const Communicator& communicator, const Execution& execution, std::size_t mebibytes);

}  // namespace kaon::perf
