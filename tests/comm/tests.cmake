# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT

add_executable(session_program comm/session_program.cpp)
target_link_libraries(session_program PRIVATE kaon::comm kaon_options)
if(KAON_MPI)
  target_link_libraries(session_program PRIVATE MPI::MPI_CXX)
  target_compile_definitions(session_program PRIVATE KAON_TEST_MPI)
endif()

kaon_add_test(session SOURCES comm/session_test.cpp LABELS comm)
target_compile_definitions(test_session PRIVATE KAON_SESSION_PROGRAM="$<TARGET_FILE:session_program>")
add_dependencies(test_session session_program)

if(KAON_MPI)
  list(JOIN MPIEXEC_PREFLAGS " " KAON_MPIEXEC_FLAGS)
  set(KAON_MPIRUN_TWO "${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 2 ${KAON_MPIEXEC_FLAGS}")
  kaon_add_test(session_mpi SOURCES comm/session_mpi_test.cpp LABELS comm mpi)
  target_compile_definitions(test_session_mpi PRIVATE
    KAON_SESSION_PROGRAM="$<TARGET_FILE:session_program>" KAON_MPIRUN="${KAON_MPIRUN_TWO}")
  add_dependencies(test_session_mpi session_program)
endif()
