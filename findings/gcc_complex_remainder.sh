#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# GCC 12.2.0 and 14.2.0 with -O3 -mfma: in a loop over products of complex numbers in single precision the last element has
# other digits than the others if the number of elements is odd. GCC 12.2.0 does so even with -ffp-contract=off.
#
# By default GCC may contract a product and a sum to an instruction that rounds once. It does so in the vectorized body of
# this loop and not in its remainder: a product depends on its index. Each thread that works on a part of a field has a
# remainder, so that an operation without sums over sites may give other digits with another number of threads. Of random
# products about half differ. With -ffp-contract=off the two agree in GCC 14.2.0, while 12.2.0, the compiler of Debian 12,
# contracts the body nevertheless. kaon's kernels run the same code on each site, in packs of a fixed width (core/lanes/).
#
# Packages: gcc-12, cpp-12 and libgcc-12-dev of Debian 12, gcc-14, cpp-14 and libgcc-14-dev of Debian 13, with what they load.
set -euo pipefail
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 and FMA: nothing to see" && exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm trixie
unpack gcc12 {gcc-12,cpp-12,libgcc-12-dev}=12.2.0-14+deb12u1 libisl23=0.25-1.1 libmpc3=1.3.1-1 libmpfr6=4.2.0-1 \
  libgmp10=2:6.2.1+dfsg1-1.1
unpack gcc14 {gcc-14,cpp-14}-x86-64-linux-gnu=14.2.0-19 libgcc-14-dev=14.2.0-19 libisl23=0.27-1 libmpc3=1.3.1-1+b3 \
  libmpfr6=4.2.2-1 libgmp10=2:6.3.0+dfsg-3

cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  float re, im;
} Complex;

__attribute__((noinline)) static void multiply(Complex* restrict out, const Complex* restrict a,
                                               const Complex* restrict b, int count) {
  for (int k = 0; k < count; ++k) {
    out[k].re = a[k].re * b[k].re - a[k].im * b[k].im;
    out[k].im = a[k].re * b[k].im + a[k].im * b[k].re;
  }
}

static float number(void) { return (float)rand() / (float)RAND_MAX; }

int main(void) {
  enum { size = 30, pairs = 1000 };
  for (int parts = 1; parts <= 3; ++parts) {
    int unequal = 0;
    srand(1);
    for (int pair = 0; pair < pairs; ++pair) {
      Complex a[size], b[size], out[size];
      a[0].re = number(), a[0].im = number(), b[0].re = number(), b[0].im = number();
      for (int k = 1; k < size; ++k) a[k] = a[0], b[k] = b[0];
      const int length = size / parts;  // as parts of an array that threads share
      for (int start = 0; start < size; start += length) multiply(out + start, a + start, b + start, length);
      unequal += memcmp(out, out + 1, sizeof out - sizeof *out) != 0;  // an element is not as the one before
    }
    printf("%s %d x %d: %d", parts > 1 ? "," : "", parts, size / parts, unequal);
  }
  printf("\n");
  return 0;
}
C
echo "of 1000 arrays of 30 equal products, those with unequal results, by parts:"
for version in 12 14; do
  for contract in fast off; do
    LD_LIBRARY_PATH=$(echo gcc$version/usr/lib/*-linux-gnu) "gcc$version/usr/bin/x86_64-linux-gnu-gcc-$version" \
      -O3 -mavx2 -mfma -ffp-contract=$contract program.c -o program
    echo "GCC $version -ffp-contract=$contract:$(./program)"
  done
done | tee seen
cat >as_stated <<'TEXT'
GCC 12 -ffp-contract=fast: 1 x 30: 0, 2 x 15: 467, 3 x 10: 0
GCC 12 -ffp-contract=off: 1 x 30: 0, 2 x 15: 467, 3 x 10: 0
GCC 14 -ffp-contract=fast: 1 x 30: 0, 2 x 15: 467, 3 x 10: 0
GCC 14 -ffp-contract=off: 1 x 30: 0, 2 x 15: 0, 3 x 10: 0
TEXT
diff as_stated seen && echo "as stated (expected: 0 everywhere)"
