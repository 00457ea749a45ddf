// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/fields/field_checks.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"

#include <kaon/core/error.hpp>
#include <kaon/measure/correlator.hpp>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace kaon {
namespace {

/// values(d, place in the slice) = sum over right-hand sides and components of Re conj(psi(x)) phi(x).
template <class T>
struct SliceProductKernel {
  detail::SiteSpinor<T> psi;
  detail::SiteSpinor<T> phi;
  detail::EntryValues values;
  int right_hand_sides;
  int direction;
  int origin;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const detail::Place place = psi.map.place(x);
    double sum = 0.0;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      const T* a = psi.data[place.parity] + static_cast<std::size_t>(rhs) * psi.stride;
      const T* b = phi.data[place.parity] + static_cast<std::size_t>(rhs) * phi.stride;
      for (int real = 0; real < 2 * psi.components; ++real) {
        const auto at = psi.order.offset(place, psi.components, real / 2, real % 2);
        sum += static_cast<double>(a[at]) * static_cast<double>(b[at]);
      }
    }
    const int length = psi.map.global[direction];
    const int distance = (x[direction] + psi.map.origin[direction] - origin + length) % length;
    int entry = 0;
    for (int mu = 3; mu >= 0; --mu) {
      if (mu != direction) entry = entry * psi.map.extent[mu] + x[mu];
    }
    values(distance, entry) = sum;
  }
};

using KokkosComplex = Kokkos::complex<double>;

/// values(2 t, place in the slice) and values(2 t + 1, ..) = real and imaginary part of a site's product. 8 flops a
/// component, 4 reals.
template <class T>
struct ProductKernel {
  detail::SiteSpinor<T> psi, phi;
  detail::EntryValues values;
  int right_hand_sides;
  int mode[4]{}, source[4]{};
  FourierFactor factor[4]{};

  KOKKOS_FUNCTION KokkosComplex phase(const int (&x)[4]) const {
    KokkosComplex product(1.0, 0.0);
    for (int mu = 0; mu < 4; ++mu) {
      const int length = psi.map.global[mu];
      const long turns = static_cast<long>(mode[mu]) * (x[mu] + psi.map.origin[mu] - source[mu]) % length;
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(turns) / length;
      const double cosine = factor[mu] == FourierFactor::sine ? 0.0 : Kokkos::cos(angle);
      const double sine = factor[mu] == FourierFactor::cosine ? 0.0 : Kokkos::sin(angle);
      product *= KokkosComplex(cosine, sine);
    }
    return product;
  }

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const detail::Place place = psi.map.place(x);
    KokkosComplex sum(0.0, 0.0);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      const T* a = psi.data[place.parity] + static_cast<std::size_t>(rhs) * psi.stride;
      const T* b = phi.data[place.parity] + static_cast<std::size_t>(rhs) * phi.stride;
      for (int c = 0; c < psi.components; ++c) {
        const auto re = psi.order.offset(place, psi.components, c, 0),
                   im = psi.order.offset(place, psi.components, c, 1);
        sum += KokkosComplex(static_cast<double>(a[re]), -static_cast<double>(a[im])) *
               KokkosComplex(static_cast<double>(b[re]), static_cast<double>(b[im]));
      }
    }
    sum *= phase(x);
    const int entry = (x[2] * psi.map.extent[1] + x[1]) * psi.map.extent[0] + x[0];
    const int time = x[3] + psi.map.origin[3];
    values(2 * time, entry) = sum.real();
    values(2 * time + 1, entry) = sum.imag();
  }
};

/// The m >= 0 with cosh(m k) / cosh(m (k - 1)) = ratio, for ratio >= 1 and k >= 1. The left side, which is
/// cosh(m) + tanh(m (k - 1)) sinh(m), grows with m and lies between cosh(m) and exp(m).
double mass_from_ratio(double ratio, double k) {
  double low = std::log(ratio);
  double high = std::acosh(ratio);
  for (;;) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) return middle;
    const double trial = std::cosh(middle) + std::tanh(middle * (k - 1.0)) * std::sinh(middle);
    (trial < ratio ? low : high) = middle;
  }
}

void require_two_values(std::size_t length) {
  require(length >= 2, [&] { return fmt::format("an effective mass needs at least two values of C, got {}", length); });
}

/// Values on the slices t and t + 1 that are positive and do not rise towards L/2, as A cosh(m (t - L/2)) with A > 0.
struct Fall {
  double ratio;     ///< of the value that is further from L/2 to the other one
  double distance;  ///< of the former from L/2
};

/// Empty where the values do not fall, or are at one distance from L/2.
std::optional<Fall> fall_towards_middle(double value, double next, std::size_t t, std::size_t length) {
  const double here = 0.5 * static_cast<double>(length) - static_cast<double>(t);
  const bool next_is_nearer = here > 0.5;
  const Fall fall{.ratio = next_is_nearer ? value / next : next / value,
                  .distance = next_is_nearer ? here : 1.0 - here};
  const bool holds = value > 0.0 && next > 0.0 && fall.distance >= 1.0 && fall.ratio >= 1.0;
  return holds && std::isfinite(fall.ratio) ? std::optional(fall) : std::nullopt;
}

}  // namespace

template <class T>
std::vector<double> pion_correlator(const SpinorField<T>& propagator, const CorrelatorParameters& parameters) {
  return pion_correlator(propagator, propagator, parameters);
}

template <class T>
std::vector<double> pion_correlator(const SpinorField<T>& propagator, const SpinorField<T>& other,
                                    const CorrelatorParameters& parameters) {
  const Lattice& lattice = propagator.lattice();
  require(lattice == other.lattice() && propagator.parameters() == other.parameters(),
          "a correlator of two propagators needs them on one lattice and of one shape");
  detail::require_one_slice(propagator, "a correlator");
  require(propagator.subset() == Subset::full && propagator.right_hand_sides() == propagator.components(), [&] {
    return fmt::format(
        "a correlator needs a propagator: both parities and {} right-hand sides, one a component, not {} and {}",
        propagator.components(), propagator.parities() == 2 ? "both" : "one", propagator.right_hand_sides());
  });
  const int direction = parameters.direction;
  require(direction >= 0 && direction < directions,
          [&] { return fmt::format("correlator direction {} is none of 0, 1, 2, 3 (x, y, z, t)", direction); });
  const auto mu = static_cast<std::size_t>(direction);
  const int origin = parameters.source_site[mu];
  const int length = lattice.extents()[mu];
  require(origin >= 0 && origin < length, [&] {
    return fmt::format("correlator source {} = {}: the lattice has 0 to {}", "xyzt"[mu], origin, length - 1);
  });
  const std::ptrdiff_t slice_sites = lattice.local_volume() / lattice.local_extents()[mu];
  const detail::EntryValues values(Kokkos::view_alloc(lattice.execution(), "kaon::pion_correlator"),
                                   static_cast<std::size_t>(length), static_cast<std::size_t>(slice_sites));
  detail::for_each_single_site<T>("kaon::pion_correlator", lattice,
                                  SliceProductKernel<T>{detail::site_access(propagator), detail::site_access(other),
                                                        values, propagator.right_hand_sides(), direction, origin});
  return detail::ordered_sums(lattice, values);
}

template <class T>
std::vector<std::complex<double>> momentum_products(const SpinorField<T>& psi, const SpinorField<T>& phi,
                                                    const MomentumParameters& parameters) {
  const Lattice& lattice = psi.lattice();
  require(lattice == phi.lattice() && psi.parameters() == phi.parameters(),
          "products of two fields need them on one lattice and of one shape");
  require(psi.subset() == Subset::full, "products with a momentum need fields on both parities");
  ProductKernel<T> kernel{.psi = detail::site_access(psi),
                          .phi = detail::site_access(phi),
                          .values = {},
                          .right_hand_sides = psi.right_hand_sides()};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int place = parameters.source_site[mu];
    require(place >= 0 && place < lattice.extents()[mu], [&] {
      return fmt::format("source {} = {}: the lattice has 0 to {}", "xyzt"[mu], place, lattice.extents()[mu] - 1);
    });
    kernel.mode[mu] = parameters.mode[mu];
    kernel.source[mu] = place;
    kernel.factor[mu] = parameters.factors[mu];
  }
  const std::ptrdiff_t slice_sites = lattice.local_volume() / lattice.local_extents()[3];
  kernel.values =
      detail::EntryValues(Kokkos::view_alloc(lattice.execution(), "kaon::momentum_products"),
                          static_cast<std::size_t>(2 * lattice.extents()[3]), static_cast<std::size_t>(slice_sites));
  detail::for_each_single_site<T>("kaon::momentum_products", lattice, kernel);
  const std::vector<double> sums = detail::ordered_sums(lattice, kernel.values);
  std::vector<std::complex<double>> result;
  for (std::size_t t = 0; 2 * t < sums.size(); ++t) result.emplace_back(sums[2 * t], sums[2 * t + 1]);
  return result;
}

std::vector<std::optional<double>> effective_mass(std::span<const double> correlator) {
  const std::size_t length = correlator.size();
  require_two_values(length);
  std::vector<std::optional<double>> masses(length);
  for (std::size_t t = 0; t < length; ++t) {
    const auto fall = fall_towards_middle(correlator[t], correlator[(t + 1) % length], t, length);
    if (fall) masses[t] = mass_from_ratio(fall->ratio, fall->distance);
  }
  return masses;
}

std::vector<std::optional<double>> oscillating_effective_mass(std::span<const double> correlator) {
  const std::size_t length = correlator.size();
  require_two_values(length);
  const auto c = [&](std::size_t t) { return correlator[t % length]; };
  const auto ec = [&](std::size_t t) { return c(t + 1) + c(t - 1); };
  const auto e2c = [&](std::size_t t) { return c(t + 2) + 2.0 * c(t) + c(t - 2); };
  constexpr double rounding = 16.0 * std::numeric_limits<double>::epsilon();
  std::vector<std::optional<double>> masses(length);
  for (std::size_t t = 2; t + 3 <= length; ++t) {
    // E^2 C = difference E C + product C at t and t + 1
    const double first = ec(t) * c(t + 1), second = ec(t + 1) * c(t), determinant = first - second;
    // Without a partner E C is a multiple of C, and the difference rounding.
    if (std::abs(determinant) <= rounding * (std::abs(first) + std::abs(second))) continue;
    const double difference = (e2c(t) * c(t + 1) - e2c(t + 1) * c(t)) / determinant;
    const double product = (ec(t) * e2c(t + 1) - ec(t + 1) * e2c(t)) / determinant;
    // The roots of z^2 = difference z + product are a and -b.
    const double a = 0.5 * (difference + std::sqrt(difference * difference + 4.0 * product)), b = a - difference;
    if (!(std::isfinite(a) && std::isfinite(b) && a >= 2.0 && b >= 2.0)) continue;
    // A large partner leaves the rounding of b, for which both values are raised.
    const auto without_partner = [&](std::size_t at) {
      return ec(at) + b * c(at) + 1e-7 * (std::abs(ec(at)) + std::abs(b * c(at)));
    };
    if (!fall_towards_middle(without_partner(t), without_partner(t + 1), t, length)) continue;
    masses[t] = std::acosh(0.5 * a);
  }
  return masses;
}

std::vector<double> residual_mass(std::span<const double> midpoint, std::span<const double> walls) {
  require(midpoint.size() == walls.size(), [&] {
    return fmt::format("a residual mass is a ratio of correlators of one length, not of {} and {}", midpoint.size(),
                       walls.size());
  });
  std::vector<double> ratio;
  for (std::size_t t = 0; t < walls.size(); ++t) {
    const bool known = std::isnormal(midpoint[t]) && std::isnormal(walls[t]);
    ratio.push_back(known ? midpoint[t] / walls[t] : std::numeric_limits<double>::quiet_NaN());
  }
  return ratio;
}

template std::vector<double> pion_correlator(const SpinorField<double>&, const SpinorField<double>&,
                                             const CorrelatorParameters&);
template std::vector<double> pion_correlator(const SpinorField<float>&, const SpinorField<float>&,
                                             const CorrelatorParameters&);
template std::vector<double> pion_correlator(const SpinorField<double>&, const CorrelatorParameters&);
template std::vector<double> pion_correlator(const SpinorField<float>&, const CorrelatorParameters&);

template std::vector<std::complex<double>> momentum_products(const SpinorField<double>&, const SpinorField<double>&,
                                                             const MomentumParameters&);
template std::vector<std::complex<double>> momentum_products(const SpinorField<float>&, const SpinorField<float>&,
                                                             const MomentumParameters&);

}  // namespace kaon
