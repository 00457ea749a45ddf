// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Macros.hpp>

#if defined(KOKKOS_ENABLE_OPENMP)
#include <omp.h>
#endif

namespace kaon::detail {

/// Returns whether the caller is in a parallel region of OpenMP, of one thread too. Kokkos launches no kernel there: it
/// ends the program.
inline bool in_parallel_region() {
#if defined(KOKKOS_ENABLE_OPENMP)
  return omp_get_level() > 0;
#else
  return false;
#endif
}

}  // namespace kaon::detail
