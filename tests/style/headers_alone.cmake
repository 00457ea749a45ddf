# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# cmake -D SOURCE=... -D COMPILER=... -D INCLUDES=... -D MPI=... -P headers_alone.cmake
#
# Each public header compiles by itself, twice in a row.

list(TRANSFORM INCLUDES PREPEND -isystem)
file(GLOB_RECURSE headers RELATIVE ${SOURCE}/include ${SOURCE}/include/*.hpp)
set(failed 0)
foreach(header IN LISTS headers)
  if(header STREQUAL "kaon/comm/mpi.hpp" AND NOT MPI)
    continue()
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "#include <${header}>\n#include <${header}>"
    COMMAND ${COMPILER} -std=c++20 -fopenmp -fsyntax-only -Wall -Wextra -Werror -I${SOURCE}/include ${INCLUDES} -x c++ -
    RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message("${header} does not compile by itself:\n${errors}")
    math(EXPR failed "${failed} + 1")
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "${failed} headers do not compile by themselves")
endif()
