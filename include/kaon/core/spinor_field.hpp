// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <complex>
#include <span>
#include <vector>

namespace kaon {

namespace detail {
template <class T>
class KeptFields;
}

struct SpinorParameters {
  int spins = 4;   ///< 4 for Wilson-like fermions, 1 for staggered, 2 on coarse grids
  int colors = 3;  ///< 3, or the number of near-null vectors on coarse grids
  Subset subset = Subset::full;
  int right_hand_sides = 1;
  int slices = 1;  ///< L_s of domain wall fermions: 4-d fields that together are one vector

  /// Complex numbers of a site of one slice.
  int components() const { return spins * colors; }
  /// Complex numbers of a site.
  int components_of_all_slices() const { return slices * components(); }
  /// This shape with other right-hand sides, or on other sites.
  SpinorParameters with_right_hand_sides(int count) const { return {spins, colors, subset, count, slices}; }
  SpinorParameters on(Subset sites) const { return {spins, colors, sites, right_hand_sides, slices}; }

  friend bool operator==(const SpinorParameters&, const SpinorParameters&) = default;
};

/// psi_s(x)_{spin, colour}, for a number of right-hand sides; T is `double`, `float` or `half`. s numbers the slices,
/// of which most fermions have one.
///
/// Stored as [right-hand side][parity][slice][site], each site `components()` complex numbers, in the order of
/// core/fields/layout.hpp; in `half` as [right-hand side][parity][slice][object][site], each object 12 or 3 complex
/// numbers, as `components()` can be divided, and their scale. Movable, not copyable (`blas::copy` copies); `parity`
/// and `range` return fields that share the storage. In the DeGrand-Rossi basis.
///
/// On a coarse lattice (`Lattice::coarsened`) a field has 2 spins, the chiralities +1 and -1, any number N of colours
/// and n = 2 N components, in `double` or `float`. It is stored as [right-hand side][parity][site][component / W][re,
/// im][W]: on hosts W is the width of a vector register where that divides n, else 1; on GPUs 1. If the lattice has
/// one parity, full fields and even ones hold all sites, and no field is odd.
template <Precision T>
class SpinorField {
 public:
  /// A field of zeros. Throws `Error` for counts below 1 and sizes beyond memory, and on a coarse lattice for `half`,
  /// other than 2 spins, several slices, and odd sites if there is one parity.
  explicit SpinorField(const Lattice& lattice, const SpinorParameters& parameters = {});

  SpinorField(SpinorField&&) noexcept = default;
  SpinorField& operator=(SpinorField&&) noexcept = default;
  SpinorField(const SpinorField&) = delete;
  SpinorField& operator=(const SpinorField&) = delete;

  const Lattice& lattice() const { return lattice_; }
  const SpinorParameters& parameters() const { return parameters_; }
  int spins() const { return parameters_.spins; }
  int colors() const { return parameters_.colors; }
  int components() const { return parameters_.components(); }
  int slices() const { return parameters_.slices; }
  Subset subset() const { return parameters_.subset; }
  int right_hand_sides() const { return parameters_.right_hand_sides; }
  int parities() const { return lattice_.parities(subset()); }
  /// True if the field has the sites of that parity.
  bool holds(Parity parity) const;

  /// The even or odd sites of a full field, sharing its storage; the field itself if it has only that parity.
  /// Throws `Error` if the field does not hold the parity.
  SpinorField parity(Parity parity);
  const SpinorField parity(Parity parity) const;

  /// Right-hand sides [first, first + count), sharing the storage.
  SpinorField range(int first, int count);
  const SpinorField range(int first, int count) const;
  /// Right-hand side k alone, sharing the storage.
  SpinorField right_hand_side(std::size_t k) { return range(static_cast<int>(k), 1); }
  const SpinorField right_hand_side(std::size_t k) const { return range(static_cast<int>(k), 1); }

  /// Slice s of all right-hand sides of a field on one parity, sharing the storage. Throws `Error` for a field on both
  /// parities.
  SpinorField slice(int s);
  const SpinorField slice(int s) const;
  /// The slices of a field on one parity as right-hand sides of a field with one slice, sharing the storage: slice s of
  /// right-hand side k is right-hand side k * slices() + s. Throws `Error` unless `slices_are_evenly_spaced`.
  SpinorField slices_as_right_hand_sides();
  const SpinorField slices_as_right_hand_sides() const;
  /// Whether all slices of all right-hand sides lie at equal distances: true for one right-hand side on one parity, and
  /// for fields that were made for one parity.
  bool slices_are_evenly_spaced() const {
    return parities() == 1 && (right_hand_sides() == 1 || right_hand_side_stride_ == parity_size_);
  }

  /// The values as a field on another lattice, which shares the memory. Throws `Error` unless the lattices have
  /// the same layout.
  SpinorField on(const Lattice& lattice);
  const SpinorField on(const Lattice& lattice) const;

  /// Numbers of T of one right-hand side: both parities of a full field lie in sequence.
  std::size_t size() const { return static_cast<std::size_t>(parities()) * parity_size_; }
  /// Numbers of T between a right-hand side and the next.
  std::size_t right_hand_side_stride() const { return right_hand_side_stride_; }
  /// Numbers of T of one parity of one right-hand side.
  std::size_t parity_size() const { return parity_size_; }
  /// Numbers of T of one slice of one parity.
  std::size_t slice_size() const { return parity_size_ / static_cast<std::size_t>(slices()); }
  /// First number of the first right-hand side, in `Memory`.
  T* data() { return storage_.data() + offset_; }
  const T* data() const { return storage_.data() + offset_; }
  /// First number of one parity of the first right-hand side.
  T* data(Parity parity);
  const T* data(Parity parity) const;

  /// One right-hand side as host values in the order [slice][t][z][y][x][spin][colour], x faster than y: all sites of
  /// this process (`Lattice::origin` and `local_extents`), zero on those that the field does not hold.
  std::vector<std::complex<double>> to_host(int right_hand_side = 0) const;
  /// Sets one right-hand side from values in that order; sites that the field does not hold are ignored. Throws `Error`
  /// for a wrong number of values.
  void from_host(std::span<const std::complex<double>> values, int right_hand_side = 0);

 private:
  friend class detail::KeptFields<T>;
  /// A field in the memory that `provide(size)` returns, with its content.
  template <class Provide>
  static SpinorField in_memory(const Lattice& lattice, const SpinorParameters& parameters, const Provide& provide) {
    SpinorField field(lattice, parameters, Unallocated{});
    field.storage_ = provide(field.size() * static_cast<std::size_t>(parameters.right_hand_sides));
    return field;
  }
  const Kokkos::View<T*, Memory>& memory() const { return storage_; }

  struct Unallocated {};
  SpinorField(const Lattice& lattice, const SpinorParameters& parameters, Unallocated);
  SpinorField(const SpinorField& whole, const SpinorParameters& parameters, std::size_t offset);
  std::size_t parity_offset(Parity parity) const;

  Lattice lattice_;
  SpinorParameters parameters_;
  Kokkos::View<T*, Memory> storage_;
  std::size_t offset_ = 0;
  std::size_t parity_size_ = 0;
  std::size_t right_hand_side_stride_ = 0;
};

extern template class SpinorField<double>;
extern template class SpinorField<float>;
extern template class SpinorField<half>;

}  // namespace kaon
