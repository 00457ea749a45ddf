// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <complex>
#include <type_traits>
#include <vector>

namespace kaon {

/// A Hermitian, chirality-diagonal matrix on every site: two 6x6 blocks, upper spins (0, 1) and lower (2, 3), with rows
/// and columns numbered 3 * (spin mod 2) + colour. 72 reals a site; T is `double`, `float` or
/// `half`.
///
/// Stored as [parity][chirality][site], each block as 18 complex numbers: the 6 real diagonal elements, two to a
/// number, then the 15 elements below the diagonal, row by row, and in `half` a scale. Movable, not copyable.
template <Precision T>
class CloverField {
 public:
  /// All zero. `subset` is `full`, or one parity (the inverse that even-odd operators need lives on one).
  explicit CloverField(const Lattice& lattice, Subset subset = Subset::full);
  /// The elements of another precision, rounded.
  template <Precision S>
  explicit CloverField(const CloverField<S>& other);

  CloverField(CloverField&&) noexcept = default;
  CloverField& operator=(CloverField&&) noexcept = default;
  CloverField(const CloverField&) = delete;
  CloverField& operator=(const CloverField&) = delete;

  const Lattice& lattice() const { return lattice_; }
  Subset subset() const { return subset_; }

  /// A handle to the same elements.
  CloverField share() const;
  /// A view as a field on another lattice. Throws `Error` unless the lattices have the same layout.
  CloverField on(const Lattice& lattice) const;

  std::size_t size() const { return storage_.extent(0); }
  std::size_t parity_size() const { return subset_ == Subset::full ? size() / 2 : size(); }
  /// Throws `Error` if the field does not hold the parity.
  T* data(Parity parity);
  const T* data(Parity parity) const;
  T* data() { return storage_.data(); }
  const T* data() const { return storage_.data(); }

  /// Host values of the sites of this process, [t][z][y][x][chirality][row][column], full 6x6 blocks; zero on sites
  /// that the field does not hold.
  std::vector<std::complex<double>> to_host() const;

 private:
  CloverField(const Lattice& lattice, Subset subset, Kokkos::View<T*, Memory> storage);
  std::size_t parity_offset(Parity parity) const;

  Lattice lattice_;
  Subset subset_;
  Kokkos::View<T*, Memory> storage_;
};

namespace detail {

/// A clover field with the same elements in the precision T. It shares the elements of `clover` where S is T.
template <class T, class S>
CloverField<T> in_precision(const CloverField<S>& clover) {
  if constexpr (std::is_same_v<T, S>) {
    return clover.share();
  } else {
    return CloverField<T>(clover);
  }
}

}  // namespace detail

extern template class CloverField<double>;
extern template class CloverField<float>;
extern template class CloverField<half>;

}  // namespace kaon
