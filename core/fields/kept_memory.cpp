// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/recycled_memory.hpp"
#include "core/lattice/workspace.hpp"

#include <kaon/core/kept_fields.hpp>

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

template <class T>
std::span<SpinorField<T>> KeptFields<T>::provide(const Lattice& lattice, const SpinorParameters& parameters,
                                                 std::size_t count) {
  if (!fields_.empty() && !(fields_[0].parameters() == parameters && fields_[0].lattice() == lattice)) give_back();
  while (fields_.size() < count) {
    fields_.push_back(SpinorField<T>::in_memory(
        lattice, parameters, [&](std::size_t size) { return lattice.workspace().template take<T>(size); }));
    // Numbers of a device's blocks beyond the last site must be zero: sums run over them.
    Kokkos::deep_copy(lattice.execution(), fields_.back().memory(), T{});
  }
  return std::span(fields_).first(count);
}

template <class T>
void KeptFields<T>::give_back() {
  for (SpinorField<T>& field : fields_) field.lattice().workspace().give_back(field.memory());
  fields_.clear();
}

template class KeptFields<double>;
template class KeptFields<float>;
template class KeptFields<half>;

}  // namespace kaon::detail
