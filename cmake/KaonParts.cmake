# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Parts of kaon that a build may leave out. Wilson and clover operators, BiCGstab, sources, correlators and files are
# always there.

set(all_parts
  solvers       # CG, CGNR, CGNE, GCR-DD, MR and several shifts
  twisted_mass
  domain_wall
  staggered     # naive, asqtad and HISQ quarks, their links and propagators
  multigrid
  eigenvectors  # and deflation
  smoothing     # of links: APE, stout, HYP, gradient flow, gauge fixing
  hmc           # ensembles: heatbath, forces, hybrid Monte Carlo
)
set(needed_by_domain_wall solvers)
set(needed_by_staggered solvers)
set(needed_by_multigrid solvers)
set(needed_by_eigenvectors solvers)
set(needed_by_hmc solvers twisted_mass staggered smoothing)

set(KAON_PARTS "${all_parts}" CACHE STRING "Parts of kaon to compile; empty: Wilson and clover propagators alone")
set(constants)
set(left_out)
foreach(part IN LISTS KAON_PARTS)
  if(NOT part IN_LIST all_parts)
    message(FATAL_ERROR "KAON_PARTS has '${part}'; it is a list of some of ${all_parts}.")
  endif()
  foreach(needed IN LISTS needed_by_${part})
    if(NOT needed IN_LIST KAON_PARTS)
      message(FATAL_ERROR "KAON_PARTS has '${part}', which needs '${needed}': add it.")
    endif()
  endforeach()
endforeach()
foreach(part IN LISTS all_parts)
  set(has false)
  if(part IN_LIST KAON_PARTS)
    set(has true)
  else()
    list(APPEND left_out ${part})
  endif()
  string(APPEND constants "  static constexpr bool ${part} = ${has};\n")
endforeach()
foreach(precision IN ITEMS double:double float:single half:half)
  string(REPLACE ":" ";" precision ${precision})
  list(GET precision 0 type)
  list(GET precision 1 name)
  set(has_${type} false)
  if(name IN_LIST KAON_PRECISIONS)
    set(has_${type} true)
  endif()
endforeach()
list(JOIN left_out ", " left_out)
configure_file(core/base/parts.hpp.in ${PROJECT_BINARY_DIR}/generated/core/base/parts.hpp @ONLY)

# Interfaces and tests are of the whole of kaon.
if(left_out)
  foreach(option IN ITEMS KAON_C_API KAON_BUILD_TESTS KAON_BUILD_PERF KAON_BUILD_EXAMPLES)
    if(${option})
      message(FATAL_ERROR "${option} needs all of KAON_PARTS, and ${left_out} is missing. Turn ${option} off.")
    endif()
  endforeach()
endif()

# kaon_add_part(<variable> <part> <item>...): appends the items to the list <variable> if the part is compiled, and
# otherwise <part>:<item> of each item to the list <variable>_left_out.
function(kaon_add_part variable part)
  if(NOT part IN_LIST all_parts)
    message(FATAL_ERROR "kaon_add_part: ${part} is no part of kaon")
  endif()
  if(part IN_LIST KAON_PARTS)
    set(${variable} ${${variable}} ${ARGN} PARENT_SCOPE)
  else()
    list(TRANSFORM ARGN PREPEND "${part}:" OUTPUT_VARIABLE items)
    set(${variable}_left_out ${${variable}_left_out} ${items} PARENT_SCOPE)
  endif()
endfunction()
