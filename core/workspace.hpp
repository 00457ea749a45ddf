// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/algebra.hpp"
#include "core/allocate.hpp"

#include <kaon/core/execution.hpp>
#include <kaon/core/precision.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <tuple>
#include <typeindex>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Memory for the sums of reductions and for temporary fields, kept from call to call: an allocation on a device costs
/// more than a reduction. Not for several threads at once.
class Workspace {
 public:
  /// Sums that may be under way at once, each in a slot of its own: 0 is for those that are waited for before others
  /// are asked for, as all that return sums do.
  static constexpr std::size_t slots = 4;

#if defined(KOKKOS_ENABLE_CUDA)
  using ResultMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using ResultMemory = Kokkos::HostSpace;
#endif

  /// At least `count` doubles in the kernels' memory, for partial sums.
  double* partial_sums(std::size_t count) {
    if (partial_.extent(0) < count) {
      partial_ = Kokkos::View<double*, Memory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace partial sums"), count);
    }
    return partial_.data();
  }
  /// The same, for sums of those.
  double* cluster_sums(std::size_t count) {
    if (clusters_.extent(0) < count) {
      clusters_ = Kokkos::View<double*, Memory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace cluster sums"), count);
    }
    return clusters_.data();
  }
  /// At least `count` counters in the kernels' memory, zero: kernels leave them so.
  int* finished_parts(std::size_t count) {
    if (finished_parts_.extent(0) < count) {
      finished_parts_ = Kokkos::View<int*, Memory>("kaon::Workspace finished parts", count);
    }
    return finished_parts_.data();
  }
  /// At least `count` complex numbers in the kernels' memory, which kernels make for those behind them.
  Complex<double>* coefficients(std::size_t count, int slot) {
    auto& memory = coefficients_[static_cast<std::size_t>(slot)];
    if (memory.extent(0) < 2 * count) {
      memory = Kokkos::View<double*, Memory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace coefficients"), 2 * count);
    }
    return reinterpret_cast<Complex<double>*>(memory.data());
  }
  /// `count` doubles that a kernel on `execution` will write and the host read. Until then they hold a NaN that no sum
  /// makes. A slot that was expected and never waited for, since something failed in between, is waited for first.
  double* expect_results(const Execution& execution, std::size_t count, int slot) {
    Results& results = results_[static_cast<std::size_t>(slot)];
    if (results.in_flight) execution.fence("kaon::Workspace abandoned results");
    if (results.memory.extent(0) < count) {
      results.memory = Kokkos::View<double*, ResultMemory>(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::Workspace results"), count);
    }
    for (std::size_t k = 0; k < count; ++k) *word(k, slot) = pending;
    results.in_flight = true;
    return results.memory.data();
  }
  /// Begins another use of a slot, and tells which it is by now: whether sums that one waits for are still one's own.
  int take_turn(int slot) { return ++results_[static_cast<std::size_t>(slot)].turn; }
  int turn(int slot) const { return results_[static_cast<std::size_t>(slot)].turn; }
  /// Waits until a kernel on `execution` has written all of them. Looking at them is faster than waiting for the kernel
  /// to end, and nothing has to be copied; should they not come, a fence tells why.
  void wait_for_results(const Execution& execution, double* out, std::size_t count, int slot) {
    constexpr int patience = 1 << 24;
    int looks = 0;
    for (std::size_t k = 0; k < count; ++k) {
      while (*word(k, slot) == pending && ++looks < patience) {
      }
      if (looks >= patience) execution.fence("kaon::Workspace results");
      out[k] = std::bit_cast<double>(std::uint64_t{*word(k, slot)});
    }
    results_[static_cast<std::size_t>(slot)].in_flight = false;
  }

  /// Memory of exactly `size` numbers that was given back, or new; what was given back is freed if that does not fit.
  template <class T>
  Kokkos::View<T*, Memory> take(std::size_t size) {
    auto& spare = std::get<Spare<T>>(spare_);
    for (auto found = spare.begin(); found != spare.end(); ++found) {
      if (found->extent(0) != size) continue;
      const Kokkos::View<T*, Memory> memory = *found;
      spare.erase(found);
      return memory;
    }
    try {
      return allocate<T>("kaon::Temporaries", size);
    } catch (const std::exception&) {
      release();
      return allocate<T>("kaon::Temporaries", size);
    }
  }
  /// Keeps memory for the next who takes it. Nobody else may hold it.
  template <class T>
  void give_back(const Kokkos::View<T*, Memory>& memory) {
    std::get<Spare<T>>(spare_).push_back(memory);
  }
  /// What others keep on this lattice: the object of a type with a number, null at first.
  std::shared_ptr<void>& kept(std::type_index type, int number) { return kept_[{type, number}]; }

  /// Frees what nobody holds.
  void release() { spare_ = {}; }

 private:
  template <class T>
  using Spare = std::vector<Kokkos::View<T*, Memory>>;

  static constexpr std::uint64_t pending = 0x7ff8'5a5a'c3c3'f0f0;
  volatile std::uint64_t* word(std::size_t k, int slot) const {
    return reinterpret_cast<volatile std::uint64_t*>(results_[static_cast<std::size_t>(slot)].memory.data() + k);
  }

  Kokkos::View<double*, Memory> partial_, clusters_;
  Kokkos::View<int*, Memory> finished_parts_;
  std::array<Kokkos::View<double*, Memory>, slots> coefficients_;
  struct Results {
    Kokkos::View<double*, ResultMemory> memory;
    int turn = 0;
    bool in_flight = false;
  };
  std::array<Results, slots> results_;
  std::tuple<Spare<double>, Spare<float>, Spare<half>> spare_;
  std::map<std::pair<std::type_index, int>, std::shared_ptr<void>> kept_;
};

}  // namespace kaon::detail
