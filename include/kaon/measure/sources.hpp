// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace kaon {

struct PointSourcesParameters {
  Coordinates site{};
};

/// source(x)_{s, c} of right-hand side 3 s' + c' = delta_{x, site} delta_{s s'} delta_{c c'}: the identity at one site,
/// whose solutions are a propagator.
///
/// Throws `Error` for a site outside the lattice or not in the field's subset, and unless there are as many right-hand
/// sides as components: 12 for Wilson-like fermions (3 for staggered ones).
template <class T>
void set_point_sources(SpinorField<T>& source, const PointSourcesParameters& parameters);

struct PointSourceParameters {
  Coordinates site{};
  int spin = 0;
  int color = 0;
};

/// source = 1 at one site, spin and colour, 0 elsewhere. Throws `Error` if the field does not hold it and unless
/// there is one right-hand side.
template <class T>
void set_point_source(SpinorField<T>& source, const PointSourceParameters& parameters);

struct WallSourceParameters {
  int time = 0;
  RandomKey key{};
};

/// Z2 wall: source(x)_{s, c} = delta_{s s'} delta_{c c'} eta(x) of right-hand side 3 s' + c' on the slice t = `time`, 0
/// elsewhere, eta = (+-1 +- i) / sqrt(2), so that solutions represent a propagator from the whole wall
/// (arXiv:0804.1501, section 3).
///
/// Throws `Error` for a slice outside the lattice and unless there are as many right-hand sides as components.
template <class T>
void set_z2_wall_source(SpinorField<T>& source, const WallSourceParameters& parameters);

/// The sites of a time slice that a wall covers.
enum class WallSites {
  all,
  even,    ///< x + y + z + t even: MILC's even_wall
  corners  ///< x, y and z even, a site of each hypercube: MILC's corner_wall
};

struct UniformWallParameters {
  int time = 0;
  WallSites sites = WallSites::all;
};

/// Uniform wall: source(x)_{s, c} of right-hand side 3 s' + c' = delta_{s s'} delta_{c c'} on the sites of the slice
/// t = `time`, 0 elsewhere. It projects quarks on zero momentum and is not gauge covariant: for gauge-fixed fields.
///
/// Throws `Error` for a slice outside the lattice and unless there are as many right-hand sides as components.
template <class T>
void set_uniform_wall_sources(SpinorField<T>& source, const UniformWallParameters& parameters);

enum class SourceKind {
  point,        ///< `set_point_sources`
  gaussian,     ///< a point source after `gaussian_smear`
  z2_wall,      ///< `set_z2_wall_source`
  wall,         ///< `set_uniform_wall_sources`, as the next two
  corner_wall,  ///< for staggered quarks
  even_wall     ///< for staggered quarks
};

struct SourceWord {
  std::string_view word;  ///< its word in the program
  SourceKind value;
};

inline constexpr std::array source_kinds{
    SourceWord{"point", SourceKind::point},
    SourceWord{"gaussian", SourceKind::gaussian},
    SourceWord{"wall-z2", SourceKind::z2_wall},
    SourceWord{"wall", SourceKind::wall},
    SourceWord{"corner-wall", SourceKind::corner_wall},
    SourceWord{"even-wall", SourceKind::even_wall},
};

/// The source of a propagator.
struct SourceParameters {
  SourceKind kind = SourceKind::point;
  Coordinates site{};      ///< a wall reads its time only
  double width = 2.0;      ///< gaussian: see `GaussianSmearingParameters`
  int steps = 20;          ///< gaussian
  std::uint64_t seed = 1;  ///< z2_wall
};

/// Sets the source in each spin and colour: the solutions for all right-hand sides are a propagator. `links` smear
/// gaussian sources. Throws `Error` as the functions above do, and for Gaussian sources as `require_stable_smearing`
/// does.
template <class T>
void set_sources(SpinorField<T>& source, const SourceParameters& parameters, const GaugeField<T>& links);

/// The number of point sources whose correlators a source sums, up to noise: the sites of its slice for a wall of
/// noise, else 1.
double number_of_sources(const SourceParameters& source, const Lattice& lattice);

}  // namespace kaon
