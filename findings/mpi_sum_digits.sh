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
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm
unpack openmpi {openmpi-bin,libopenmpi3,libopenmpi-dev}=4.1.4-3+b1 openmpi-common=4.1.4-3 libhwloc15=2.9.0-1 \
  libpmix2=4.2.2-1+deb12u1 {libevent-core,libevent-pthreads}-2.1-7=2.1.12-stable-8
unpack mpich {mpich,libmpich12,libmpich-dev}=4.0.2-3+b1 libhwloc15=2.9.0-1 libucx0=1.13.1-1 libslurm38=22.05.8-4+deb12u3

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

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
lib=usr/lib/$(uname -m)-linux-gnu
compile() { # FOLDER LIBRARY INCLUDE
  gcc -O1 -I "$1/$lib/$3" program.c -o "program_$1" "$1/$lib/$2" -Wl,--allow-shlib-undefined
}
compile openmpi libmpi.so.40 openmpi/include
compile mpich libmpich.so.12 mpich/include
{
  for processes in 3 5; do
    echo "Open MPI 4.1.4, of 20 sums in arrays of"
    OPAL_PREFIX=$folder/openmpi/usr LD_LIBRARY_PATH=$folder/openmpi/$lib \
      OMPI_MCA_mca_base_component_path=$folder/openmpi/$lib/openmpi/lib/openmpi3 \
      openmpi/usr/bin/orterun --oversubscribe -n $processes ./program_openmpi
  done
  echo "MPICH 4.0.2, of 20 sums in arrays of"
  LD_LIBRARY_PATH=$folder/mpich/$lib:$folder/mpich/$lib/slurm-wlm \
    mpich/usr/bin/mpiexec.hydra -launcher fork -n 5 ./program_mpich
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
