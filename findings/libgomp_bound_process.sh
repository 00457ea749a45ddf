#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# With OMP_PROC_BIND=true a program that is linked with GCC's OpenMP library (libgomp 12.2.0, 14.2.0) may use one core of
# the machine when main() starts, although no parallel region has run. Its std::threads and the programs that it starts,
# here nproc, inherit that core. LLVM's library (14.0.6) leaves them all cores until the first region.
#
# The variable is for OpenMP's threads, and by the standard the initial one is bound before the first parallel region.
# libgomp binds it when it is loaded, also by dlopen, such as with a module of Python. Libraries that ask the system for the
# number of cores, to start threads of their own, then find one, and threads that are not OpenMP's share it. Kokkos warns
# where the variable is not set and advises to set it. kaon counts the cores of OpenMP's places instead
# (comm/node_share.cpp).
#
# Packages: libgomp1 and libomp5-14 of Debian 12, libgomp1 of Debian 13.
set -euo pipefail
[[ $(nproc) -gt 1 ]] || { echo "one core: nothing to see" && exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists bookworm trixie
unpack gcc12 libgomp1=12.2.0-14+deb12u1
unpack gcc14 libgomp1=14.2.0-19
unpack llvm libomp5-14=1:14.0.6-12

cat >program.cpp <<'C++'
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

static int cores() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set);
}

int main(int, char** arguments) {
  const int all = std::atoi(arguments[1]), in_main = cores();
  int in_thread = 0, in_program = 0;
  std::thread([&] { in_thread = cores(); }).join();
  FILE* nproc = popen("nproc", "r");
  if (std::fscanf(nproc, "%d", &in_program) != 1) return 2;
  pclose(nproc);
#pragma omp parallel if (false)  // never on several threads
  for (const int count : {in_main, in_thread, in_program}) std::printf(count == 1 ? " one" : count == all ? " all" : " ?");
  std::puts("");
}
C++
g++ -O1 -fopenmp program.cpp -o program
mkdir preloaded && ln -s "$(echo "$folder"/llvm/usr/lib/*/libomp.so.5)" preloaded/libgomp.so.1 # it has GCC's functions, too
unset OMP_NUM_THREADS OMP_THREAD_LIMIT OMP_PLACES # nproc reads the first two
for library in gcc12/usr/lib/*/ gcc14/usr/lib/*/ preloaded/; do
  for bind in false true; do
    echo -n "${library%%/*}, OMP_PROC_BIND=$bind: cores of main, std::thread, nproc:"
    OMP_PROC_BIND=$bind LD_LIBRARY_PATH="$folder/$library" ./program "$(nproc)"
  done
done | sed 's/preloaded/llvm/' | tee seen
cat >as_stated <<'TEXT'
gcc12, OMP_PROC_BIND=false: cores of main, std::thread, nproc: all all all
gcc12, OMP_PROC_BIND=true: cores of main, std::thread, nproc: one one one
gcc14, OMP_PROC_BIND=false: cores of main, std::thread, nproc: all all all
gcc14, OMP_PROC_BIND=true: cores of main, std::thread, nproc: one one one
llvm, OMP_PROC_BIND=false: cores of main, std::thread, nproc: all all all
llvm, OMP_PROC_BIND=true: cores of main, std::thread, nproc: all all all
TEXT
diff as_stated seen && echo "as stated (expected: all everywhere)"
