# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Names are cased as .clang-tidy says, in the public headers and in the private ones that naming.cpp includes.
include(${CMAKE_CURRENT_LIST_DIR}/missing.cmake)
find_program(clang_tidy NAMES clang-tidy-14 clang-tidy)
if(NOT clang_tidy)
  kaon_missing("clang-tidy is not installed")
endif()
list(TRANSFORM INCLUDES PREPEND -isystem)
execute_process(
  COMMAND ${clang_tidy} --quiet --config-file=${SOURCE}/.clang-tidy "--header-filter=${SOURCE}/(include|core|comm|gauge|io|operators|solvers|multigrid|quarks|measure|hmc)/"
    ${CMAKE_CURRENT_LIST_DIR}/naming.cpp -- -std=c++20 -fopenmp -I${SOURCE}/include -I${SOURCE} -I${GENERATED} ${INCLUDES}
  RESULT_VARIABLE result OUTPUT_VARIABLE faults ERROR_VARIABLE notes)
if(result)
  message(FATAL_ERROR "${faults}\n${notes}")
endif()
message("names are as they should be")
