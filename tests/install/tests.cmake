# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# kaon as a package and as a subdirectory of somebody else's project.

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

# All of kaon is configured; of its layers, which share one recipe, the first is compiled, without optimisation.
kaon_add_consumer(use_as_subdirectory
  -DCMAKE_BUILD_TYPE=Debug
  -DKAON_SOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DKAON_MPI=${KAON_MPI}
  -DKAON_CCACHE=${KAON_CCACHE}
  -DKAON_PRECOMPILED_HEADERS=${KAON_PRECOMPILED_HEADERS}
  -DKAON_KOKKOSBATCHED_INCLUDE_DIR=${KAON_KOKKOSBATCHED_INCLUDE_DIR})
