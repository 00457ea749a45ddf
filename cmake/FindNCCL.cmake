# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Finds NCCL, beside the CUDA toolkit or where NCCL_ROOT says, and makes NCCL::nccl. Part of the installed package.

set(places ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_BIN_DIR}/.. ENV NCCL_HOME)
find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${places} PATH_SUFFIXES include DOC "Folder with the header of NCCL")
# Python packages hold the library under its full name alone.
find_library(NCCL_LIBRARY NAMES nccl libnccl.so.2 HINTS ${places} PATH_SUFFIXES lib lib64 DOC "The library of NCCL")
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)

if(NCCL_INCLUDE_DIR)
  set(NCCL_VERSION "")
  foreach(part IN ITEMS MAJOR MINOR PATCH)
    file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h line REGEX "^#define NCCL_${part} +[0-9]+" LIMIT_COUNT 1)
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND NCCL_VERSION ${number})
  endforeach()
  list(JOIN NCCL_VERSION "." NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)

if(NCCL_FOUND AND NOT TARGET NCCL::nccl)
  add_library(NCCL::nccl UNKNOWN IMPORTED)
  set_target_properties(NCCL::nccl PROPERTIES
    IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
