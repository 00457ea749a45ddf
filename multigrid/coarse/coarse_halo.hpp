// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "comm/halo_exchange.hpp"
#include "core/lattice/coarse_lattice.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

#include <kaon/core/spinor_field.hpp>

namespace kaon::detail {

/// Halos of fields of T on a coarse lattice, with n components a site and some right-hand sides: whole vectors of the
/// sites at the faces of partitioned directions, [right-hand side][halo site][numbers of a site].
template <class T>
class CoarseHalo {
 public:
  CoarseHalo(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides);

  /// The halo that the lattice caches; made in the first call, which is collective.
  static CoarseHalo& of(const Lattice& lattice, const CoarseSites& sites, int components, int right_hand_sides);

  /// Exchanges the halos of `field`, on one parity, or leaves the exchange to the kernel that reads the result
  /// (`pack`). The result is valid in kernels on the lattice's instance until the next call.
  CoarseHaloAccess<T> exchange(const CoarseSites& sites, const SpinorField<T>& field);
  /// Exchanges for kernels that do not read all faces, and so do not wait for all flags themselves.
  CoarseHaloAccess<T> exchange_and_wait(const CoarseSites& sites, const SpinorField<T>& field);

 private:
  CoarseHaloPack<T> make_pack(const CoarseSites& sites, const SpinorField<T>& field) const;
  CoarseHaloAccess<T> access(const CoarseHaloPack<T>& pack) const;
  /// An exchange by kernels of its own.
  CoarseHaloAccess<T> launch(const CoarseSites& sites, const SpinorField<T>& field);

  HaloExchange exchange_;
};

extern template class CoarseHalo<double>;
extern template class CoarseHalo<float>;

}  // namespace kaon::detail
