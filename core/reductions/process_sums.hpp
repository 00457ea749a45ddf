// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace kaon::detail {

/// How kernels of several processes add up numbers among themselves: each writes its own into the memory of all others
/// and waits for theirs. A number travels as two words, each with half of its digits and the number of the reduction,
/// so that it shows its own arrival. Buffers are double: a process enters reduction n only after it has read
/// all of reduction n - 2.
struct ProcessSums {
  static constexpr int most_processes = 16;
  static constexpr int most_right_hand_sides = 16;
  static constexpr int most_sums = 20;
  using Word = std::uint64_t;

  int processes = 1;
  int rank = 0;
  std::uint32_t generation = 0;  ///< in the order of kernels, the same on all processes
  std::int64_t cycles = 0;       ///< of the clock that a sum over an emulated network takes
  Word* mail[most_processes] =
      {};  ///< in the memory of each process: [generation % 2][from][right-hand side][sum][half]

  static constexpr std::size_t words_from_one = std::size_t{2} * most_right_hand_sides * most_sums;
  static constexpr std::size_t words(int processes) { return 2 * words_from_one * static_cast<std::size_t>(processes); }

  /// The sum over processes of `mine`, which is sum k of a right-hand side: added in the order of ranks, so that all
  /// have the same digits. Every process must call it for the same sums; a thread of a team for each sum allows these
  /// travel together.
  KOKKOS_INLINE_FUNCTION double add([[maybe_unused]] int right_hand_side, [[maybe_unused]] int k, double mine) const {
    wait_cycles(cycles);
    if (processes == 1) return mine;
#if defined(__CUDA_ARCH__)
    const int slot = 2 * (right_hand_side * most_sums + k);
    constexpr int from_one = static_cast<int>(words_from_one);
    const int first = static_cast<int>(generation % 2) * processes * from_one + slot;
    const auto digits = static_cast<Word>(__double_as_longlong(mine));
    const Word stamp = static_cast<Word>(generation) << 32;
    for (int process = 0; process < processes; ++process) {
      if (process == rank) continue;
      volatile Word* const to = mail[process] + first + rank * from_one;
      to[0] = stamp | (digits & 0xffffffffU);
      to[1] = stamp | (digits >> 32);
    }
    double total = 0.0;
    for (int process = 0; process < processes; ++process) {
      double value = mine;
      if (process != rank) {
        const volatile Word* const from = mail[rank] + first + process * from_one;
        Word low, high;
        do {
          low = from[0];
          high = from[1];
        } while (low >> 32 != generation || high >> 32 != generation);
        value = __longlong_as_double(static_cast<long long>(high << 32 | (low & 0xffffffffU)));
      }
      total = process == 0 ? value : total + value;
    }
    return total;
#else
    Kokkos::abort("kaon: kernels of several processes add up their sums on NVIDIA GPUs alone");
    return mine;
#endif
  }
};

/// State of a lattice whose kernels can make sums over its processes.
class KernelSums {
 public:
  virtual ~KernelSums() = default;
  /// For the next kernel that makes such sums, on the lattice's execution instance. All processes take their turns in
  /// the same order.
  virtual ProcessSums next_generation() = 0;
};

}  // namespace kaon::detail
