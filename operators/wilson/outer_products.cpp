// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/launch/launch.hpp"
#include "gauge/all_links.hpp"
#include "gauge/hmc/field_strength_derivative.hpp"
#include "gauge/su3.hpp"
#include "operators/wilson/force_parts.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::AllLinks;
using detail::ColorMatrix;
using detail::ColorVector;
using detail::Complex;
using detail::SiteAccess;
using detail::Spinor;

/// sum += a b^dag. 72 flops.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_outer(ColorMatrix<V>& sum, const ColorVector<V>& a, const ColorVector<V>& b) {
  KAON_UNROLL
  for (int row = 0; row < 3; ++row) {
    KAON_UNROLL
    for (int column = 0; column < 3; ++column) conj_multiply_add(sum.e[row][column], b.c[column], a.c[row]);
  }
}

/// V_mu(x) = V_mu(x) + w sum_r tr_spin[H_r Y_r^dag + (g5 G_r) X_r^dag], with H = K_{+mu} X and G = K_{+mu} g5 Y. On the
/// sites of one parity. Not to be run twice.
template <class V>
struct HopForceKernel {
  using In = SiteAccess<const double, Spinor<V>>;
  In x, y, hopped_x, hopped_y;
  AllLinks<V> matrices;
  int first_link;  ///< number of the link of site 0
  int right_hand_sides;
  double weight;

  KOKKOS_FUNCTION void operator()(const int index, int, int) const {
    ColorMatrix<V> upper = detail::zero_matrix<V>(), lower = upper;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      {
        const Spinor<V> h = hopped_x.load(index, rhs), of_y = y.load(index, rhs);
        for (int spin = 0; spin < 4; ++spin) add_outer(upper, h.s[spin], of_y.s[spin]);
      }
      const Spinor<V> g = hopped_y.load(index, rhs), of_x = x.load(index, rhs);
      for (int spin = 0; spin < 2; ++spin) {
        add_outer(upper, g.s[spin], of_x.s[spin]);
        add_outer(lower, g.s[spin + 2], of_x.s[spin + 2]);
      }
    }
    ColorMatrix<V> sum = matrices.load(first_link + index);
    add_multiple(sum, weight, upper);
    add_multiple(sum, -weight, lower);
    matrices.store(sum, first_link + index);
  }
};

/// W = W + the Hermitian part of -(w/2) c sum_r tr_spin(sigma X_r Y_r^dag) in a spatial and a temporal plane: call k -
/// 1 is those of the Pauli matrix s_k. On the sites of one parity. Not to be run twice.
template <class V>
struct CloverProductsKernel {
  static constexpr int calls = 3;
  SiteAccess<const double, Spinor<V>> x, y;
  AllLinks<V> spatial_derivative, temporal_derivative;
  int parity;
  int right_hand_sides;
  double spatial, temporal;  ///< -(w/2) c

  KOKKOS_FUNCTION static void add_spin_traces(const detail::PauliMatrix& pauli, ColorMatrix<V>& sum,
                                              const ColorVector<V>* x, const ColorVector<V>* y) {
    const bool diagonal = pauli.k == 3;
    KAON_UNROLL
    for (int spin = 0; spin < 2; ++spin) {
      ColorVector<V> turned;
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        const Complex<V>&same = x[spin].c[color], &other = x[1 - spin].c[color];
        turned.c[color] = pauli.times(spin, Complex<V>{diagonal ? same.re : other.re, diagonal ? same.im : other.im});
      }
      add_outer(sum, turned, y[spin]);
    }
  }

  /// Adds the Hermitian part of a upper + b lower.
  KOKKOS_FUNCTION static void add_to(const AllLinks<V>& derivative, int number, double a, const ColorMatrix<V>& upper,
                                     double b, const ColorMatrix<V>& lower) {
    ColorMatrix<V> sum = derivative.load(number);
    add_multiple(sum, 0.5 * a, upper);
    add_multiple(sum, 0.5 * a, adjoint(upper));
    add_multiple(sum, 0.5 * b, lower);
    add_multiple(sum, 0.5 * b, adjoint(lower));
    derivative.store(sum, number);
  }

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int call = first; call < last; ++call) {
      const detail::PauliMatrix pauli{call + 1};
      ColorMatrix<V> upper = detail::zero_matrix<V>(), lower = upper;
      for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
        const Spinor<V> of_x = x.load(index, rhs), of_y = y.load(index, rhs);
        add_spin_traces(pauli, upper, of_x.s, of_y.s);
        add_spin_traces(pauli, lower, of_x.s + 2, of_y.s + 2);
      }
      const int sites = spatial_derivative.sites;
      const double signed_temporal = pauli.upper_sign() * temporal;
      add_to(spatial_derivative, (4 * parity + pauli.spatial_plane()) * sites + index, spatial, upper, spatial, lower);
      add_to(temporal_derivative, (4 * parity + pauli.temporal_plane()) * sites + index, signed_temporal, upper,
             -signed_temporal, lower);
    }
  }
};

/// out = g5 in on one parity.
template <class V>
struct TurnKernel {
  SiteAccess<double, Spinor<V>> out;
  SiteAccess<const double, Spinor<V>> in;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) {
      Spinor<V> psi = in.load(index, rhs);
      for (int spin = 2; spin < 4; ++spin) {
        for (auto& number : psi.s[spin].c) number = -number;
      }
      out.store(psi, index, rhs);
    }
  }
};

/// g5 psi on one parity.
SpinorField<double> times_gamma5(const SpinorField<double>& psi) {
  const Lattice& lattice = psi.lattice();
  const Parity parity = parity_of(psi.subset());
  SpinorField<double> turned(lattice, psi.parameters());
  detail::with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
    const TurnKernel<V> kernel{detail::access<Spinor<V>>(turned, parity), detail::access<Spinor<V>>(psi, parity)};
    const int sites = detail::SubLattice(lattice.local_extents(), lattice.lane_grid<double>()).half_volume;
    detail::for_each_site("kaon::times_gamma5", lattice.execution(), sites, psi.right_hand_sides(), kernel);
  });
  return turned;
}

/// Slices are summed over as right-hand sides are.
SpinorField<double> apart(const SpinorField<double>& field) {
  return field.slices() == 1 ? field.range(0, field.right_hand_sides()) : field.slices_as_right_hand_sides();
}

/// Calls `add(x, y)` for all right-hand sides, or, if they have slices, for each.
template <class Add>
void for_right_hand_sides(const ForceFields& fields, const Add& add) {
  if (fields.x.slices() == 1) return add(fields.x, fields.y);
  for (std::size_t k = 0; k < static_cast<std::size_t>(fields.x.right_hand_sides()); ++k) {
    add(fields.x.right_hand_side(k), fields.y.right_hand_side(k));
  }
}

/// The fields of a force on one parity, to which a hop leads, and on the other.
struct HopForceFields {
  SpinorField<double> x, y, from_x, from_y;
};

/// The force of the hops that end on x's parity, on the links of both parities.
void add_hops_to(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const HopForceFields& given,
                 double weight) {
  const Lattice& lattice = matrices.lattice();
  const SpinorField<double> x = apart(given.x), y = apart(given.y), from_x = apart(given.from_x);
  const SpinorField<double> turned = times_gamma5(apart(given.from_y));
  const Parity parity = parity_of(x.subset());
  const Coarsenable<double>& hops = coarsenable(dirac);
  SpinorField<double> hopped_x(lattice, x.parameters()), hopped_y(lattice, x.parameters());
  for (int mu = 0; mu < 4; ++mu) {
    hops.hop_along(hopped_x, from_x, mu);
    hops.hop_along(hopped_y, turned, mu);
    detail::with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
      const AllLinks<V> links = detail::all_links<V>(matrices);
      const auto in = [&](const SpinorField<double>& field) { return detail::access<Spinor<V>>(field, parity); };
      const HopForceKernel<V> kernel{in(x),
                                     in(y),
                                     in(hopped_x),
                                     in(hopped_y),
                                     links,
                                     (4 * static_cast<int>(parity) + mu) * links.sites,
                                     x.right_hand_sides(),
                                     -weight};
      detail::for_each_site("kaon::hop_force", lattice.execution(), links.sites, 1, kernel);
    });
  }
}

void require_finite(double weight) {
  require(std::isfinite(weight), [&] { return fmt::format("the weight {} of a force is not finite", weight); });
}

void require_shapes(const Lattice& lattice, const ForceFields& fields) {
  require(fields.x.lattice() == lattice && fields.y.lattice() == lattice,
          "a force and its fields must lie on one lattice");
  require(fields.x.parameters() == fields.y.parameters() && fields.x.subset() == Subset::full &&
              fields.x.components() == 12 && fields.x.spins() == 4,
          "the two fields of a force must have 4 spins and one shape, on all sites");
}

}  // namespace

void add_hop_force(GaugeField<double>& matrices, const EvenOddOperator<double>& dirac, const ForceFields& fields,
                   double weight) {
  const Lattice& lattice = matrices.lattice();
  detail::require_storage(matrices.storage(), LinkStorage::full);
  require(dirac.lattice() == lattice, "the matrices of a force and the operator must lie on one lattice");
  require_shapes(lattice, fields);
  require_finite(weight);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    for_right_hand_sides(fields, [&](const SpinorField<double>& x, const SpinorField<double>& y) {
      add_hops_to(matrices, dirac,
                  {x.parity(parity), y.parity(parity), x.parity(opposite(parity)), y.parity(opposite(parity))}, weight);
    });
  }
}

void add_clover_products(FieldStrengthDerivative& derivative, const ForceFields& fields,
                         const CloverParameters& parameters, double weight) {
  const Lattice& lattice = derivative.lattice();
  require_shapes(lattice, fields);
  for (const double number : {weight, parameters.spatial, parameters.temporal}) require_finite(number);
  const auto add_on = [&](const SpinorField<double>& x, const SpinorField<double>& y, Parity parity) {
    detail::with_lanes<double>(lattice.lane_count<double>(), [&]<class V>() {
      const CloverProductsKernel<V> kernel{detail::access<Spinor<V>>(x, parity),
                                           detail::access<Spinor<V>>(y, parity),
                                           detail::all_links<V>(derivative.spatial()),
                                           detail::all_links<V>(derivative.temporal()),
                                           static_cast<int>(parity),
                                           x.right_hand_sides(),
                                           -0.5 * weight * parameters.spatial,
                                           -0.5 * weight * parameters.temporal};
      detail::for_each_site("kaon::clover_products", lattice.execution(), kernel.spatial_derivative.sites, kernel.calls,
                            kernel);
    });
  };
  for (const Parity parity : {Parity::even, Parity::odd}) {
    for_right_hand_sides(fields, [&](const SpinorField<double>& x, const SpinorField<double>& y) {
      add_on(apart(x.parity(parity)), apart(y.parity(parity)), parity);
    });
  }
}

}  // namespace kaon
