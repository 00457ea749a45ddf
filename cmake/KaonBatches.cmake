# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

# kaon_compile_in_batches(<target> <size> [<file>...])
#
# Compiles the sources of a target in batches of <size> files, which share the headers and the templates that they use,
# where KAON_BATCHES is on. The <file>s are large and compile alone, as do those with options of their own. A name has
# one meaning in all files of a target: batches change as files come and go.
function(kaon_compile_in_batches target size)
  if(KAON_BATCHES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
    if(ARGN)
      set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
  endif()
endfunction()
