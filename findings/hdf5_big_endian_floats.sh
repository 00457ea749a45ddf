#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# HDF5 1.14.5 and 2.2.0 read big-endian numbers of one precision into another, such as a float of the file into a double of
# memory, tens of times slower than in two steps: H5Dread into the file's precision, and H5Tconvert to the other.
#
# The two steps do what the one does. HDF5 has fast conversions between orders of bytes and between precisions, but for
# both at once it takes the general one, which builds each number from its bits: some 50 nanoseconds a number, so that 80
# MB of such a file a second are read however fast the disk is. Each conversion alone is as fast as memory, and so is a
# file of the processor's own order: tests with such files do not show it. kaon reads numbers in the type of the file and
# converts them itself (io/hdf5_read.cpp).
#
# Packages: libhdf5-dev and libhdf5-310 1.14.5 (trixie), libhdf5-dev and libhdf5-320 2.2.0 (sid) of Debian.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists trixie sid

cat >program.c <<'C'
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 4000000 };

static hid_t make(hid_t file, const char* name, hid_t type, const double* numbers) {
  const hsize_t size = count;
  const hid_t set = H5Dcreate2(file, name, type, H5Screate_simple(1, &size, NULL), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
  return set;
}

/// Nanoseconds a number of the fastest of three: reading as `first` and converting to `last` where that is another.
static double read_as(hid_t set, hid_t first, hid_t last, void* numbers) {
  double least = 1e9;
  for (int k = 0; k < 3; ++k) {
    const clock_t start = clock();
    H5Dread(set, first, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    if (first != last) H5Tconvert(first, last, count, numbers, NULL, H5P_DEFAULT);
    const double taken = (double)(clock() - start) / CLOCKS_PER_SEC / count * 1e9;
    if (taken < least) least = taken;
  }
  for (int k = 0; k < count; ++k) {
    if ((last == H5T_NATIVE_DOUBLE ? ((double*)numbers)[k] : ((float*)numbers)[k]) != k % 1000) exit(2);
  }
  return least;
}

int main(void) {
  double* numbers = malloc(count * sizeof(double));
  for (int k = 0; k < count; ++k) numbers[k] = k % 1000;
  const hid_t file = H5Fcreate("numbers.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), single = H5T_NATIVE_FLOAT,
              wide = H5T_NATIVE_DOUBLE, big_single = make(file, "big single", H5T_IEEE_F32BE, numbers),
              big_wide = make(file, "big double", H5T_IEEE_F64BE, numbers),
              little = make(file, "little single", H5T_IEEE_F32LE, numbers);
  const double up[] = {read_as(big_single, wide, wide, numbers), read_as(big_single, single, wide, numbers)};
  const double down[] = {read_as(big_wide, single, single, numbers), read_as(big_wide, wide, single, numbers)};
  fprintf(stderr, "nanoseconds: F32BE to double %.0f, in two steps %.1f; F64BE to float %.0f, in two steps %.1f; ", up[0],
          up[1], down[0], down[1]);
  fprintf(stderr, "F32LE to double %.1f\n", read_as(little, wide, wide, numbers));
  const int slow = up[0] > 5 * up[1] && down[0] > 5 * down[1];
  puts(slow ? "one step takes more than five times as long as two" : "one step is not slow");
  return 0;
}
C

stated="one step takes more than five times as long as two"
wrong=0
# version of the packages, number of the library
while read -r version number; do
  unpack "$version" "libhdf5-dev=$version" "libhdf5-$number=$version"
  libraries=$version/usr/lib/x86_64-linux-gnu
  gcc -O1 -isystem "$version/usr/include/hdf5/serial" program.c "$libraries/libhdf5_serial.so.$number" \
    -Wl,--allow-shlib-undefined -o program || exit 77
  seen=$(LD_LIBRARY_PATH=$libraries ./program) || seen=refused
  echo "HDF5 $version: $seen (expected: one step is not slow)"
  [[ $seen == "$stated" ]] || wrong=1
done <<'TEXT'
1.14.5+repack-3 310
2.2.0+repack-6 320
TEXT
exit $wrong
