// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace kaon::io {

/// Leaves one thread of the host to the thread that launches kernels: for `for_each_on_threads` in the calling thread.
inline void leave_one_thread() {
#if defined(_OPENMP)
  omp_set_num_threads(std::max(1, omp_get_max_threads() - 1));
#endif
}

/// Calls body(k, scratch) for k = 0 .. count - 1 on the threads of the host, in any order; each thread has a `Scratch`
/// of its own. After an exception no further calls start, and the one of the smallest k is thrown. Uses one thread if
/// the compiler has no OpenMP. The threads are those of Kokkos' kernels, all of them: GCC's OpenMP ends the threads
/// that a smaller region does not need.
template <class Scratch, class Body>
void for_each_on_threads(std::size_t count, const Body& body) {
  std::atomic<bool> failed = false;
  std::mutex mutex;
  std::size_t first = count;
  std::exception_ptr exception;
#pragma omp parallel
  {
    Scratch scratch{};
#pragma omp for schedule(dynamic)
    for (std::size_t k = 0; k < count; ++k) {
      if (failed) continue;
      try {
        body(k, scratch);
      } catch (...) {
        failed = true;
        const std::lock_guard lock(mutex);
        if (k < first) exception = std::current_exception();
        if (k < first) first = k;
      }
    }
  }
  if (exception) std::rethrow_exception(exception);
}

/// Cuts 0 .. size - 1 into pieces of at most `longest`, and calls body(begin, end) for each of them as
/// `for_each_on_threads` does. The cuts do not depend on the number of threads.
template <class Body>
void for_each_range_on_threads(std::size_t size, std::size_t longest, const Body& body) {
  struct None {};
  for_each_on_threads<None>((size + longest - 1) / longest, [&](std::size_t k, None&) {
    const std::size_t begin = k * longest;
    body(begin, size - begin < longest ? size : begin + longest);
  });
}

/// Returns body(begin, end) for each of these pieces, in order.
template <class Result, class Body>
std::vector<Result> for_pieces_on_threads(std::size_t size, std::size_t longest, const Body& body) {
  std::vector<Result> results((size + longest - 1) / longest);
  for_each_range_on_threads(size, longest,
                            [&](std::size_t begin, std::size_t end) { results[begin / longest] = body(begin, end); });
  return results;
}

}  // namespace kaon::io
