#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# Kokkos 5.2.2 enforces on hosts the limit that TeamPolicy::scratch_size_max(0) returns, 32 KiB; 5.0.2 does not.
#
# Both versions state the same limit ("roughly L1 size"). With 5.0.2 a team of a host gets 36 KiB of scratch memory on
# level 0 (run here with Serial; the OpenMP headers hold no check either). With 5.2.2 the same program gets an exception
# (run here with OpenMP; the Serial headers hold the same check). Code whose team memory grows with the width of
# registers therefore fails with the newer version on the newer processor alone. Both levels are the same kind of memory
# on a host, and level 1 has 20 MiB in 5.0.2 and 80 MiB in 5.2.2.
#
# Packages: libtrilinos-kokkos-dev 17.0.0 (Kokkos 5.0.2, experimental) and libkokkos-dev 5.2.2 (sid) of Debian.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
take_lists sid experimental
unpack old libtrilinos-kokkos-dev=17.0.0+dfsg-5 libtrilinos-kokkos-17.0=17.0.0+dfsg-5
unpack new libkokkos-dev=5.2.2-2 libkokkos5.2=5.2.2-2

cat >program.cpp <<'C++'
#include <Kokkos_Core.hpp>
#include <cstdio>
#include <exception>
int main() {
  const Kokkos::ScopeGuard kokkos;
  using Policy = Kokkos::TeamPolicy<>;
  constexpr int bytes = 36 * 1024;
  std::printf("Kokkos %d.%d.%d, level 0 at most %d, level 1 at most %d: ", KOKKOS_VERSION / 10000,
              KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100, Policy::scratch_size_max(0), Policy::scratch_size_max(1));
  int written = 0;
  try {
    Kokkos::parallel_reduce(
        "write", Policy(1, 1).set_scratch_size(0, Kokkos::PerTeam(bytes)),
        KOKKOS_LAMBDA(const Policy::member_type& team, int& sum) {
          char* memory = static_cast<char*>(team.team_scratch(0).get_shmem(bytes - 64));
          if (memory == nullptr) return;
          for (int k = 0; k < bytes - 64; ++k) memory[k] = 1;
          for (int k = 0; k < bytes - 64; ++k) sum += memory[k];
        },
        written);
    std::printf("%d bytes written\n", written);
  } catch (const std::exception& error) {
    std::printf("refused\n");
  }
}
C++
run() { # FOLDER LIBRARY...
  local lib=$1/usr/lib/x86_64-linux-gnu
  g++ -std=c++20 -fopenmp -I "$1/usr/include/kokkos" program.cpp -o "program_$1" -L "$lib" "${@:2}" -ldl >compile_"$1".log 2>&1 ||
    { cat compile_"$1".log >&2; exit 2; }
  OMP_PROC_BIND=false OMP_NUM_THREADS=1 LD_LIBRARY_PATH=$lib "./program_$1" 2>/dev/null
}
run old -l:libkokkoscore.so.5.0 | tee seen
run new -l:libkokkoscore.so.5.2 | tee -a seen
cat >expected <<'TEXT'
Kokkos 5.0.2, level 0 at most 32768, level 1 at most 20971520: 36800 bytes written
Kokkos 5.2.2, level 0 at most 32768, level 1 at most 83886080: refused
TEXT
diff expected seen && echo "as expected: 36 KiB of level 0 on a host are granted by 5.0.2 and refused by 5.2.2"
