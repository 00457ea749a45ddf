// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/chiralities.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/domain_wall_walls.hpp>
#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

template <class T>
void require_walls(const SpinorField<T>& field, const SpinorField<T>& field_5d) {
  SpinorParameters expected = field.parameters();
  expected.slices = field_5d.slices();
  require(field.slices() == 1 && field_5d.parameters() == expected && field.lattice() == field_5d.lattice() &&
              field.subset() == Subset::full && field.spins() == 4 && field.colors() == 3,
          [&] {
            return fmt::format(
                "walls join a field of 4 spins and 3 colours on all sites with one of several slices on the same "
                "lattice: got {} x {} with {} right-hand sides and {} x {} with {} and {} slices",
                field.spins(), field.colors(), field.right_hand_sides(), field_5d.spins(), field_5d.colors(),
                field_5d.right_hand_sides(), field_5d.slices());
          });
}

/// q = P_+ psi_upper + P_- psi_lower.
template <class T>
void take_slices(SpinorField<T>& q, const SpinorField<T>& psi, int upper, int lower) {
  require_walls(q, psi);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    SpinorField<T> out = q.parity(parity);
    const SpinorField<T> in = psi.parity(parity);
    const SpinorField<T> from_upper = in.slice(upper), from_lower = in.slice(lower);
    detail::join_chiralities(out, &from_upper, &from_lower);
  }
}

/// psi - c D_W psi, D_W the Wilson kernel of `dirac`.
template <class T>
void subtract_kernel(SpinorField<T>& psi, std::complex<double> c, const DomainWall<T>& dirac) {
  if (c == 0.0) return;
  const DomainWallParameters& p = dirac.parameters();
  const Wilson<T> kernel(dirac.links(), {.mass = -p.m5, .anisotropy = p.anisotropy, .boundary = p.boundary});
  SpinorField<T> hopped(psi.lattice(), psi.parameters());
  kernel.apply(hopped, psi);
  blas::caxpy(psi, hopped, -c);
}

/// field_5d = [P_+ source at s = 0, P_- source at s = L_s - 1, zero between], after `change(wall, slice)` of each.
template <class T, class Change>
void set_walls(SpinorField<T>& field_5d, const SpinorField<T>& source, const DomainWall<T>& dirac,
               const Change& change) {
  require_walls(source, field_5d);
  const int slices = dirac.parameters().slices;
  require(field_5d.slices() == slices, [&] {
    return fmt::format("a domain wall operator of {} slices takes no source of {}", slices, field_5d.slices());
  });
  blas::set_zero(field_5d);
  const auto put = [&](bool upper, bool lower, int slice) {
    SpinorField<T> wall(source.lattice(), source.parameters());
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SpinorField<T> of_wall = wall.parity(parity);
      const SpinorField<T> of_source = source.parity(parity);
      detail::join_chiralities(of_wall, upper ? &of_source : nullptr, lower ? &of_source : nullptr);
    }
    change(wall, slice);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      blas::copy(field_5d.parity(parity).slice(slice), wall.parity(parity));
    }
  };
  if (slices == 1) return put(true, true, 0);
  put(true, false, 0);
  put(false, true, slices - 1);
}

}  // namespace

template <class T>
void set_wall_source(SpinorField<T>& source_5d, const SpinorField<T>& source, const DomainWall<T>& dirac) {
  const DomainWallParameters& p = dirac.parameters();
  const bool by_slice = !p.c_of_slices.empty();
  set_walls(source_5d, source, dirac, [&](SpinorField<T>& wall, int slice) {
    subtract_kernel(wall, by_slice ? p.c_of_slices[static_cast<std::size_t>(slice)] : p.c, dirac);
  });
}

template <class T>
void take_walls(SpinorField<T>& q, const SpinorField<T>& psi) {
  take_slices(q, psi, psi.slices() - 1, 0);
}

template <class T>
void take_midpoint(SpinorField<T>& q, const SpinorField<T>& psi) {
  require(psi.slices() % 2 == 0,
          [&] { return fmt::format("{} slices have no midpoint: take an even number", psi.slices()); });
  take_slices(q, psi, psi.slices() / 2 - 1, psi.slices() / 2);
}

template <class T>
void set_current_fields(SpinorField<T>& chi, const SpinorField<T>& psi, const SpinorField<T>& source,
                        const DomainWall<T>& dirac) {
  const DomainWallParameters& p = dirac.parameters();
  require(p.b_of_slices.empty() && p.c_of_slices.empty() && p.b + p.c != 0.0,
          "the conserved currents of domain wall quarks need one b and one c for all slices, b + c not zero");
  SpinorField<T> walls(psi.lattice(), psi.parameters());
  set_walls(walls, source, dirac, [](SpinorField<T>&, int) {});
  dirac.apply_b(chi, psi);
  blas::axpy(chi, walls, p.c);
  blas::scale(chi, 1.0 / (p.b + p.c));
}

template <class T>
std::vector<double> axial_current(const SpinorField<T>& psi, const SpinorField<T>& source, const DomainWall<T>& dirac) {
  const DomainWallParameters& p = dirac.parameters();
  const int count = psi.right_hand_sides();
  SpinorField<T> chi = dirac.make_field(count), hopped = dirac.make_field(count);
  set_current_fields(chi, psi, source, dirac);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    for (std::size_t rhs = 0; rhs < static_cast<std::size_t>(count); ++rhs) {
      SpinorField<T> out = hopped.parity(parity).right_hand_side(rhs).slices_as_right_hand_sides();
      dirac.hop_along(out, chi.parity(opposite(parity)).right_hand_side(rhs).slices_as_right_hand_sides(), 3);
    }
  }
  std::vector<double> current(static_cast<std::size_t>(psi.lattice().extents()[3]));
  SpinorField<T> left(source.lattice(), source.parameters()), right(source.lattice(), source.parameters());
  for (int s = 0; s < p.slices; ++s) {
    const int twice = 2 * s - (p.slices - 1);
    if (twice == 0) continue;
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SpinorField<T> to_left = left.parity(parity), to_right = right.parity(parity);
      blas::copy(to_left, chi.parity(parity).slice(p.slices - 1 - s));
      apply_gamma5(to_left);
      blas::copy(to_right, hopped.parity(parity).slice(s));
    }
    const std::vector<std::complex<double>> products = momentum_products(left, right, {});
    const double weight = (twice > 0 ? -2.0 : 2.0) * (p.b + p.c);
    for (std::size_t t = 0; t < current.size(); ++t) current[t] += weight * products[t].real();
  }
  return current;
}

template void set_wall_source(SpinorField<double>&, const SpinorField<double>&, const DomainWall<double>&);
template void set_wall_source(SpinorField<float>&, const SpinorField<float>&, const DomainWall<float>&);
template void take_walls(SpinorField<double>&, const SpinorField<double>&);
template void take_walls(SpinorField<float>&, const SpinorField<float>&);
template void take_midpoint(SpinorField<double>&, const SpinorField<double>&);
template void take_midpoint(SpinorField<float>&, const SpinorField<float>&);
template void set_current_fields(SpinorField<double>&, const SpinorField<double>&, const SpinorField<double>&,
                                 const DomainWall<double>&);
template void set_current_fields(SpinorField<float>&, const SpinorField<float>&, const SpinorField<float>&,
                                 const DomainWall<float>&);
template std::vector<double> axial_current(const SpinorField<double>&, const SpinorField<double>&,
                                           const DomainWall<double>&);
template std::vector<double> axial_current(const SpinorField<float>&, const SpinorField<float>&,
                                           const DomainWall<float>&);

}  // namespace kaon
