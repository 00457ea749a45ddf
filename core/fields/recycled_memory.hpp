// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/allocate.hpp"

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace kaon::detail {

/// Memory of the fields of a lattice: where fields of the same size are made and freed again and again, a field takes
/// the memory of one that was freed. Kernels of a lattice run in sequence, so that they may still be at work
/// on the old field.
class RecycledMemory final : public SpareMemory {
 public:
  /// Memory of `size` numbers that no field holds, or new.
  template <class T>
  Kokkos::View<T*, Memory> take(const std::string& label, std::size_t size) {
    auto& all = std::get<Views<T>>(views_);
    {
      const std::lock_guard lock(mutex_);
      for (const auto& memory : all) {
        if (memory.extent(0) == size && memory.use_count() == 1) return memory;
      }
    }
    const Kokkos::View<T*, Memory> made = allocate<T>(label, size);  // which may call `release`
    const std::lock_guard lock(mutex_);
    return all.emplace_back(made);
  }

  void release() override {
    const std::lock_guard lock(mutex_);
    std::apply([](auto&... all) { (std::erase_if(all, [](const auto& view) { return view.use_count() == 1; }), ...); },
               views_);
  }

 private:
  template <class T>
  using Views = std::vector<Kokkos::View<T*, Memory>>;

  std::mutex mutex_;
  std::tuple<Views<double>, Views<float>, Views<half>, Views<int>> views_;
  Offer offer_{*this};
};

/// During its lifetime the fields of a lattice and what `allocate_on` makes there have recycled memory. Scopes of one
/// lattice may be nested.
class RecyclingScope {
 public:
  explicit RecyclingScope(const Lattice& lattice);
  ~RecyclingScope();
  RecyclingScope(const RecyclingScope&) = delete;
  RecyclingScope& operator=(const RecyclingScope&) = delete;

 private:
  Lattice lattice_;
  std::shared_ptr<void> before_;  // of the scope around this one
};

/// Room for `size` numbers of an object on a lattice, recycled where a scope reports it.
template <class T>
Kokkos::View<T*, Memory> allocate_on(const Lattice& lattice, const std::string& label, std::size_t size);

/// `size` zeros for a field, recycled where a scope reports it.
template <class T>
Kokkos::View<T*, Memory> allocate_field(const Lattice& lattice, const std::string& label, std::size_t size);

}  // namespace kaon::detail
