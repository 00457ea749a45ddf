// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

namespace kaon::detail {

/// Starts a region of this thread that tools of Kokkos, and Nsight in CUDA builds, show. Kokkos must be initialised.
void push_region(const char* word);
/// Ends the last one.
void pop_region();

}  // namespace kaon::detail
