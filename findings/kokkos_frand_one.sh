#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Kokkos 5.2.2: frand() of its generators of random numbers returns 1 about once in 2^25 calls, although its header gives
# the range [0, 1); frand(100, 101) returns 101 once in 2^18.
#
# A random integer of 64 bits is divided by the largest one in single precision, and what lies above 1 - 2^-25 is rounded
# to 1. The start of a range is added after the product, which rounds again. A test takes too few numbers to see it, but a
# quark field on 32^3 x 64 has 50 million: log(1 - u), with which many make normal numbers, is infinite once or twice in
# each field, and an index n u is out of range. drand() rounds alike, once in 2^54 calls. kaon makes normal numbers of
# uniform ones in double precision, of which neither 0 nor 1 occurs (core/random/random_sequence.hpp).
#
# Packages: libkokkos-dev and libkokkos5.2 of Debian sid.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists sid
unpack root {libkokkos-dev,libkokkos5.2}=5.2.2-2

cat >program.cpp <<'C++'
#include <Kokkos_Core.hpp>
#include <Kokkos_Random.hpp>

#include <cmath>
#include <cstdio>

template <class Pool>
void count(const char* name) {
  Pool pool(1);
  auto generator = pool.get_state();
  int ones = 0, infinite = 0, ends = 0;
  for (int k = 0; k < 1 << 28; ++k) {
    const float u = generator.frand();
    if (u >= 1.0F) {
      ++ones;
      infinite += std::isinf(std::sqrt(-2 * std::log(1 - u)));
    }
    if (k < 1 << 24) ends += generator.frand(100.0F, 101.0F) >= 101.0F;
  }
  std::printf("%s: of 2^28 numbers of [0, 1) %d are 1, %d square roots of -2 log(1 - u) infinite; ", name, ones, infinite);
  std::printf("of 2^24 of [100, 101) %d are 101\n", ends);
  pool.free_state(generator);
}

int main() {
  const Kokkos::ScopeGuard kokkos;
  std::printf("Kokkos %d.%d.%d\n", KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100);
  count<Kokkos::Random_XorShift64_Pool<>>("XorShift64");
  count<Kokkos::Random_XorShift1024_Pool<>>("XorShift1024");
}
C++
lib=root/usr/lib/$(uname -m)-linux-gnu
g++ -std=c++20 -O1 -fopenmp -I root/usr/include/kokkos program.cpp -o program -L "$lib" -l:libkokkoscore.so.5.2 -ldl
OMP_PROC_BIND=false OMP_NUM_THREADS=1 LD_LIBRARY_PATH=$lib ./program | tee seen
[[ $(grep -cE "[1-9][0-9]* are 1, [1-9].* [1-9][0-9]* are 101" seen) == 2 ]] && echo "as stated (expected: 0 are 1, 0 are 101)"
