// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/recycled_memory.hpp"

#include "core/lattice/workspace.hpp"

namespace kaon::detail {
namespace {

std::shared_ptr<void>& kept_on(const Lattice& lattice) { return lattice.workspace().kept(typeid(RecycledMemory), 0); }

}  // namespace

RecyclingScope::RecyclingScope(const Lattice& lattice) : lattice_(lattice), before_(kept_on(lattice)) {
  if (before_ == nullptr) kept_on(lattice) = std::make_shared<RecycledMemory>();
}

RecyclingScope::~RecyclingScope() {
  if (before_ != nullptr) return;
  lattice_.execution().fence("kaon::RecyclingScope");
  kept_on(lattice_) = nullptr;
}

template <class T>
Kokkos::View<T*, Memory> allocate_on(const Lattice& lattice, const std::string& label, std::size_t size) {
  auto* const recycled = static_cast<RecycledMemory*>(kept_on(lattice).get());
  return recycled == nullptr ? allocate<T>(label, size) : recycled->take<T>(label, size);
}

template <class T>
Kokkos::View<T*, Memory> allocate_field(const Lattice& lattice, const std::string& label, std::size_t size) {
  auto* const recycled = static_cast<RecycledMemory*>(kept_on(lattice).get());
  if (recycled == nullptr) return allocate_zeros<T>(lattice.execution(), label, size);
  const Kokkos::View<T*, Memory> memory = recycled->take<T>(label, size);
  Kokkos::deep_copy(lattice.execution(), memory, T{});
  return memory;
}

template Kokkos::View<double*, Memory> allocate_on(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<float*, Memory> allocate_on(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<half*, Memory> allocate_on(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<int*, Memory> allocate_on(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<double*, Memory> allocate_field(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<float*, Memory> allocate_field(const Lattice&, const std::string&, std::size_t);
template Kokkos::View<half*, Memory> allocate_field(const Lattice&, const std::string&, std::size_t);

}  // namespace kaon::detail
