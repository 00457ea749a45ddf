// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>

#include <complex>
#include <memory>
#include <span>
#include <vector>

namespace kaon {

/// How the links of a gauge field are stored. Compressed links must be in SU(3), or in U(3) where their determinant is
/// stored; kernels restore them as they read.
enum class LinkStorage {
  full = 18,                      ///< all 18 reals
  two_rows_and_determinant = 14,  ///< the first two rows and the determinant: the third is det conj(row 1 x row 2)
  two_rows = 12,                  ///< the first two rows: the third is conj(row 1 x row 2)
  minimal_and_determinant = 10,   ///< the first two rows in eight reals, as in `minimal`, and the determinant
  minimal = 8  ///< eight reals (Bunk and Sommer 1986, in coordinates that are regular at the unit matrix)
};

/// The number of reals: 18, 14, 12, 10 or 8.
constexpr int reals(LinkStorage storage) { return static_cast<int>(storage); }

/// Links U_mu(x), x to x + mu, 3x3 complex; T is `double`, `float` or `half`. Fermion boundary phases are never stored
/// in it.
///
/// Stored as [parity][mu][site], each link as `LinkStorage` says, in the order of core/fields/layout.hpp. Movable, not
/// copyable; `share` makes a second handle to the links. Functions that measure or change links take full ones in
/// double or single precision; operators take all kinds. Links in full need not be unitary: those of 16 bits with
/// elements above 1 have one `scale` for the whole field.
template <Precision T>
class GaugeField {
 public:
  /// All links zero: fill before use (`set_unit`, `from_host`, `io::read_gauge`).
  explicit GaugeField(const Lattice& lattice);
  /// The links of another precision, rounded, in the same storage. Collective.
  template <Precision S>
  explicit GaugeField(const GaugeField<S>& other) : GaugeField(other, other.storage()) {}
  /// The links of another precision or storage. Collective. Throws `Error` where compressed links are wanted and a link
  /// is further than 1e-5 from SU(3), or from U(3) in storages with a determinant, and where 16-bit links in full are
  /// wanted of links that are not finite.
  ///
  /// Errors of an element, eps being the rounding of T (in `half` 1.5e-5 times `scale`): eps in full, a few eps in two
  /// rows; eight reals restore the moduli of two elements from square roots, which on rough fields costs single links
  /// up to sqrt(eps).
  template <Precision S>
  GaugeField(const GaugeField<S>& other, LinkStorage storage);

  GaugeField(GaugeField&&) noexcept = default;
  GaugeField& operator=(GaugeField&&) noexcept = default;
  GaugeField(const GaugeField&) = delete;
  GaugeField& operator=(const GaugeField&) = delete;

  const Lattice& lattice() const { return lattice_; }
  LinkStorage storage() const { return link_storage_; }
  /// The number that all stored ones are to be multiplied by. 1 except for 16-bit links in full with elements above 1:
  /// the largest |re| or |im| of the links of all processes.
  double scale() const { return *scale_; }

  /// A handle to the same links, as operators store it.
  GaugeField share() const;
  /// A handle to the same links as a field on another lattice. Throws `Error` unless the lattices have the same layout.
  GaugeField on(const Lattice& lattice) const;
  /// A field of its own with the same links.
  GaugeField clone() const;

  /// Numbers of T in all, and of one parity.
  std::size_t size() const { return storage_.extent(0); }
  std::size_t parity_size() const { return storage_.extent(0) / 2; }
  T* data() { return storage_.data(); }
  const T* data() const { return storage_.data(); }
  T* data(Parity parity) { return data() + static_cast<std::size_t>(parity) * parity_size(); }
  const T* data(Parity parity) const { return data() + static_cast<std::size_t>(parity) * parity_size(); }

  /// Host values of the sites of this process (`Lattice::origin` and `local_extents`) in the order
  /// [t][z][y][x][mu][row][column], x fastest: the order of QDP and of ILDG files.
  std::vector<std::complex<double>> to_host() const;
  /// Sets all links from values in that order. Throws `Error` for a wrong number of values, and for links that cannot
  /// be stored (see above); the field then remains as it is.
  void from_host(std::span<const std::complex<double>> values);
  /// Sets all links to those of `other`, stored as this field stores its own, for all handles to them. Collective.
  /// Throws `Error` for links that cannot be stored so (see above); the field then remains as it is.
  void assign(const GaugeField<double>& other);

 private:
  GaugeField(const Lattice& lattice, LinkStorage storage, Kokkos::View<T*, Memory> values,
             std::shared_ptr<double> scale);

  Lattice lattice_;
  LinkStorage link_storage_ = LinkStorage::full;
  Kokkos::View<T*, Memory> storage_;
  std::shared_ptr<double> scale_;  // of all handles to these links
};

extern template class GaugeField<double>;
extern template class GaugeField<float>;
extern template class GaugeField<half>;

}  // namespace kaon
