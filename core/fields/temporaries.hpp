// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/kept_fields.hpp>

#include <cstddef>
#include <span>

namespace kaon::detail {

/// Fields of one shape for as long as this object lives, cached by the lattice (`KeptFields`): a method that
/// is called again allocates nothing. Zero at first.
template <class T>
class Temporaries {
 public:
  Temporaries(const Lattice& lattice, const SpinorParameters& parameters, int count)
      : fields_(kept_.provide(lattice, parameters, static_cast<std::size_t>(count))) {}
  Temporaries(const Temporaries&) = delete;
  Temporaries& operator=(const Temporaries&) = delete;

  SpinorField<T>& operator[](int n) { return fields_[static_cast<std::size_t>(n)]; }

 private:
  KeptFields<T> kept_;
  std::span<SpinorField<T>> fields_;
};

}  // namespace kaon::detail
