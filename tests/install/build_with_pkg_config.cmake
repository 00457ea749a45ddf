# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# cmake -D PREFIX=... -D COMPILER=... -D SOURCE=... -D PROGRAM=... [-D ARGUMENTS=...] -P build_with_pkg_config.cmake
#
# Compiles a program of C or Fortran with the flags that pkg-config has for an installed kaon, and runs it.

find_program(pkg_config NAMES pkg-config pkgconf)
if(NOT pkg_config)
  message("skipped: there is no pkg-config")
  return()
endif()
if(NOT COMPILER)
  message("skipped: there is no compiler of this language")
  return()
endif()

file(GLOB_RECURSE description ${PREFIX}/kaon.pc)
get_filename_component(folder ${description} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${folder})
execute_process(COMMAND ${pkg_config} --cflags --libs kaon
  OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(flags)
get_filename_component(output ${PROGRAM} DIRECTORY)
file(MAKE_DIRECTORY ${output})
execute_process(COMMAND ${COMPILER} -Wall -Wextra ${SOURCE} ${flags} -o ${PROGRAM}
  WORKING_DIRECTORY ${output} COMMAND_ERROR_IS_FATAL ANY)  # modules of Fortran are written there
get_filename_component(library ${folder} DIRECTORY)
set(ENV{LD_LIBRARY_PATH} ${library}:$ENV{LD_LIBRARY_PATH})
execute_process(COMMAND ${PROGRAM} ${ARGUMENTS} COMMAND_ERROR_IS_FATAL ANY)
