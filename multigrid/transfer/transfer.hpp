// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "multigrid/transfer/aggregation.hpp"
#include "multigrid/transfer/basis_matrices.hpp"
#include "multigrid/transfer/block_qr.hpp"
#include "multigrid/transfer/lane_transfer.hpp"

#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/parameters.hpp>

#include <span>
#include <type_traits>
#include <variant>

namespace kaon::detail {

/// Prolongator P and restrictor R = P^dag between the fields on a lattice and those on its coarse lattice, made of N
/// vectors v_j (docs/conventions.md, "Multigrid"):
///
///   (P c)(x, sigma) = sum_j V_j(x, sigma) c(a(x), N s(sigma) + j),    P^dag P = 1,    gamma5 P = P G5.
///
/// In each aggregate a and chirality s, V are the orthonormal columns that QR makes of the v_j. Chirality 0 is the
/// first half of a site's components, 1 the second. The fine lattice may itself be coarse.
///
/// In half, V is rounded once, and P and R use the rounded V: P^dag P differs from 1 by about 1e-5, but R M P is exact.
class Transfer {
 public:
  /// V of the right-hand sides of `vectors`, a field on all sites. A vector that depends on those before it in an
  /// aggregate is replaced there by noise. Throws `Error` for fields on other lattices or on one parity, for an odd
  /// number of components, for more vectors than an aggregate has rows of one chirality or than 256, and for a vector
  /// that is zero everywhere or not finite. Collective.
  Transfer(const Aggregation& aggregation, const SpinorField<float>& vectors,
           MultigridPrecision precision = MultigridPrecision::single);

  const Aggregation& aggregation() const { return aggregation_; }
  /// N.
  int vectors() const { return vectors_; }
  /// Shape of a right-hand side on the coarse lattice.
  SpinorParameters coarse_domain() const { return {.spins = 2, .colors = vectors_}; }

  // Each throws `Error` for fields of other shapes, on other lattices, or with different numbers of right-hand sides.
  // Flops: 8 N for each component of a fine site and right-hand side.

  /// out = R in. `in` is on all sites, or on one parity: then the other sites count as zero.
  void restrict(SpinorField<float>& out, const SpinorField<float>& in) const;
  /// out = P in on the sites that `out` has; with `add`, out += P in.
  void prolong(SpinorField<float>& out, const SpinorField<float>& in, bool add = false) const;
  /// For the Galerkin product: inside = R of `in` on the sites x of which x + mu, across the edge of the lattice or
  /// not, is in the same aggregate; across = R of `in` on the other sites. An aggregate of the lattice's whole extent
  /// has no others. `in` is on all sites.
  void restrict_along(SpinorField<float>& inside, SpinorField<float>& across, const SpinorField<float>& in,
                      int mu) const;

  /// Smallest |v_j - its projection on those before it| / |v_j| in any aggregate and chirality, over all processes.
  double smallest_pivot() const { return qr_.smallest_pivot; }
  /// Vectors that were linearly dependent in an aggregate and chirality, with a pivot below 32 roundings, and have
  /// been replaced there by noise: counted over all processes. The noise depends on the global site alone.
  int replaced() const { return qr_.replaced; }

 private:
  /// V as transfers read it.
  using Matrices = std::conditional_t<
      on_device, std::variant<BasisMatrices<float>, BasisMatrices<half>>,
      std::variant<BasisMatrices<float>, BasisMatrices<half>, LaneMatrices<float>, LaneMatrices<half>>>;

  /// Stores V, which `basis` is.
  void store(const BasisMatrices<float>& basis, MultigridPrecision precision);
  /// Stores V as `numbers` if lanes hold aggregates; returns whether they do.
  template <class L>
  bool store_in_lanes_as(const BasisMatrices<float>& basis, L* numbers);
  void restrict_to(std::span<const RestrictTarget> targets, const SpinorField<float>& in) const;
  void require_fields(const SpinorField<float>& fine, const SpinorField<float>& coarse) const;

  Aggregation aggregation_;
  SpinorParameters fine_domain_;
  int vectors_;
  Matrices matrices_{};
  Kokkos::View<float*, Memory> storage_;
  Kokkos::View<half*, Memory> rounded_;
  Kokkos::View<float*, Memory> units_;
  BlockQrResult qr_{};
};

}  // namespace kaon::detail
