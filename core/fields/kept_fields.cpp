// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/workspace.hpp"

#include <kaon/core/kept_fields.hpp>

namespace kaon::detail {

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
