#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# A shared library that GCC 12.2.0 has linked with -ffast-math, even one without any arithmetic, makes denormal numbers zero
# in the thread that loads it. With GCC's OpenMP library (12.2.0, 14.2.0) threads that already run keep them, so that one
# loop computes both; LLVM's (14.0.6) makes them zero in all threads. A library that GCC 14.2.0 has linked changes nothing.
#
# GCC's manual says that the link may change how the processor computes, not that it depends on the thread. A new thread
# starts as the one that starts it; LLVM's library hands the state on at each parallel region, GCC's does not. So a
# module of Python that is imported between two solves can change the digits of the second, in a part of the field
# that depends on the number of threads. Quark propagators in single precision get below 1e-38, where denormal numbers
# begin. Load such libraries before the first parallel region (docs/parallel.md): then all threads are alike.
#
# Packages: gcc-12, cpp-12, libgcc-12-dev, libgomp1 and libomp5-14 of Debian 12, gcc-14, cpp-14, libgcc-14-dev and libgomp1 of
# Debian 13, with what they load.
set -euo pipefail
[[ $(uname -m) == x86_64 ]] || { echo "not x86-64: nothing to see" && exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm trixie
unpack gcc12 {gcc-12,cpp-12,libgcc-12-dev,libgomp1}=12.2.0-14+deb12u1 libisl23=0.25-1.1 libmpc3=1.3.1-1 libmpfr6=4.2.0-1 \
  libgmp10=2:6.2.1+dfsg1-1.1
unpack gcc14 {gcc-14,cpp-14}-x86-64-linux-gnu=14.2.0-19 {libgcc-14-dev,libgomp1}=14.2.0-19 libisl23=0.27-1 libmpc3=1.3.1-1+b3 \
  libmpfr6=4.2.2-1 libgmp10=2:6.3.0+dfsg-3
unpack llvm libomp5-14=1:14.0.6-12

cat >module.c <<'C'
int answer(void) { return 42; }
C
cat >program.c <<'C'
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

/// Halves denormal numbers in four threads, and prints for each whether the result is zero.
static void halve(void) {
  float numbers[4] = {2e-39f, 2e-39f, 2e-39f, 2e-39f};
#pragma omp parallel num_threads(4)
  numbers[omp_get_thread_num()] *= 0.5f;
  for (int k = 0; k < 4; ++k) {
    unsigned bits;  // a comparison of the numbers would take denormal ones for zero
    memcpy(&bits, numbers + k, sizeof bits);
    printf(bits ? " x" : " 0");
  }
}

int main(int count, char** arguments) {
  if (count == 3) {
    halve();
    printf(", then");
  }
  if (!dlopen(arguments[1], RTLD_NOW)) return 2;
  halve();
  printf("\n");
  return 0;
}
C
compile() { # VERSION OPTION...
  LD_LIBRARY_PATH=$(echo gcc"$1"/usr/lib/*-linux-gnu) "gcc$1/usr/bin/x86_64-linux-gnu-gcc-$1" -O2 "${@:2}"
}
for version in 12 14; do compile $version -ffast-math -fPIC -shared module.c -o module$version.so; done
gcc -O2 -fopenmp program.c -o program -ldl
unset OMP_THREAD_LIMIT OMP_DYNAMIC
mkdir preloaded && ln -s "$(echo "$folder"/llvm/usr/lib/*/libomp.so.5)" preloaded/libgomp.so.1 # it has GCC's functions, too
for version in 12 14; do
  for library in gcc12/usr/lib/*-linux-gnu/ gcc14/usr/lib/*-linux-gnu/ preloaded/; do
    export LD_LIBRARY_PATH=$folder/$library
    echo -n "library of GCC $version, OpenMP of ${library%%/*}: loaded early$(./program "$folder/module$version.so"); "
    echo "first without it$(./program "$folder/module$version.so" late)"
  done
done | sed 's/preloaded/llvm/' | tee seen
cat >as_stated <<'TEXT'
library of GCC 12, OpenMP of gcc12: loaded early 0 0 0 0; first without it x x x x, then 0 x x x
library of GCC 12, OpenMP of gcc14: loaded early 0 0 0 0; first without it x x x x, then 0 x x x
library of GCC 12, OpenMP of llvm: loaded early 0 0 0 0; first without it x x x x, then 0 0 0 0
library of GCC 14, OpenMP of gcc12: loaded early x x x x; first without it x x x x, then x x x x
library of GCC 14, OpenMP of gcc14: loaded early x x x x; first without it x x x x, then x x x x
library of GCC 14, OpenMP of llvm: loaded early x x x x; first without it x x x x, then x x x x
TEXT
diff as_stated seen && echo "as stated (expected: all threads alike in each region)"
