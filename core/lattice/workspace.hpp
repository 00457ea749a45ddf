// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/allocate.hpp"
#include "core/lanes/algebra.hpp"

#include <kaon/core/execution.hpp>
#include <kaon/core/precision.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Memory that kernels write numbers to and the host reads them from. Pending sums own one each for as long as they
/// live (`Workspace::take_result_slot`), so that no two write to the same memory.
class ResultSlot {
 public:
#if defined(KOKKOS_ENABLE_CUDA)
  using ResultMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using ResultMemory = Kokkos::HostSpace;
#endif

  /// `count` doubles that a kernel on `execution` will write and the host read. Until then they hold a NaN that no sum
  /// makes. Results that were expected and never waited for are waited for first.
  double* expect(const Execution& execution, std::size_t count) {
    if (on_device && in_flight_) execution.fence("kaon::ResultSlot abandoned results");
    if (memory_.extent(0) < count) {
      memory_ = Kokkos::View<double*, ResultMemory>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::ResultSlot"),
                                                    count);
    }
    for (std::size_t k = 0; k < count; ++k) *word(k) = pending;
    in_flight_ = true;
    return memory_.data();
  }
  /// Waits until a kernel on `execution` has written results [first, first + count). Looking at them is faster than
  /// waiting for the kernel to end, and nothing has to be copied; should they not come, a fence reports why.
  void wait(const Execution& execution, std::size_t first, std::size_t count, double* out) {
    constexpr int most_looks = 1 << 24;
    int looks = 0;
    for (std::size_t k = 0; k < count; ++k) {
      while (*word(first + k) == pending && ++looks < most_looks) {
      }
      if (looks >= most_looks) execution.fence("kaon::ResultSlot results");
      out[k] = std::bit_cast<double>(std::uint64_t{*word(first + k)});
    }
  }
  /// All have been waited for.
  void release() { in_flight_ = false; }
  /// True if results were expected and not waited for.
  bool in_flight() const { return in_flight_; }

 private:
  static constexpr std::uint64_t pending = 0x7ff8'5a5a'c3c3'f0f0;
  volatile std::uint64_t* word(std::size_t k) const {
    return reinterpret_cast<volatile std::uint64_t*>(memory_.data() + k);
  }

  Kokkos::View<double*, ResultMemory> memory_;
  bool in_flight_ = false;
};

/// Scalars in device memory, passed from kernel to kernel.
struct ScalarMemory {
  Kokkos::View<double*, Memory> numbers;
  Complex<double>* data() const { return reinterpret_cast<Complex<double>*>(numbers.data()); }
};

/// Partial sums with no reduction enqueued yet.
class Unreduced {
 public:
  virtual ~Unreduced() = default;
  /// Enqueues the reduction.
  virtual void reduce() = 0;
};

/// Memory for the sums of reductions and for temporary fields, cached between calls: an allocation on a device costs
/// more than a reduction. Not for several threads at once, except for `release`.
class Workspace final : public SpareMemory {
 public:
  /// At least `count` doubles in the kernels' memory, for partial sums.
  /// Partial sums in it that have not been added up are added up first.
  double* partial_sums(std::size_t count) {
    if (unreduced_ != nullptr) unreduced_->reduce();
    if (partial_.extent(0) < count) partial_ = allocate<double>("kaon::Workspace partial sums", count);
    return partial_.data();
  }
  /// Memory for sums of those.
  double* cluster_sums(std::size_t count) {
    if (clusters_.extent(0) < count) clusters_ = allocate<double>("kaon::Workspace cluster sums", count);
    return clusters_.data();
  }
  /// At least `count` counters in the kernels' memory, zero: kernels leave them so.
  int* finished_parts(std::size_t count) {
    if (finished_parts_.extent(0) < count) {
      finished_parts_ = Kokkos::View<int*, Memory>("kaon::Workspace finished parts", count);
    }
    return finished_parts_.data();
  }
  /// Who must enqueue the reduction of the partial sums; null: none.
  Unreduced*& unreduced() { return unreduced_; }

  /// A slot that is not in use.
  std::shared_ptr<ResultSlot> take_result_slot() { return take_free(result_slots_); }
  /// Sums that the host has requested and not waited for.
  int results_in_flight() const {
    return static_cast<int>(std::count_if(result_slots_.begin(), result_slots_.end(),
                                          [](const auto& slot) { return slot.use_count() > 1 && slot->in_flight(); }));
  }
  /// At least `count` complex numbers of unused memory of the kernels, which kernels make for those
  /// that follow.
  std::shared_ptr<ScalarMemory> take_scalar_memory(std::size_t count) {
    std::shared_ptr<ScalarMemory> memory = take_free(scalar_memory_);
    if (memory->numbers.extent(0) < 2 * count) memory->numbers = allocate<double>("kaon::Workspace scalars", 2 * count);
    return memory;
  }

  /// Memory of exactly `size` numbers that was returned, or new.
  template <class T>
  Kokkos::View<T*, Memory> take(std::size_t size) {
    {
      const std::lock_guard lock(spare_mutex_);
      auto& spare = std::get<Spare<T>>(spare_);
      for (auto found = spare.begin(); found != spare.end(); ++found) {
        if (found->extent(0) != size) continue;
        const Kokkos::View<T*, Memory> memory = *found;
        spare.erase(found);
        return memory;
      }
    }
    return allocate<T>("kaon::KeptFields", size);  // which may call `release`
  }
  /// Caches memory for the next request. It must not be in use.
  template <class T>
  void give_back(const Kokkos::View<T*, Memory>& memory) {
    const std::lock_guard lock(spare_mutex_);
    std::get<Spare<T>>(spare_).push_back(memory);
  }
  /// The object of a type that others store on a lattice, null at first. `number` is 0 for an object that remains, and
  /// above 0 for halos, whose buffers depend on the number of right-hand sides: null again after `release_halos`.
  std::shared_ptr<void>& kept(std::type_index type, int number) { return kept_[{type, number}]; }

  void release() override {
    const std::lock_guard lock(spare_mutex_);
    spare_ = {};
  }
  /// On all processes together, as halos are made; no kernel may be running.
  void release_halos() {
    std::erase_if(kept_, [](const auto& kept) { return kept.first.second > 0; });
  }

 private:
  template <class T>
  using Spare = std::vector<Kokkos::View<T*, Memory>>;

  template <class Object>
  static std::shared_ptr<Object> take_free(std::vector<std::shared_ptr<Object>>& pool) {
    for (const auto& object : pool) {
      if (object.use_count() == 1) return object;
    }
    return pool.emplace_back(std::make_shared<Object>());
  }

  Kokkos::View<double*, Memory> partial_, clusters_;
  Kokkos::View<int*, Memory> finished_parts_;
  Unreduced* unreduced_ = nullptr;
  std::vector<std::shared_ptr<ResultSlot>> result_slots_;
  std::vector<std::shared_ptr<ScalarMemory>> scalar_memory_;
  std::mutex spare_mutex_;
  std::tuple<Spare<double>, Spare<float>, Spare<half>> spare_;
  std::map<std::pair<std::type_index, int>, std::shared_ptr<void>> kept_;
  Offer offer_{*this};
};

}  // namespace kaon::detail
