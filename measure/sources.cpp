// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/fields/field_checks.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/tuning/phases.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/measure/smearing.hpp>
#include <kaon/measure/sources.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::SiteSpinor;

/// source(site)_{first_component + r} = 1 in right-hand side r.
template <class T>
struct PointKernel {
  SiteSpinor<T> source;
  int site[4];
  int first_component;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      if (x[mu] + source.map.origin[mu] != site[mu]) return;
    }
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) source.store({1.0, 0.0}, x, first_component + rhs, rhs);
  }
};

/// source(x)_r = noise(x), or 1 without noise, in right-hand side r, on some sites of one slice.
template <class T>
struct WallKernel {
  SiteSpinor<T> source;
  SiteSpinor<T> noise;
  bool has_noise;
  int time;
  WallSites sites;
  int right_hand_sides;

  KOKKOS_FUNCTION bool covers(const int (&x)[4]) const {
    if (x[3] + source.map.origin[3] != time || !source.holds(x)) return false;
    // Origins are even: local coordinates have the parities of global ones.
    if (sites == WallSites::even) return (x[0] + x[1] + x[2] + x[3]) % 2 == 0;
    return sites == WallSites::all || (x[0] % 2 == 0 && x[1] % 2 == 0 && x[2] % 2 == 0);
  }
  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!covers(x)) return;
    const detail::Complex<double> value = has_noise ? noise.load(x, 0, 0) : detail::Complex<double>{1.0, 0.0};
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) source.store(value, x, rhs, rhs);
  }
};

template <class T>
void require_diluted(const SpinorField<T>& source) {
  require(source.right_hand_sides() == source.components(), [&] {
    return fmt::format("sources in every spin and colour need {} right-hand sides, one a component, not {}",
                       source.components(), source.right_hand_sides());
  });
}

template <class T>
void require_wall(const SpinorField<T>& source, int time) {
  detail::require_one_slice(source, "a wall source");
  const int length = source.lattice().extents()[3];
  require(time >= 0 && time < length,
          [&] { return fmt::format("wall source at t = {}: the lattice has t = 0 to {}", time, length - 1); });
  require_diluted(source);
}

template <class T>
void set_point(SpinorField<T>& source, const Coordinates& site, int first_component) {
  detail::require_one_slice(source, "a point source");
  const Lattice& lattice = source.lattice();
  bool inside = true;
  int sum = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    inside = inside && site[mu] >= 0 && site[mu] < lattice.extents()[mu];
    sum += site[mu];
  }
  const auto name = [&] { return fmt::format("source site ({}, {}, {}, {})", site[0], site[1], site[2], site[3]); };
  require(inside,
          [&] { return fmt::format("{} lies outside the lattice of {} sites", name(), to_string(lattice.extents())); });
  const Subset parity = sum % 2 == 0 ? Subset::even : Subset::odd;
  require(source.subset() == Subset::full || source.subset() == parity, [&] {
    return fmt::format("{} is {}, but the field holds only the other parity", name(),
                       parity == Subset::even ? "even" : "odd");
  });
  blas::set_zero(source);
  detail::for_each_single_site<T>("kaon::set_point_source", lattice,
                                  PointKernel<T>{detail::site_access(source),
                                                 {site[0], site[1], site[2], site[3]},
                                                 first_component,
                                                 source.right_hand_sides()});
}

}  // namespace

template <class T>
void set_point_sources(SpinorField<T>& source, const PointSourcesParameters& parameters) {
  require_diluted(source);
  set_point(source, parameters.site, 0);
}

template <class T>
void set_point_source(SpinorField<T>& source, const PointSourceParameters& parameters) {
  require(source.right_hand_sides() == 1, [&] {
    return fmt::format("a point source of one spin and colour is one right-hand side, not {}",
                       source.right_hand_sides());
  });
  require(parameters.spin >= 0 && parameters.spin < source.spins() && parameters.color >= 0 &&
              parameters.color < source.colors(),
          [&] {
            return fmt::format("source spin {} and colour {} do not exist in a field of {} spins and {} colours",
                               parameters.spin, parameters.color, source.spins(), source.colors());
          });
  set_point(source, parameters.site, parameters.spin * source.colors() + parameters.color);
}

template <class T>
void set_z2_wall_source(SpinorField<T>& source, const WallSourceParameters& parameters) {
  require_wall(source, parameters.time);
  SpinorField<T> noise(source.lattice(), {.spins = 1, .colors = 1, .subset = source.subset()});
  set_complex_z2(noise, parameters.key);
  blas::set_zero(source);
  detail::for_each_single_site<T>("kaon::set_z2_wall_source", source.lattice(),
                                  WallKernel<T>{detail::site_access(source), detail::site_access(noise), true,
                                                parameters.time, WallSites::all, source.right_hand_sides()});
}

template <class T>
void set_uniform_wall_sources(SpinorField<T>& source, const UniformWallParameters& parameters) {
  require_wall(source, parameters.time);
  blas::set_zero(source);
  const SiteSpinor<T> access = detail::site_access(source);
  detail::for_each_single_site<T>(
      "kaon::set_uniform_wall_sources", source.lattice(),
      WallKernel<T>{access, access, false, parameters.time, parameters.sites, source.right_hand_sides()});
}

namespace {

WallSites wall_sites(SourceKind kind) {
  if (kind == SourceKind::even_wall) return WallSites::even;
  return kind == SourceKind::corner_wall ? WallSites::corners : WallSites::all;
}

}  // namespace

template <class T>
void set_sources(SpinorField<T>& source, const SourceParameters& parameters, const GaugeField<T>& links) {
  const detail::Phase phase(detail::PhaseName::source);
  const int time = parameters.site[3];
  switch (parameters.kind) {
    case SourceKind::point:
      return set_point_sources(source, {.site = parameters.site});
    case SourceKind::gaussian:
      require_stable_smearing(parameters.width, parameters.steps);
      set_point_sources(source, {.site = parameters.site});
      return gaussian_smear(source, links, {.width = parameters.width, .steps = parameters.steps, .time = time});
    case SourceKind::z2_wall:
      return set_z2_wall_source(source, {.time = time, .key = {.seed = parameters.seed}});
    case SourceKind::wall:
    case SourceKind::corner_wall:
    case SourceKind::even_wall:
      return set_uniform_wall_sources(source, {.time = time, .sites = wall_sites(parameters.kind)});
  }
  throw Error("this is no kind of source: name one of SourceKind");
}

double number_of_sources(const SourceParameters& source, const Lattice& lattice) {
  if (source.kind != SourceKind::z2_wall) return 1.0;
  const Coordinates& extents = lattice.extents();
  return static_cast<double>(extents[0]) * extents[1] * extents[2];
}

template void set_sources(SpinorField<double>&, const SourceParameters&, const GaugeField<double>&);
template void set_sources(SpinorField<float>&, const SourceParameters&, const GaugeField<float>&);
template void set_point_sources(SpinorField<double>&, const PointSourcesParameters&);
template void set_point_sources(SpinorField<float>&, const PointSourcesParameters&);
template void set_point_source(SpinorField<double>&, const PointSourceParameters&);
template void set_point_source(SpinorField<float>&, const PointSourceParameters&);
template void set_z2_wall_source(SpinorField<double>&, const WallSourceParameters&);
template void set_z2_wall_source(SpinorField<float>&, const WallSourceParameters&);
template void set_uniform_wall_sources(SpinorField<double>&, const UniformWallParameters&);
template void set_uniform_wall_sources(SpinorField<float>&, const UniformWallParameters&);

}  // namespace kaon
