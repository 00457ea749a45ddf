// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace kaon::detail {

/// Fields of one shape that an object reuses from call to call.
///
/// Their memory is the lattice's: it goes back there with this object and when another shape is needed, and the next
/// object reuses it without an allocation, which costs more on a device than most kernels. `Lattice::release_memory`
/// frees unused memory.
template <class T>
class KeptFields {
 public:
  KeptFields() = default;
  KeptFields(KeptFields&& other) noexcept : fields_(std::exchange(other.fields_, {})) {}
  KeptFields& operator=(KeptFields&& other) noexcept {
    std::swap(fields_, other.fields_);
    return *this;
  }
  KeptFields(const KeptFields&) = delete;
  KeptFields& operator=(const KeptFields&) = delete;
  ~KeptFields() { give_back(); }

  /// At least `count` fields of this shape, the first of all that are cached. New ones are zero, the others
  /// have their old values. References to fields hold until the next call.
  std::span<SpinorField<T>> provide(const Lattice& lattice, const SpinorParameters& parameters, std::size_t count);

  SpinorField<T>& operator[](std::size_t n) { return fields_[n]; }
  const SpinorField<T>& operator[](std::size_t n) const { return fields_[n]; }
  std::span<const SpinorField<T>> first(std::size_t count) const { return std::span(fields_).first(count); }

 private:
  void give_back();

  std::vector<SpinorField<T>> fields_;
};

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

extern template class KeptFields<double>;
extern template class KeptFields<float>;
extern template class KeptFields<half>;

}  // namespace kaon::detail
