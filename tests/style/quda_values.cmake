# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# docs/quda.md lists the values that tables in quda/ know and the parameters that quda/client/parameters.hpp names.

# compare(<what> <block> <pattern in docs> <pattern in quda/> <list of files>)
function(compare what block documented coded)
  set(known)
  foreach(source IN LISTS ARGN)
    file(READ ${source} text)
    string(REGEX MATCHALL "${coded}" found "${text}")
    foreach(name IN LISTS found)
      string(REGEX REPLACE "${coded}" "\\1" name "${name}")
      list(APPEND known ${name})
    endforeach()
  endforeach()
  list(REMOVE_ITEM known name enumerator)  # of the macros themselves
  list(REMOVE_DUPLICATES known)
  file(READ ${SOURCE}/docs/quda.md text)
  if(NOT text MATCHES "<!-- ${block} begin -->(.*)<!-- ${block} end -->")
    message(FATAL_ERROR "docs/quda.md has no block of ${what}")
  endif()
  string(REGEX MATCHALL "${documented}" found "${CMAKE_MATCH_1}")
  set(listed)
  foreach(name IN LISTS found)
    string(REPLACE "`" "" name "${name}")
    list(APPEND listed ${name})
  endforeach()
  set(missing ${known})
  list(REMOVE_ITEM missing ${listed})
  set(added ${listed})
  list(REMOVE_ITEM added ${known})
  list(LENGTH known count)
  if(missing OR added OR count LESS 20)
    message(FATAL_ERROR "${what} (${count} in quda/): docs/quda.md does not list: ${missing}; it lists, but quda/ does "
      "not have: ${added}")
  endif()
endfunction()

file(GLOB sources ${SOURCE}/quda/*/*.cpp)
compare("values" values "`QUDA_[A-Z0-9_]+`" "KAON_KNOWN\\(([A-Z0-9_]+)" ${sources})
compare("parameters without effect" ignored "`[A-Za-z0-9_]+`" "KAON_IGNORED\\(([A-Za-z0-9_]+)," ${SOURCE}/quda/client/parameters.hpp)
