// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <algorithm>
#include <cstring>

namespace kaon::perf {
namespace {

constexpr int attempts = 10;
constexpr int copies = on_device ? 20 : 2;  // in each

template <class Element>
struct CopyElement {
  Element* out;
  const Element* in;

  KOKKOS_FUNCTION void operator()(const std::size_t i) const { out[i] = in[i]; }
};

struct CopyChunk {
  char* out;
  const char* in;
  std::size_t chunk;

  KOKKOS_FUNCTION void operator()(const std::size_t i) const { std::memcpy(out + i * chunk, in + i * chunk, chunk); }
};

/// Two arrays and the ways to copy one to the other.
class Copy {
 public:
  Copy(const Execution& execution, std::size_t bytes)
      : execution_(execution),
        bytes_(bytes),
        out_("kaon::perf::copy_out", bytes / 16),
        in_("kaon::perf::copy_in", bytes / 16) {}

  template <class Element>
  void by_elements() const {
    Kokkos::parallel_for(
        "kaon::perf::copy", policy(bytes_ / sizeof(Element)),
        CopyElement<Element>{reinterpret_cast<Element*>(out_.data()), reinterpret_cast<const Element*>(in_.data())});
  }

  /// For the host: a chunk to each thread.
  void by_memcpy() const {
    const std::size_t threads = static_cast<std::size_t>(execution_.concurrency());
    Kokkos::parallel_for(
        "kaon::perf::memcpy", policy(threads),
        CopyChunk{reinterpret_cast<char*>(out_.data()), reinterpret_cast<const char*>(in_.data()), bytes_ / threads});
  }

 private:
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<std::size_t>>;
  Policy policy(std::size_t size) const { return Policy(execution_, 0, size); }

  Execution execution_;
  std::size_t bytes_;
  Kokkos::View<Kokkos::complex<double>*, Memory> out_, in_;
};

template <class Body>
double fewest_seconds(Stopwatch& stopwatch, const Body& body) {
  body();
  double fewest = stopwatch.seconds_of(copies, body);
  for (int i = 1; i < attempts; ++i) fewest = std::min(fewest, stopwatch.seconds_of(copies, body));
  return fewest / copies;
}

}  // namespace

double copy_bandwidth(const Communicator& communicator, const Execution& execution, std::size_t mebibytes) {
  const std::size_t bytes = mebibytes << 20;
  const Copy copy(execution, bytes);
  Stopwatch stopwatch(communicator, execution);
  double seconds = std::min(fewest_seconds(stopwatch, [&] { copy.by_elements<double>(); }),
                            fewest_seconds(stopwatch, [&] { copy.by_elements<Kokkos::complex<double>>(); }));
  if (!on_device) seconds = std::min(seconds, fewest_seconds(stopwatch, [&] { copy.by_memcpy(); }));
  return 2.0 * static_cast<double>(bytes) * communicator.size() / seconds;
}

void register_copy(Suite& suite) {
  add_benchmark("memory_copy", [&suite](benchmark::State& state) {
    const double bytes = 2.0 * static_cast<double>(suite.copy_mebibytes << 20) * suite.communicator.size();
    double seconds = 0.0;
    while (state.KeepRunning()) {
      const double best = bytes / copy_bandwidth(suite.communicator, suite.execution, suite.copy_mebibytes);
      state.SetIterationTime(best);
      seconds += best;
    }
    report(state, suite, {0.0, bytes}, seconds / static_cast<double>(state.iterations()));
  })->Iterations(1);
}

}  // namespace kaon::perf
