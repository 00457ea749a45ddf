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
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm
unpack openmpi {openmpi-bin,libopenmpi3,libopenmpi-dev}=4.1.4-3+b1 openmpi-common=4.1.4-3 libhwloc15=2.9.0-1 \
  libpmix2=4.2.2-1+deb12u1 {libevent-core,libevent-pthreads}-2.1-7=2.1.12-stable-8
unpack mpich {mpich,libmpich12,libmpich-dev}=4.0.2-3+b1 libhwloc15=2.9.0-1 libucx0=1.13.1-1 libslurm38=22.05.8-4+deb12u3

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

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
lib=usr/lib/$(uname -m)-linux-gnu
compile() { # FOLDER LIBRARY INCLUDE
  gcc -I "$1/$lib/$3" program.c -o "program_$1" "$1/$lib/$2" -Wl,--allow-shlib-undefined -lm
}
compile openmpi libmpi.so.40 openmpi/include
compile mpich libmpich.so.12 mpich/include
{
  echo "Open MPI 4.1.4:"
  OPAL_PREFIX=$folder/openmpi/usr LD_LIBRARY_PATH=$folder/openmpi/$lib \
    OMPI_MCA_mca_base_component_path=$folder/openmpi/$lib/openmpi/lib/openmpi3 \
    openmpi/usr/bin/orterun --oversubscribe -n 2 ./program_openmpi
  echo "MPICH 4.0.2:"
  LD_LIBRARY_PATH=$folder/mpich/$lib:$folder/mpich/$lib/slurm-wlm mpich/usr/bin/mpiexec.hydra -launcher fork -n 2 ./program_mpich
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
