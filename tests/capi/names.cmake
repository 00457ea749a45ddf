# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# cmake -D NM=... -D LIBRARY=... -D HEADER=... -P names.cmake
#
# The names that libkaon has for others are the functions that kaon.h declares, no less and no more.

execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [A-Za-z] [^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "^ [A-Za-z] " "")
file(READ ${HEADER} header)
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" header "${header}")
string(REGEX MATCHALL "kaon_[a-z_0-9]+\\(" functions "${header}")
list(TRANSFORM functions REPLACE "\\($" "")
list(REMOVE_DUPLICATES functions)
list(SORT symbols)
list(SORT functions)
if(NOT symbols STREQUAL functions)
  message(FATAL_ERROR "kaon.h declares ${functions}, but the library has ${symbols}")
endif()
list(LENGTH functions count)
message("${count} functions")
