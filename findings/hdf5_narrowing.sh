#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# HDF5 1.14.5 and 2.2.0 convert doubles of big-endian files to floats with other roundings than those of little-endian
# files: numbers in the middle between two floats go away from zero, and some numbers below 1.2e-38 become half as large.
#
# Between types of the processor HDF5 converts as the processor does: to the nearest float, and to the even one of two that are
# equally near. Between others, such as big-endian doubles and floats, it rounds by code of its own, and neither H5Dread
# nor H5Dwrite mentions another rounding. The mean of two floats is a middle in half of all cases. A denormal float that is
# rounded up to a power of two loses the carry: 3.75 of the smallest unit become 2 instead of 4. So the same numbers in
# the other order of bytes give other links, and correlators that are as small may be wrong by a factor of two. kaon
# reads numbers in the type of the file and rounds them itself (io/hdf5_read.cpp).
#
# Packages: libhdf5-dev and libhdf5-310 1.14.5 (trixie), libhdf5-dev and libhdf5-320 2.2.0 (sid) of Debian.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists trixie sid

cat >program.c <<'C'
#include <hdf5.h>
#include <math.h>
#include <stdio.h>

enum { count = 5 };

static void show(const char* name, const float* numbers) {
  printf("%s", name);
  for (int k = 0; k < count; ++k) printf(" %.0f", k < 2 ? numbers[k] : ldexp(numbers[k], 149));
  printf("\n");
}

/// Stores doubles as numbers of this type of the file, and shows them read as floats.
static void store(const char* name, hid_t type, const double* numbers) {
  const hsize_t size = count;
  float read[count];
  const hid_t file = H5Fcreate("numbers.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t set = H5Dcreate2(file, "x", type, H5Screate_simple(1, &size, NULL), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
  H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, read);
  show(name, read);
  H5Dclose(set);
  H5Fclose(file);
}

int main(void) {
  // Two middles between floats, and three numbers in units of 2^-149, the smallest float
  const double numbers[count] = {16777217, 16777219, ldexp(5.75, -149), ldexp(3.75, -149), ldexp(8388607.75, -149)};
  float rounded[count];
  for (int k = 0; k < count; ++k) rounded[k] = (float)numbers[k];
  show("by the processor:", rounded);
  store("F64LE, read as float:", H5T_IEEE_F64LE, numbers);
  store("F64BE, read as float:", H5T_IEEE_F64BE, numbers);
  store("written to F32LE:", H5T_IEEE_F32LE, numbers);
  store("written to F32BE:", H5T_IEEE_F32BE, numbers);
  return 0;
}
C
while read -r version number; do
  unpack "$version" "libhdf5-dev=$version" "libhdf5-$number=$version"
  libraries=$version/usr/lib/x86_64-linux-gnu
  gcc -O1 -isystem "$version/usr/include/hdf5/serial" program.c "$libraries/libhdf5_serial.so.$number" \
    -Wl,--allow-shlib-undefined -lm -o program || exit 77
  echo "HDF5 $version:"
  LD_LIBRARY_PATH=$libraries ./program
done <<'TEXT' | tee seen
1.14.5+repack-3 310
2.2.0+repack-6 320
TEXT
for version in 1.14.5+repack-3 2.2.0+repack-6; do
  cat <<TEXT
HDF5 $version:
by the processor: 16777216 16777220 6 4 8388608
F64LE, read as float: 16777216 16777220 6 4 8388608
F64BE, read as float: 16777218 16777220 6 2 4194304
written to F32LE: 16777216 16777220 6 4 8388608
written to F32BE: 16777218 16777220 6 2 4194304
TEXT
done >as_stated
diff as_stated seen && echo "as stated (expected: all as by the processor)"
