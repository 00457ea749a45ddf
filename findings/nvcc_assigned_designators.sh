#!/usr/bin/env bash
# SPDX-FileCopyrightText: The kaon authors
# SPDX-License-Identifier: MIT
#
# nvcc 12.4.131: `count = {.restarts = 7}` sets another member, without a warning, where the type of `count` depends on a
# parameter of a template: the host compiler gets `count = {7}`. nvcc 13.0.88 does the same.
#
# nvcc's first step, cudafe++, rewrites all code, also host code without a kernel. Declarations, arguments, returned lists
# and lists with a type have their designators afterwards, in the notation `{restarts: 7}`; so has an assignment to a type
# that no template depends on. An assignment to one that does has none, so that the numbers are those of the first members.
# Only where a number does not fit its new member does g++ reject it or warn (-Wnarrowing). The same file compiled by g++ is
# right, so that a test on a host finds nothing. In kaon a solver on GPUs did not record which precisions had failed.
#
# Package: nvidia-cuda-toolkit of Debian trixie (non-free). No GPU is needed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/packages.bash"
[[ $(uname -m) == x86_64 ]] || exit 77
components=non-free take_lists trixie
unpack root nvidia-cuda-toolkit=12.4.131~12.4.1-2

cat >program.cpp <<'C++'
extern "C" int printf(const char*, ...);

template <class T>
struct Solver {
  struct Count {
    int iterations = 0, restarts = 0;
  };
  static Count assigned(int n) {
    Count count;
    count = {.restarts = n};
    return count;
  }
  static Count typed(int n) {
    Count count;
    count = Count{.restarts = n};
    return count;
  }
  static Count declared(int n) {
    const Count count{.restarts = n};
    return count;
  }
  static Count returned(int n) { return {.restarts = n}; }
};
struct Plain {
  int iterations = 0, restarts = 0;
};

template <class Count>
void print(const char* name, const Count& count) {
  printf("%s: iterations %d, restarts %d\n", name, count.iterations, count.restarts);
}

int main() {
  using Double = Solver<double>;
  Plain plain;
  plain = {.restarts = 7};
  print("assigned", Double::assigned(7));
  print("assigned with its type", Double::typed(7));
  print("declared", Double::declared(7));
  print("returned", Double::returned(7));
  print("assigned, of no template", plain);
}
C++
g++ -std=c++20 -Wall program.cpp -o host && ./host >expected
# The three steps in which nvcc makes host code of a file that has no kernel; the last include is of a file for kernels.
root/usr/lib/nvidia-cuda-toolkit/bin/nvcc --version | grep release
root/usr/bin/cudafe++ --c++20 --gnu_version=120200 --m64 --parse_templates --gen_c_file_name rewritten.cpp --stub_file_name kernels.stub.c program.cpp
: >kernels.stub.c
g++ -std=c++20 -Wall rewritten.cpp -o rewritten && ./rewritten | tee seen
diff expected seen >difference || true
printf '< assigned: iterations 0, restarts 7\n> assigned: iterations 7, restarts 0\n' | diff <(grep '^[<>]' difference) - && echo "as stated (g++: iterations 0, restarts 7)"
