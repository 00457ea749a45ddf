# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Finds libdeflate, whose packages have no files for CMake before version 1.15, and makes libdeflate::libdeflate_shared,
# the name of its own files for CMake. Part of the installed package.

find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h DOC "Folder with the header of libdeflate")
find_library(LIBDEFLATE_LIBRARY deflate DOC "The library of libdeflate")
mark_as_advanced(LIBDEFLATE_INCLUDE_DIR LIBDEFLATE_LIBRARY)

if(LIBDEFLATE_INCLUDE_DIR)
  file(STRINGS ${LIBDEFLATE_INCLUDE_DIR}/libdeflate.h line REGEX "^#define LIBDEFLATE_VERSION_STRING" LIMIT_COUNT 1)
  string(REGEX MATCH "[0-9.]+" LIBDEFLATE_VERSION "${line}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libdeflate
  REQUIRED_VARS LIBDEFLATE_LIBRARY LIBDEFLATE_INCLUDE_DIR VERSION_VAR LIBDEFLATE_VERSION)

if(libdeflate_FOUND AND NOT TARGET libdeflate::libdeflate_shared)
  add_library(libdeflate::libdeflate_shared UNKNOWN IMPORTED)
  set_target_properties(libdeflate::libdeflate_shared PROPERTIES
    IMPORTED_LOCATION ${LIBDEFLATE_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBDEFLATE_INCLUDE_DIR})
endif()
