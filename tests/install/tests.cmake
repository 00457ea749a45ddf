# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# kaon as a package and as a subdirectory of another project.

set(folder ${CMAKE_CURRENT_BINARY_DIR}/install)
set(options
  -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  -DKokkos_DIR=${Kokkos_DIR}
)

# kaon_add_consumer(<name> <option>...): configures, builds and runs the consumer with these options.
function(kaon_add_consumer name)
  add_test(NAME ${name} COMMAND ${CMAKE_CTEST_COMMAND}
    --build-and-test ${PROJECT_SOURCE_DIR}/tests/install ${folder}/${name}
    --build-generator ${CMAKE_GENERATOR} --build-noclean --build-options ${options} ${ARGN}
    --test-command ${folder}/${name}/consumer)
  set_tests_properties(${name} PROPERTIES LABELS install PROCESSORS 2 TIMEOUT 900
    ENVIRONMENT "OMP_NUM_THREADS=2;${KAON_TEST_ENVIRONMENT}")
endfunction()

add_test(NAME install
  COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${folder}/prefix)
set_tests_properties(install PROPERTIES LABELS install FIXTURES_SETUP kaon_prefix)
kaon_add_consumer(use_as_package -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_PREFIX_PATH=${folder}/prefix)
set_tests_properties(use_as_package PROPERTIES FIXTURES_REQUIRED kaon_prefix)

# All of kaon is configured; of its layers, which share one recipe, the first is compiled, with neither optimisation nor
# symbols for debuggers.
kaon_add_consumer(use_as_subdirectory
  -DCMAKE_BUILD_TYPE=None
  -DKAON_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DKAON_MPI=${KAON_MPI}
  -DKAON_CCACHE=${KAON_CCACHE}
  -DKAON_PRECOMPILED_HEADERS=${KAON_PRECOMPILED_HEADERS}
  -DKAON_KOKKOSBATCHED_INCLUDE_DIR=${KAON_KOKKOSBATCHED_INCLUDE_DIR})

# kaon_add_pkg_config_test(<name> COMPILER <compiler> SOURCE <file> EXPECT <regular expression> [ARGUMENTS <argument>...])
function(kaon_add_pkg_config_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER;SOURCE;EXPECT" "ARGUMENTS")
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND}
    -D PREFIX=${folder}/prefix -D COMPILER=${arg_COMPILER} -D SOURCE=${arg_SOURCE} -D PROGRAM=${folder}/${name}/program
    -D ARGUMENTS=${arg_ARGUMENTS} -P ${PROJECT_SOURCE_DIR}/tests/install/build_with_pkg_config.cmake)
  set_tests_properties(${name} PROPERTIES LABELS install PROCESSORS 2 TIMEOUT 300 FIXTURES_REQUIRED kaon_prefix
    ENVIRONMENT "OMP_NUM_THREADS=2;${KAON_TEST_ENVIRONMENT}"
    SKIP_REGULAR_EXPRESSION "skipped: there is no" PASS_REGULAR_EXPRESSION ${arg_EXPECT})
endfunction()

if(TARGET kaon_c)
  find_program(KAON_FORTRAN_COMPILER NAMES gfortran DOC "Compiler of the Fortran example, for a test")
  mark_as_advanced(KAON_FORTRAN_COMPILER)
  set(examples ${PROJECT_SOURCE_DIR}/examples)
  kaon_add_pkg_config_test(use_from_c COMPILER ${CMAKE_C_COMPILER} SOURCE ${examples}/pion.c
    ARGUMENTS ${examples}/quenched_b6.0_8x8x8x16.nersc EXPECT "\n 15  1\\.40825[0-9]*e-01")
  kaon_add_pkg_config_test(use_from_fortran COMPILER "$<$<BOOL:${KAON_FORTRAN_COMPILER}>:${KAON_FORTRAN_COMPILER}>"
    SOURCE ${examples}/pion.f90 EXPECT "residual +[0-9.]+E-1.*\n  7 +[0-9.]+E-0")
endif()

# The installed Python package finds the library of its prefix.
if(TARGET kaon_python AND KAON_TEST_PYTHON)
  kaon_test_seconds(limit 60)
  add_test(NAME python_installed COMMAND ${KAON_TEST_PYTHON} -m kaon info --json)
  set_tests_properties(python_installed PROPERTIES LABELS "install;python" TIMEOUT ${limit} FIXTURES_REQUIRED kaon_prefix
    ENVIRONMENT "PYTHONPATH=${folder}/prefix/lib/python3/dist-packages;PYTHONDONTWRITEBYTECODE=1;${KAON_TEST_ENVIRONMENT}"
    PASS_REGULAR_EXPRESSION "\"library\": \"${folder}/prefix/[^\"]*libkaon.so\"")
endif()

# The first command of a newcomer, whose build leaves out most parts: no other test compiles without them.
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT KAON_SANITIZE AND NOT "CUDA" IN_LIST Kokkos_DEVICES)
  add_test(NAME demo COMMAND ${PROJECT_SOURCE_DIR}/dev demo)
  set_tests_properties(demo PROPERTIES LABELS install PROCESSORS 2 TIMEOUT 1800
    ENVIRONMENT "KAON_PRESET=quick;KAON_INSTALL_PACKAGES=no;KAON_JOBS=2;OMP_NUM_THREADS=2;${KAON_TEST_ENVIRONMENT}"
    PASS_REGULAR_EXPRESSION "written +build/demo_pion.json")
endif()
