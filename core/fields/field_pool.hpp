// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/lattice/workspace.hpp"

#include <kaon/core/spinor_field.hpp>

#include <utility>
#include <vector>

namespace kaon::detail {

/// Fields of one shape for as long as this object lives. Their memory comes from the lattice's workspace and goes back
/// to it, so that a method that is called again allocates nothing. Zero at first.
template <class T>
class Temporaries {
 public:
  Temporaries(const Lattice& lattice, const SpinorParameters& parameters, int count) {
    for (int n = 0; n < count; ++n) {
      fields_.push_back(SpinorField<T>::in_memory(
          lattice, parameters, [&](std::size_t size) { return lattice.workspace().template take<T>(size); }));
      // What a device's blocks hold beyond the last site must be zero: sums run over it.
      Kokkos::deep_copy(lattice.execution(), fields_.back().memory(), T{});
    }
  }
  ~Temporaries() {
    for (SpinorField<T>& field : fields_) field.lattice().workspace().give_back(field.memory());
  }
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;

  SpinorField<T>& operator[](int n) { return fields_[static_cast<std::size_t>(n)]; }

 private:
  std::vector<SpinorField<T>> fields_;
};

}  // namespace kaon::detail
