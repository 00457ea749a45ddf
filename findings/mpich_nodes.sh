#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# MPI_Comm_split_type(MPI_COMM_TYPE_SHARED) of Debian's MPICH 5.0.2 gives every process a communicator of its own, although
# all of them run on one machine and share its memory: they should be in one. MPI_Get_processor_name is the same for all.
# Programs that divide cores or GPUs by that communicator give all of them to each process. kaon compares names and the
# kernel's boot id instead (comm/processes_mpi.cpp).
set -euo pipefail

version=5.0.2-2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && apt-get -qq -o APT::Sandbox::User=root download {libmpich-dev,libmpich12,mpich}=$version libhwloc15=2.15.0-2 \
  libucc1=1.9.0-2 libucx0=1.23.0~rc1-1 libze1=1.32.0-1) || exit 77
for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder"; done
cat >"$folder/node.c" <<'TEXT'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  char name[MPI_MAX_PROCESSOR_NAME];
  int size, length;
  MPI_Comm_size(node, &size);
  MPI_Get_processor_name(name, &length);
  printf("%d of 2 processes share the memory of %s\n", size, name);
  MPI_Finalize();
  return 0;
}
TEXT
libraries=$(dirname "$folder"/usr/lib/*/libmpich.so)
export LD_LIBRARY_PATH=$libraries
gcc -I"$libraries/mpich/include" "$folder/node.c" -o "$folder/node" -L"$libraries" -lmpich -Wl,--allow-shlib-undefined
seen=$("$folder/usr/bin/mpiexec.hydra" -launcher fork -n 2 "$folder/node" | sort -u)
echo "MPICH $version (expected: 1 of 2 processes, twice; a node would have 2):"
echo "$seen"
[[ $seen == "1 of 2 processes share the memory of $(uname -n)" ]]
