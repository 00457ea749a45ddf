#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# One program and one C library (glibc 2.36, 2.41, 2.43): exp, log, sin, cos and pow in double precision have other last
# digits on a processor of x86-64 without FMA instructions than on one with them, for 1 to 9 of 10000 arguments.
#
# The program has no such instructions: the library chooses among several versions of its functions when it is loaded.
# glibc's manual says that errors depend on the architecture, not on the processor. Programs meet processors without FMA
# in emulators and in virtual machines that hide it. By these counts about one of 600 pairs of normal numbers by Box and
# Muller's transformation differs between the two, for one seed and one binary, and trajectories of hybrid Monte Carlo
# from them diverge. kaon promises fields of random numbers to rounding of these functions (docs/conventions.md).
# Here GLIBC_TUNABLES hides FMA.
#
# Packages: libc6 2.36 (Debian 12), 2.41 (Debian 13) and 2.43 (sid).
set -euo pipefail
grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo || { echo "no AVX2 and FMA: nothing to see" && exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm trixie sid
unpack 2.36 libc6=2.36-9+deb12u14
unpack 2.41 libc6=2.41-12+deb13u5
unpack 2.43 libc6=2.43-7

cat >program.c <<'C'
#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { count = 100000 };

/// Writes the results of arguments in (0, 1), which are multiples of 2^-53.
int main(void) {
  uint64_t state = 1;
  for (int k = 0; k < count; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double x = ((double)(state >> 12) + 0.5) * 0x1p-52, angle = 6.283185307179586 * x;
    const double results[] = {exp(-x), log(x), sin(angle), cos(angle), pow(x, 0.25), sqrt(x)};
    fwrite(results, sizeof results, 1, stdout);
  }
  return 0;
}
C
cat >compare.py <<'P'
import struct
import sys

names = ["exp", "log", "sin", "cos", "pow", "sqrt"]
results = [list(struct.iter_unpack("<6d", open(name, "rb").read())) for name in sys.argv[1:]]
print(" ".join("%s %d" % (name, sum(a[k] != b[k] for a, b in zip(*results))) for k, name in enumerate(names)))
P
gcc -O1 -fno-builtin program.c -o program -lm
for version in 2.36 2.41 2.43; do
  loader=$(find "$version" -name 'ld-linux-x86-64.so.2' | head -n 1)
  run() { "$loader" --library-path "$(find "$version" -name libm.so.6 -printf %h)" ./program; }
  run >with
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA run >without
  echo "glibc $version, of 100000 results other without FMA: $(python3 compare.py with without)"
done | tee seen
for version in 2.36 2.41 2.43; do
  echo "glibc $version, of 100000 results other without FMA: exp 90 log 11 sin 67 cos 83 pow 89 sqrt 0"
done >as_stated
diff as_stated seen && echo "as stated (expected: 0 everywhere)"
