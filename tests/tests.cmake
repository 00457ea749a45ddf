# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# The list of tests, by folder.

add_subdirectory(reference)
kaon_add_test(error SOURCES core/error_test.cpp core/message_test.cpp LABELS core LAYER core)
kaon_add_test(partial_files SOURCES core/partial_file_test.cpp core/printable_test.cpp core/chain_mean_test.cpp
  LABELS core LAYER core)
kaon_add_test(ref SOURCES core/ref_test.cpp LABELS core LAYER core)
kaon_add_test(fields
  SOURCES core/blas_test.cpp core/block_blas_test.cpp core/column_products_test.cpp core/field_test.cpp core/scalars_test.cpp
          core/lattice_test.cpp core/components_test.cpp
  LABELS core gpu LAYER core LIBRARIES kaon_reference THREADS 2)
set_tests_properties(fields PROPERTIES PROCESSORS 1)  # its two threads wait for each other half of the time
kaon_add_test(kept_fields SOURCES core/kept_fields_test.cpp LABELS core gpu LAYER core)
kaon_add_test(array_view SOURCES core/array_view_test.cpp LABELS core gpu LAYER core)
kaon_add_test(coarse_lattice
  SOURCES core/coarse_lattice_test.cpp core/coarse_field_test.cpp
  LABELS core gpu LAYER core)
kaon_add_test(tuning
  SOURCES core/launch_test.cpp core/phases_test.cpp core/team_test.cpp core/tuning_file_test.cpp core/tuning_test.cpp
  LABELS core gpu LAYER core THREADS 2)
kaon_add_test(random SOURCES core/random_test.cpp LABELS core gpu LAYER core)

if(TARGET kaon_program)
  add_subdirectory(apps)
endif()
if(TARGET kaon_c)
  add_subdirectory(capi)
endif()
add_subdirectory(comm)
add_subdirectory(gauge)
add_subdirectory(hmc)
add_subdirectory(io)
add_subdirectory(known_answers)
add_subdirectory(measure)
add_subdirectory(multigrid)
add_subdirectory(operators)
add_subdirectory(partitions)
if(TARGET kaon_python AND TARGET kaon_c)
  add_subdirectory(python)
endif()
if(TARGET kaon_quda)
  add_subdirectory(quda)
endif()
add_subdirectory(quarks)
add_subdirectory(solvers)
add_subdirectory(style)
add_subdirectory(widths)
if(KAON_TEST_PYTHON AND TARGET kaon_program)
  add_subdirectory(validation)
endif()
if(KAON_TEST_PYTHON)
  add_subdirectory(docs)
endif()

if(KAON_INSTALL AND NOT KAON_SANITIZE)
  include(install/tests.cmake)
endif()
include(newest/tests.cmake)
