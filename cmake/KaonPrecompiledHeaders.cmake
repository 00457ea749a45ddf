# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Headers of other libraries, parsed once for many files. kaon's own headers are not among them: an edit compiles what
# includes the header and nothing else. Kokkos' launcher of nvcc knows no precompiled headers.

set(KAON_LIBRARY_HEADERS
  <Kokkos_Core.hpp> <experimental/simd> <fmt/format.h>
  <algorithm> <array> <cmath> <complex> <cstdint> <filesystem> <functional> <map> <memory> <mutex> <optional> <span>
  <string> <type_traits> <utility> <vector>)

# kaon_precompile_headers(<target> [PRIVATE <header>...] [REUSE_FROM <other>]): REUSE_FROM reuses the headers of another target
# that is compiled with the same flags.
function(kaon_precompile_headers)
  if(KAON_PRECOMPILED_HEADERS AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
    target_precompile_headers(${ARGV})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${ARGV0} PRIVATE -fpch-preprocess)  # for ccache
    endif()
  endif()
endfunction()
