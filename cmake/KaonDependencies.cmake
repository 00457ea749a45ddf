# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Finds what kaon is built on. Nothing is downloaded and nothing is vendored.

find_package(Kokkos QUIET)
if(NOT Kokkos_FOUND)
  message(FATAL_ERROR "kaon needs Kokkos 4.6 or newer. Name the folder where it is installed in Kokkos_ROOT, "
                      "or install it with tools/install-packages.")
endif()
# Kokkos' version file refuses ranges across major versions, so the range is checked here.
if(Kokkos_VERSION VERSION_LESS 4.6 OR Kokkos_VERSION VERSION_GREATER_EQUAL 6)
  message(FATAL_ERROR "kaon needs Kokkos 4.6 to 5.x; ${Kokkos_DIR} holds ${Kokkos_VERSION}.")
endif()
if(KAON_REQUIRE_CUDA AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was built without CUDA (devices: ${Kokkos_DEVICES}). "
                      "Name one with CUDA in Kokkos_ROOT.")
endif()
foreach(device IN ITEMS HIP SYCL OPENACC OPENMPTARGET)
  if("${device}" IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was built for ${device}; kaon runs on CUDA and on hosts. "
                        "Name another one in Kokkos_ROOT.")
  endif()
endforeach()
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) in ${Kokkos_DIR}")

# KokkosBatched is headers alone. Kokkos Kernels is preferred; its bare headers will do.
add_library(kaon_kokkosbatched INTERFACE)
find_package(KokkosKernels 4.6 QUIET)
if(NOT KokkosKernels_FOUND)
  find_package(KokkosKernels 5 QUIET)
endif()
if(KokkosKernels_FOUND)
  message(STATUS "Kokkos Kernels ${KokkosKernels_VERSION} in ${KokkosKernels_DIR}")
  target_link_libraries(kaon_kokkosbatched INTERFACE Kokkos::kokkoskernels)
else()
  find_path(KAON_KOKKOSBATCHED_INCLUDE_DIR KokkosBatched_LU_Decl.hpp
    HINTS $ENV{KAON_DEPENDENCIES} $ENV{XDG_CACHE_HOME}/kaon/dependencies $ENV{HOME}/.cache/kaon/dependencies
    PATH_SUFFIXES include include/trilinos include/kokkos-kernels
    DOC "Folder with the headers of KokkosBatched (Kokkos Kernels 4.6 or newer)")
  if(NOT KAON_KOKKOSBATCHED_INCLUDE_DIR)
    message(FATAL_ERROR "kaon needs the headers of KokkosBatched. Install Kokkos Kernels, name the headers' folder in "
                        "KAON_KOKKOSBATCHED_INCLUDE_DIR, or run tools/install-packages.")
  endif()
  message(STATUS "KokkosBatched headers in ${KAON_KOKKOSBATCHED_INCLUDE_DIR}")
  target_include_directories(kaon_kokkosbatched SYSTEM INTERFACE ${KAON_KOKKOSBATCHED_INCLUDE_DIR})
endif()

if(KAON_MPI)
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "No MPI found. Install one, or leave it out with -DKAON_MPI=OFF.")
  endif()
endif()

# Optional, for halos between GPUs.
set(KAON_HAS_NCCL OFF)
if(KAON_NCCL AND KAON_MPI AND "CUDA" IN_LIST Kokkos_DEVICES)
  find_package(NCCL 2.7 QUIET)
  set(KAON_HAS_NCCL ${NCCL_FOUND})
  if(NCCL_FOUND)
    message(STATUS "NCCL ${NCCL_VERSION} in ${NCCL_LIBRARY}")
  endif()
endif()
if(KAON_NCCL AND NOT KAON_NCCL STREQUAL "AUTO" AND NOT KAON_HAS_NCCL)
  message(FATAL_ERROR "KAON_NCCL=${KAON_NCCL} needs a Kokkos with CUDA, KAON_MPI, and NCCL 2.7 or newer. Name the "
                      "folder where NCCL is installed in NCCL_ROOT, or leave it out with -DKAON_NCCL=OFF.")
endif()

find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
find_package(libdeflate 1.10 REQUIRED)

# Optional, for measurements.
if(KAON_HDF5 OR KAON_BUILD_TESTS)
  enable_language(C)  # FindHDF5 compiles with it, and so does a test of the C interface
  find_package(HDF5 COMPONENTS C)
endif()
if(KAON_HDF5 AND NOT KAON_HDF5 STREQUAL "AUTO" AND NOT HDF5_FOUND)
  message(FATAL_ERROR "No HDF5 found. Name the folder where it is installed in HDF5_ROOT, or leave it out with "
                      "-DKAON_HDF5=OFF.")
endif()
# Debian's shared HDF5 loads 36 libraries for files on the web. Its static one needs none of them, but shared libraries
# cannot be linked with it: it is for the program alone.
set(KAON_STATIC_HDF5 ${HDF5_C_LIBRARIES})
list(TRANSFORM KAON_STATIC_HDF5 REPLACE "libhdf5\\.so$" "libhdf5.a")
if(HDF5_FOUND AND NOT KAON_STATIC_HDF5 STREQUAL "${HDF5_C_LIBRARIES}")
  include(CheckCSourceCompiles)
  list(PREPEND KAON_STATIC_HDF5 -Wl,--push-state,--as-needed)
  list(APPEND KAON_STATIC_HDF5 -Wl,--pop-state)
  set(CMAKE_REQUIRED_INCLUDES ${HDF5_C_INCLUDE_DIRS})
  set(CMAKE_REQUIRED_LIBRARIES ${KAON_STATIC_HDF5})
  check_c_source_compiles("#include <hdf5.h>\nint main(void) { return H5open(); }" KAON_STATIC_HDF5_LINKS)
  unset(CMAKE_REQUIRED_INCLUDES)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(NOT KAON_STATIC_HDF5_LINKS)
  set(KAON_STATIC_HDF5 ${HDF5_C_LIBRARIES})
endif()
if(KAON_TOML)
  find_path(KAON_TOML_INCLUDE_DIR toml++/toml.h DOC "Folder with the headers of toml++")
endif()
if(KAON_TOML AND NOT KAON_TOML STREQUAL "AUTO" AND NOT KAON_TOML_INCLUDE_DIR)
  message(FATAL_ERROR "No toml++ found. Name the folder of its headers in KAON_TOML_INCLUDE_DIR, or leave it out with "
                      "-DKAON_TOML=OFF.")
endif()
if(KAON_BUILD_APPS OR KAON_BUILD_PERF)
  find_package(CLI11 REQUIRED)
endif()
if(KAON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(KAON_BUILD_PERF)
  find_package(benchmark REQUIRED)
endif()
