#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# MPI_Allreduce with MPI_SUM and Open MPI 4.1.4 on 3 processes: 10000 elements that are equal on each process have unequal
# sums. MPI_Reduce, also with MPICH 4.0.2, rounds a sum differently alone than among 10000.
#
# Long arrays are cut into pieces, whose sums start on different processes, and short ones are summed along a tree. The
# MPI standard leaves the order open and recommends only that the same call returns the same result again. So a norm or a
# time slice may have other digits in a block of many right-hand sides, and MPI_Reduce, MPI_Iallreduce and
# MPI_Allreduce of the same numbers need not agree. Codes that compare such sums bit by bit, such as tests of a block solver
# against a single one, fail on some numbers of processes. kaon gathers the numbers and adds them by rank
# (comm/processes_mpi.cpp). In the output `other` counts arrays whose sum differs from that of MPI_Allreduce of one number, and
# `unequal` those with different elements.
#
# Packages: libopenmpi3 4.1.4 and libmpich12 4.0.2 of Debian 12, with what they load.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/mpis.bash"

cat >program.c <<'C'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { trials = 20, largest = 10000 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  static double given[largest], sums[largest];
  const char* names[] = {"MPI_Allreduce", "MPI_Iallreduce", "MPI_Reduce"};
  for (int name = 0; name < 3; ++name) {
    if (rank == 0) printf("%s on %d processes:", names[name], size);
    for (int count = 1; count <= largest; count *= largest) {
      int other = 0, unequal = 0;
      srand(rank + 1);
      for (int trial = 0; trial < trials; ++trial) {
        const double number = 1.0 / (1.0 + rand());
        for (int k = 0; k < count; ++k) given[k] = number;
        double alone;
        MPI_Allreduce(&number, &alone, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (name == 0) MPI_Allreduce(given, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (name == 1) {
          MPI_Request request;
          MPI_Iallreduce(given, sums, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (name == 2) MPI_Reduce(given, sums, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        other += sums[0] != alone;  // compared with MPI_Allreduce of one number
        int differ = 0;
        for (int k = 1; k < count; ++k) differ |= sums[k] != sums[0];
        unequal += differ;
      }
      if (rank == 0) printf("%s %d: %d other, %d unequal", count > 1 ? ";" : "", count, other, unequal);
    }
    if (rank == 0) printf("\n");
  }
  MPI_Finalize();
  return 0;
}
C

compile_for_mpis -O1
{
  for processes in 3 5; do
    echo "Open MPI 4.1.4, of 20 sums in arrays of"
    run_by_openmpi $processes
  done
  echo "MPICH 4.0.2, of 20 sums in arrays of"
  run_by_mpich 5
} | tee seen
cat >as_stated <<'TEXT'
Open MPI 4.1.4, of 20 sums in arrays of
MPI_Allreduce on 3 processes: 1: 0 other, 0 unequal; 10000: 0 other, 7 unequal
MPI_Iallreduce on 3 processes: 1: 0 other, 0 unequal; 10000: 0 other, 0 unequal
MPI_Reduce on 3 processes: 1: 0 other, 0 unequal; 10000: 5 other, 0 unequal
Open MPI 4.1.4, of 20 sums in arrays of
MPI_Allreduce on 5 processes: 1: 0 other, 0 unequal; 10000: 0 other, 0 unequal
MPI_Iallreduce on 5 processes: 1: 6 other, 0 unequal; 10000: 0 other, 0 unequal
MPI_Reduce on 5 processes: 1: 8 other, 0 unequal; 10000: 6 other, 0 unequal
MPICH 4.0.2, of 20 sums in arrays of
MPI_Allreduce on 5 processes: 1: 0 other, 0 unequal; 10000: 0 other, 0 unequal
MPI_Iallreduce on 5 processes: 1: 0 other, 0 unequal; 10000: 0 other, 0 unequal
MPI_Reduce on 5 processes: 1: 6 other, 0 unequal; 10000: 0 other, 0 unequal
TEXT
diff as_stated seen && echo "as stated (expected: 0 everywhere)"
