#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# MPI_Allreduce with MPI_MAX and a NaN on one process: MPICH 4.0.2 returns different results to the processes of one call,
# and Open MPI 4.1.4 loses the NaN of every process but the first. Among seven equal elements both keep it in some.
#
# The MPI standard defines one result for all processes. With MPICH the process that has the NaN receives the number of the
# other, which receives the NaN: each compares what it has received with what it has, and all comparisons with NaN are
# false. Processes that test whether the largest residual is small then take different branches; with Open MPI a wrong
# solution passes the test. MPICH 5.0.2 of sid does as 4.0.2. kaon gathers the numbers and compares them itself (comm/processes_mpi.cpp).
#
# Packages: libopenmpi3 4.1.4 and libmpich12 4.0.2 of Debian 12, with what they load.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mpis.bash"

cat >program.c <<'C'
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int owner = 0; owner < 2; ++owner) {
    double given[7], largest, largest_of[7], received[2];
    for (int k = 0; k < 7; ++k) given[k] = rank == owner ? NAN : 1.0;
    MPI_Allreduce(given, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(given, largest_of, 7, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Gather(&largest, 1, MPI_DOUBLE, received, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    int nans = 0;
    for (int k = 0; k < 7; ++k) nans += isnan(largest_of[k]) != 0;
    if (rank == 0) {
      printf("NaN on process %d, 1 on process %d: process 0 receives %g, process 1 %g; of 7 elements %s are NaN\n", owner,
             1 - owner, fabs(received[0]), fabs(received[1]), nans == 0 ? "none" : nans == 7 ? "all" : "some");
    }
  }
  MPI_Finalize();
  return 0;
}
C

compile_for_mpis -O0
{
  echo "Open MPI 4.1.4:"
  run_by_openmpi 2
  echo "MPICH 4.0.2:"
  run_by_mpich 2
} | tee seen
cat >as_stated <<'TEXT'
Open MPI 4.1.4:
NaN on process 0, 1 on process 1: process 0 receives nan, process 1 nan; of 7 elements some are NaN
NaN on process 1, 1 on process 0: process 0 receives 1, process 1 1; of 7 elements some are NaN
MPICH 4.0.2:
NaN on process 0, 1 on process 1: process 0 receives 1, process 1 nan; of 7 elements some are NaN
NaN on process 1, 1 on process 0: process 0 receives nan, process 1 1; of 7 elements some are NaN
TEXT
diff as_stated seen && echo "as stated (expected: nan on both processes, whoever has it, and in all elements)"
