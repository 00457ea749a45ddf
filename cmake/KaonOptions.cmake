# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# kaon_options: how everything inside this repository is compiled (never inherited by what links kaon).

add_library(kaon_options INTERFACE)
target_include_directories(kaon_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_features(kaon_options INTERFACE cxx_std_20)
target_compile_options(kaon_options INTERFACE
  -Wall -Wextra
  -ffp-contract=fast  # a x + y rounds once, as on the GPU
  -fno-math-errno     # allows sqrt to be one instruction
)
if(NOT KAON_LAUNCHER MATCHES "^(AUTO|cuda|kokkos)$")
  message(FATAL_ERROR "KAON_LAUNCHER=${KAON_LAUNCHER} is none of AUTO, cuda and kokkos.")
elseif("CUDA" IN_LIST Kokkos_DEVICES AND NOT KAON_LAUNCHER STREQUAL "kokkos")
  target_compile_definitions(kaon_options INTERFACE KAON_CUDA_LAUNCHER)
elseif(KAON_LAUNCHER STREQUAL "cuda")
  message(FATAL_ERROR "KAON_LAUNCHER=cuda needs a Kokkos with CUDA; the one in ${Kokkos_DIR} has ${Kokkos_DEVICES}.")
endif()
if("CUDA" IN_LIST Kokkos_DEVICES)
  # Kernels call constexpr functions of the standard library, for which Kokkos has an option that is off by default.
  if(Kokkos_CXX_COMPILER_ID STREQUAL "NVIDIA" AND NOT "CUDA_CONSTEXPR" IN_LIST Kokkos_OPTIONS)
    target_compile_options(kaon_options INTERFACE -expt-relaxed-constexpr)
  endif()
  # The host pass sees pragmas that are for the device.
  target_compile_options(kaon_options INTERFACE -Wno-unknown-pragmas)
  # nvcc cannot evaluate fmt's checks of format strings (fmt 9 and 11 name them differently), and fmt 9 takes away
  # some of the constexpr that the rest of it needs.
  target_compile_definitions(kaon_options INTERFACE FMT_CONSTEVAL= FMT_USE_CONSTEVAL=0 FMT_USE_CONSTEXPR=1)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of its own AVX-512 intrinsics (its bug 105593) and strings (its bug 105329).
  target_compile_options(kaon_options INTERFACE -Wno-maybe-uninitialized -Wno-uninitialized -Wno-array-bounds)
endif()
if(KAON_WARNINGS_AS_ERRORS)
  target_compile_options(kaon_options INTERFACE -Werror)
endif()
if(KAON_NATIVE_ARCH)
  target_compile_options(kaon_options INTERFACE -march=native)
endif()
# The sanitize preset leaves KAON_NATIVE_ARCH off: under GCC 12's address sanitizer 64-byte registers meet stack objects
# that are aligned to 32 bytes.
if(KAON_SANITIZE)
  list(JOIN KAON_SANITIZE "," sanitizers)
  target_compile_options(kaon_options INTERFACE
    -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kaon_options INTERFACE -fsanitize=${sanitizers})
endif()

# kaon_without_kernels(<target>...): these targets hold no kernels; optimised builds compile them faster.
function(kaon_without_kernels)
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  endforeach()
endfunction()

# Kokkos' compiler launcher for CUDA does not work behind another.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  if(KAON_BUILD_COST)
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/tools/compile-timer ${PROJECT_BINARY_DIR}/build_cost)
  endif()
  if(KAON_CCACHE)
    find_program(KAON_CCACHE_PROGRAM ccache)
    mark_as_advanced(KAON_CCACHE_PROGRAM)
    if(KAON_CCACHE_PROGRAM)
      # ccache's manual requires this setting where headers are precompiled.
      list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${KAON_CCACHE_PROGRAM})
    endif()
  endif()
endif()
