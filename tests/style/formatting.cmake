# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# All tracked C and C++ files are formatted as .clang-format says. Versions of clang-format differ: 14 counts.
include(${CMAKE_CURRENT_LIST_DIR}/missing.cmake)
find_program(clang_format NAMES clang-format-14 clang-format)
find_program(git git)
if(clang_format)
  execute_process(COMMAND ${clang_format} --version OUTPUT_VARIABLE version)
endif()
if(NOT version MATCHES "version 14\\.")
  kaon_missing("clang-format 14 is not installed")
endif()
if(NOT git)
  kaon_missing("git is not installed")
endif()
if(NOT EXISTS ${SOURCE}/.git)
  message("skipped: this is no checkout of git")
  return()
endif()
execute_process(COMMAND ${git} -c safe.directory=${SOURCE} ls-files *.hpp *.cpp *.h *.c
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE files RESULT_VARIABLE result ERROR_VARIABLE faults)
if(result)
  kaon_missing("git does not list the files: ${faults}")
endif()
string(REGEX REPLACE "\n" ";" files "${files}")
list(FILTER files INCLUDE REGEX .)
execute_process(COMMAND ${clang_format} --dry-run --Werror ${files} WORKING_DIRECTORY ${SOURCE}
  RESULT_VARIABLE result ERROR_VARIABLE faults)
if(result)
  message(FATAL_ERROR "${faults}\nRun clang-format -i on these files.")
endif()
list(LENGTH files count)
message("${count} files are formatted")
