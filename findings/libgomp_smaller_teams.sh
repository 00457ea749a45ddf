#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# GCC's OpenMP library (libgomp 12.2.0 and 14.2.0) ends threads that a parallel region does not need, and starts new ones
# for the next larger region. LLVM's (14.0.6) keeps all of them, for the same program.
#
# Threads wait for the next region, as programs with many short regions expect, only where all regions of a thread have
# the same size; those of one thread do not count. A program whose solver takes 4 threads and whose input takes 2, or a
# library with a setting of its own, ends and starts two threads at each change, and these lose what they had in
# thread-local variables, such as buffers or states of random numbers. OpenMP's standard does not promise that variables
# of threads persist between regions of different size; that the threads end is libgomp's choice. All regions of kaon have the number of threads that Kokkos' kernels have (io/host_threads.hpp).
#
# Packages: libgomp1 and libomp5-14 of Debian 12, libgomp1 of Debian 13.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm trixie
unpack gcc12 libgomp1=12.2.0-14+deb12u1
unpack gcc14 libgomp1=14.2.0-19
unpack llvm libomp5-14=1:14.0.6-12

cat >program.c <<'C'
#include <stdio.h>

static _Thread_local int known;
static int threads;

static void region(int size) {
#pragma omp parallel num_threads(size)
  if (!known) {
    known = 1;
#pragma omp atomic
    ++threads;
  }
}

int main(void) {
  for (int smaller = 4; smaller >= 1; --smaller) {
    region(4);
    threads = 0;
    for (int k = 0; k < 100; ++k) {
      region(smaller);
      region(4);
    }
    printf("%d and 4: %d, ", smaller, threads);
  }
  printf("\n");
  return 0;
}
C
gcc -O2 -fopenmp program.c -o program
mkdir preloaded && ln -s "$(echo "$folder"/llvm/usr/lib/*/libomp.so.5)" preloaded/libgomp.so.1 # it has GCC's functions, too
{
  for library in gcc12/usr/lib/*/ gcc14/usr/lib/*/ preloaded/; do
    echo -n "${library%%/*}: new threads in 100 pairs of regions of "
    OMP_DYNAMIC=false OMP_WAIT_POLICY=passive LD_LIBRARY_PATH=$folder/$library ./program
  done
} | sed 's/, $//; s/preloaded/llvm/' | tee seen
cat >as_stated <<'TEXT'
gcc12: new threads in 100 pairs of regions of 4 and 4: 0, 3 and 4: 100, 2 and 4: 200, 1 and 4: 0
gcc14: new threads in 100 pairs of regions of 4 and 4: 0, 3 and 4: 100, 2 and 4: 200, 1 and 4: 0
llvm: new threads in 100 pairs of regions of 4 and 4: 0, 3 and 4: 0, 2 and 4: 0, 1 and 4: 0
TEXT
diff as_stated seen && echo "as stated (expected: 0 everywhere)"
