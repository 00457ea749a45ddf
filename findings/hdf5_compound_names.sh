#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# HDF5 1.14.5 and 2.2.0 read a data set of complex numbers {re, im} into memory described as {r, i}: H5Dread returns
# success, reports no error, and leaves every number in memory as it was.
#
# Members of compound types are matched by name; with no name in common there is nothing to convert. Both spellings are
# in use: Grid and Hadrons write {re, im}, h5py and QDP++ {r, i}. A program that reads the other spelling therefore
# computes with whatever its memory held before. Readers must compare the names of members with H5Tget_member_name.
#
# Packages: libhdf5-dev and libhdf5-310 1.14.5 (trixie), libhdf5-dev and libhdf5-320 2.2.0 (sid) of Debian.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >program.c <<'C'
#include <hdf5.h>
#include <stdio.h>

static hid_t complex_type(const char* real, const char* imaginary) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * sizeof(double));
  H5Tinsert(type, real, 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(type, imaginary, sizeof(double), H5T_NATIVE_DOUBLE);
  return type;
}

int main(void) {
  const hsize_t count = 1;
  const double written[2] = {1.5, 2.5};
  double same[2] = {-7, -7}, other[2] = {-7, -7};
  const hid_t file = H5Fcreate("numbers.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(1, &count, NULL);
  const hid_t type = complex_type("re", "im");
  const hid_t set = H5Dcreate2(file, "c", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, written);
  const int by_same = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, same);
  const int by_other = H5Dread(set, complex_type("r", "i"), H5S_ALL, H5S_ALL, H5P_DEFAULT, other);
  printf("re, im: %d (%g, %g); r, i: %d (%g, %g)\n", by_same, same[0], same[1], by_other, other[0], other[1]);
  return 0;
}
C

expected="re, im: 0 (1.5, 2.5); r, i: 0 (-7, -7)"
wrong=0
# version of the packages, number of the library
while read -r version number; do
  mkdir "$version"
  (cd "$version" && apt-get -qq -o APT::Sandbox::User=root download "libhdf5-dev=$version" "libhdf5-$number=$version" &&
    for package in *.deb; do dpkg-deb -x "$package" .; done) || exit 77
  libraries=$version/usr/lib/x86_64-linux-gnu
  gcc -isystem "$version/usr/include/hdf5/serial" program.c "$libraries/libhdf5_serial.so.$number" \
    -Wl,--allow-shlib-undefined -o program || exit 77
  seen=$(LD_LIBRARY_PATH=$libraries ./program 2>&1) || seen="refused: $seen"
  echo "HDF5 $version: $seen (expected: $expected)"
  [[ $seen == "$expected" ]] || wrong=1
done <<'TEXT'
1.14.5+repack-3 310
2.2.0+repack-6 320
TEXT
exit $wrong
