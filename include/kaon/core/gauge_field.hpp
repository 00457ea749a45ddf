// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>

#include <complex>
#include <span>
#include <vector>

namespace kaon {

/// How the links of a gauge field are stored.
enum class LinkStorage {
  full  ///< all 18 reals
};

/// Links U_mu(x), x to x + mu, 3x3 complex; T is `double` or `float`. Fermion boundary phases are never stored in it.
///
/// Stored as [parity][mu][site][row][column] in the order of core/layout.hpp. Movable, not copyable; `share` gives a
/// second handle to the same links.
template <class T>
class GaugeField {
 public:
  /// All links zero: fill before use (`set_unit`, `from_host`, `io::read_gauge`).
  explicit GaugeField(const Lattice& lattice);
  /// The links of another precision, rounded. Collective.
  template <class S>
  explicit GaugeField(const GaugeField<S>& other);

  GaugeField(GaugeField&&) noexcept = default;
  GaugeField& operator=(GaugeField&&) noexcept = default;
  GaugeField(const GaugeField&) = delete;
  GaugeField& operator=(const GaugeField&) = delete;

  const Lattice& lattice() const { return lattice_; }
  LinkStorage storage() const { return LinkStorage::full; }

  /// A handle to the same links: what operators keep.
  GaugeField share() const;
  /// A field of its own with the same links.
  GaugeField clone() const;

  std::size_t size() const { return storage_.extent(0); }
  std::size_t parity_size() const { return storage_.extent(0) / 2; }
  T* data() { return storage_.data(); }
  const T* data() const { return storage_.data(); }
  T* data(Parity parity) { return data() + static_cast<std::size_t>(parity) * parity_size(); }
  const T* data(Parity parity) const { return data() + static_cast<std::size_t>(parity) * parity_size(); }

  /// Host values in the order [t][z][y][x][mu][row][column], x fastest: the order of QDP and of ILDG files.
  std::vector<std::complex<double>> to_host() const;
  /// Sets all links from values in that order. Throws `Error` for a wrong number of values.
  void from_host(std::span<const std::complex<double>> values);

 private:
  GaugeField(const Lattice& lattice, Kokkos::View<T*, Memory> storage);

  Lattice lattice_;
  Kokkos::View<T*, Memory> storage_;
};

extern template class GaugeField<double>;
extern template class GaugeField<float>;
extern template GaugeField<double>::GaugeField(const GaugeField<float>&);
extern template GaugeField<float>::GaugeField(const GaugeField<double>&);

}  // namespace kaon
