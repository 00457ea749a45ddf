# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

# kaon_missing(<sentence>): ends a test whose tool is missing. It is skipped; in CI, where the environment variable CI has a
# value, it has failed.
macro(kaon_missing sentence)
  if(NOT "$ENV{CI}" STREQUAL "")
    message(FATAL_ERROR "${sentence}; tools/install-packages --style installs the tools of this test")
  endif()
  message("skipped: ${sentence}")
  return()
endmacro()
