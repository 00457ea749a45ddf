# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# The newest CLI11, fmt, nlohmann-json, pugixml and MPICH of Debian's suites, beside kernels of this build.

if(KAON_MPI AND TARGET kaon_program AND CMAKE_BUILD_TYPE STREQUAL Release AND NOT KAON_SANITIZE AND
   NOT "CUDA" IN_LIST Kokkos_DEVICES)
  list(JOIN HDF5_C_LIBRARIES "," hdf5_libraries)
  string(CONCAT options -DCMAKE_BUILD_TYPE=None| -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}| -DKokkos_DIR=${Kokkos_DIR}|
    -DKAON_BINARY_DIR=${PROJECT_BINARY_DIR}| -DKAON_VERSION=${PROJECT_VERSION}| -DFMT_LIBRARY=$<TARGET_FILE:fmt::fmt>|
    -DLIBDEFLATE_LIBRARY=${LIBDEFLATE_LIBRARY}| -DHDF5_LIBRARIES=${hdf5_libraries}|
    -DKAON_NATIVE_ARCH=${KAON_NATIVE_ARCH}| -DKAON_CCACHE=${KAON_CCACHE})
  kaon_test_seconds(limit 600)
  add_test(NAME newest_libraries COMMAND ${CMAKE_COMMAND}
    -D SOURCE=${PROJECT_SOURCE_DIR} -D FOLDER=${CMAKE_CURRENT_BINARY_DIR}/newest -D CTEST=${CMAKE_CTEST_COMMAND}
    -D GENERATOR=${CMAKE_GENERATOR} -D OPTIONS=${options} -P ${PROJECT_SOURCE_DIR}/tests/newest/run.cmake)
  set_tests_properties(newest_libraries PROPERTIES LABELS "install;mpi" PROCESSORS 2 TIMEOUT ${limit}
    SKIP_REGULAR_EXPRESSION "skipped: " ENVIRONMENT "OMP_NUM_THREADS=1;${KAON_TEST_ENVIRONMENT}")
endif()
