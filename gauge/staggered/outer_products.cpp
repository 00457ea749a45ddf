// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "gauge/near_fields.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/staggered_force.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::ColorVector;
using detail::NearSums;
using detail::SiteAccess;
using detail::SubLattice;

/// Three vectors are the columns of a matrix, and sum_r w_r X_r(x) X_r(y)^dag is a product of matrices.
constexpr int columns = 3;
constexpr int most_matrices = 4;  // Largest number of matrices for near fields

/// Vectors of a field into the columns of matrices, the last ones filled up with zeros.
template <class Links>
struct GatherColumns {
  using V = typename Links::Value;
  Links out;
  SiteAccess<const double, ColorVector<V>> vectors[2];  ///< by parity
  int count;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int parity = n % 2, number = n / 2;
      ColorMatrix<V> m = detail::zero_matrix<V>();
      KAON_UNROLL
      for (int k = 0; k < columns; ++k) {
        const int r = columns * number + k;
        if (r >= count) break;
        const ColorVector<V> x = vectors[parity].load(index, r);
        KAON_UNROLL
        for (int row = 0; row < 3; ++row) m.e[row][k] = x.c[row];
      }
      out.store(m, out.start(index, parity), number);
    }
  }
};

/// Weights of the vectors, 0 for absent ones.
struct Weights {
  double of[most_matrices][columns];
};

/// sum += x diag(weights) y^dag
template <class V>
KAON_KERNEL_PART void add_weighted(ColorMatrix<V>& sum, ColorMatrix<V> x, const double (&weights)[columns],
                                   const ColorMatrix<V>& y) {
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int k = 0; k < columns; ++k) x.e[row][k] = V(weights[k]) * x.e[row][k];
  }
  sum = sum + times_adjoint(x, y);
}

/// one_mu(x) += eps(x) sum_r o_r X_r(x) X_r(x+mu)^dag, and the same three steps away where `with_third`: call n is a
/// direction and a parity. 432 flops a matrix, else 216.
template <class Links>
struct OuterProducts {
  using V = typename Links::Value;
  static constexpr int calls = 8;
  SubLattice node;
  NearSums<double, V> one, third;
  Links vectors;
  Weights one_weights, third_weights;
  int matrices;
  bool with_third;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int n = first; n < last; ++n) {
      const int mu = n % 4, parity = n / 4;
      const auto site = vectors.start(index, parity);
      const auto next = vectors.step(site, mu, +1);
      auto far = next;
      if (with_third) far = vectors.step(vectors.step(far, mu, +1), mu, +1);
      ColorMatrix<V> near_sum = detail::zero_matrix<V>(), far_sum = detail::zero_matrix<V>();
      for (int k = 0; k < matrices; ++k) {
        const ColorMatrix<V> x = vectors.load(site, k);
        add_weighted(near_sum, x, one_weights.of[k], vectors.load(next, k));
        if (with_third) add_weighted(far_sum, x, third_weights.of[k], vectors.load(far, k));
      }
      const double sign = parity == 0 ? 1.0 : -1.0;
      one.add(sign, near_sum, index, parity, mu);
      if (with_third) third.add(sign, far_sum, index, parity, mu);
    }
  }
};

void require_fields(const GaugeField<double>& one, const GaugeField<double>& third, const SpinorField<double>& x,
                    std::span<const double> one_weights, std::span<const double> third_weights) {
  detail::require_storage(one.storage(), LinkStorage::full);
  detail::require_storage(third.storage(), LinkStorage::full);
  require(one.lattice() == x.lattice() && third.lattice() == x.lattice(),
          "vectors and their outer products must lie on one lattice");
  require(one.data() != third.data(), "outer products need two fields, not one");
  require(x.spins() == 1 && x.colors() == 3 && x.subset() == Subset::full, [&] {
    return fmt::format(
        "the vectors of a staggered force must have 1 spin and 3 colours on both parities, not {} and {} on {}",
        x.spins(), x.colors(), x.parities() == 2 ? "both" : "one");
  });
  const auto count = static_cast<std::size_t>(x.right_hand_sides());
  require(one_weights.size() == count && third_weights.size() == count, [&] {
    return fmt::format("{} and {} weights were given for {} vectors", one_weights.size(), third_weights.size(), count);
  });
  const auto finite = [](double weight) { return std::isfinite(weight); };
  require(std::ranges::all_of(one_weights, finite) && std::ranges::all_of(third_weights, finite),
          "a weight of an outer product is not finite");
}

/// Twice the weights [first, first + count).
Weights weights_of(std::span<const double> weights, int first, int count) {
  Weights result{};
  for (int r = 0; r < count; ++r)
    result.of[r / columns][r % columns] = 2.0 * weights[static_cast<std::size_t>(first + r)];
  return result;
}

}  // namespace

void add_outer_products(GaugeField<double>& one, GaugeField<double>& third, const SpinorField<double>& vectors,
                        std::span<const double> one_weights, std::span<const double> third_weights) {
  require_fields(one, third, vectors, one_weights, third_weights);
  const Lattice& lattice = vectors.lattice();
  constexpr int most = columns * most_matrices;
  // Naive quarks have none, and may have local lattices narrower than three sites.
  const bool with_third = std::ranges::any_of(third_weights, [](double weight) { return weight != 0.0; });
  const int layers = with_third ? 3 : 1;
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    using V = typename Access::Value;
    for (int first = 0; first < vectors.right_hand_sides(); first += most) {
      const int count = std::min(most, vectors.right_hand_sides() - first);
      const SpinorField<double> part = vectors.range(first, count);
      const int matrices = (count + columns - 1) / columns;
      Matrices x(lattice, matrices, layers);
      const Access access = x.access();
      const GatherColumns<Access> gather{
          access,
          {detail::access<ColorVector<V>>(part, Parity::even), detail::access<ColorVector<V>>(part, Parity::odd)},
          count};
      detail::for_each_site("kaon::gather_columns", lattice.execution(), access.node.half_volume, 2 * matrices, gather);
      x.exchange();
      detail::run_near("kaon::outer_products", lattice,
                       OuterProducts<Access>{access.node, NearSums<double, V>(one), NearSums<double, V>(third), access,
                                             weights_of(one_weights, first, count),
                                             weights_of(third_weights, first, count), matrices, with_third});
    }
  });
}

}  // namespace kaon
