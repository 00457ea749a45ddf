// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/chiralities.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/propagators/domain_wall_walls.hpp>

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
  blas::caxpy(psi, hopped, blas::Complexes(static_cast<std::size_t>(psi.right_hand_sides()), -c));
}

}  // namespace

template <class T>
void set_wall_source(SpinorField<T>& source_5d, const SpinorField<T>& source, const DomainWall<T>& dirac) {
  require_walls(source, source_5d);
  const DomainWallParameters& p = dirac.parameters();
  require(source_5d.slices() == p.slices, [&] {
    return fmt::format("a domain wall operator of {} slices takes no source of {}", p.slices, source_5d.slices());
  });
  blas::set_zero(source_5d);
  const bool by_slice = !p.c_of_slices.empty();
  const auto put = [&](bool upper, bool lower, int slice) {
    SpinorField<T> wall(source.lattice(), source.parameters());
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SpinorField<T> of_wall = wall.parity(parity);
      const SpinorField<T> of_source = source.parity(parity);
      detail::join_chiralities(of_wall, upper ? &of_source : nullptr, lower ? &of_source : nullptr);
    }
    subtract_kernel(wall, by_slice ? p.c_of_slices[static_cast<std::size_t>(slice)] : p.c, dirac);
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SpinorField<T> to = source_5d.parity(parity).slice(slice);
      blas::copy(to, wall.parity(parity));
    }
  };
  if (p.slices == 1) return put(true, true, 0);
  put(true, false, 0);
  put(false, true, p.slices - 1);
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

template void set_wall_source(SpinorField<double>&, const SpinorField<double>&, const DomainWall<double>&);
template void set_wall_source(SpinorField<float>&, const SpinorField<float>&, const DomainWall<float>&);
template void take_walls(SpinorField<double>&, const SpinorField<double>&);
template void take_walls(SpinorField<float>&, const SpinorField<float>&);
template void take_midpoint(SpinorField<double>&, const SpinorField<double>&);
template void take_midpoint(SpinorField<float>&, const SpinorField<float>&);

}  // namespace kaon
