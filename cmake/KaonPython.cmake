# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

# kaon_find_python(<variable> <candidate> <statements>): the first of a candidate (if it is not empty), the PATH's python3
# and the system's that is Python 3.10 or newer and runs the statements, imports for example; empty if there is none.
function(kaon_find_python variable candidate statements)
  foreach(program IN ITEMS "${candidate}" python3 /usr/bin/python3)
    if(program STREQUAL "")
      continue()
    endif()
    execute_process(COMMAND ${program} -c "import sys\n${statements}\nprint(sys.executable)\nsys.exit(sys.version_info < (3, 10))"
      RESULT_VARIABLE failed OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed STREQUAL "0")
      set(${variable} ${found} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} "" PARENT_SCOPE)
endfunction()
