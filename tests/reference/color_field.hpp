// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gauge.hpp"

namespace kaon::reference {

/// Field of one colour vector a site: [t][z][y][x][colour]. `dot`, `norm2`, `add`, `relative_difference` and
/// `restrict_to_parity` accept it like spinors.
using ColorField = std::vector<Complex>;

/// One component per colour of one site.
using ColorVector = std::array<Complex, colors>;

/// Position in a `ColorField` of colour 0 of chi(x).
std::size_t color_offset(const Coordinates& site, const Coordinates& extents);

/// chi(x).
ColorVector color_at(const ColorField& chi, const Coordinates& site, const Coordinates& extents);

/// chi(x) += factor v.
void add_color_at(ColorField& chi, const Coordinates& site, const Coordinates& extents, Complex factor,
                  const ColorVector& v);

/// Colour matrix times colour vector.
ColorVector multiply(const ColorMatrix& a, const ColorVector& v);

/// The field 0.
ColorField zero_color_field(const Coordinates& extents);

/// Normal numbers of variance 1 in every real and imaginary part.
ColorField random_color_field(const Coordinates& extents, std::mt19937_64& generator);

/// exp(i p x) v at every site.
ColorField color_plane_wave(const std::array<double, directions>& p, const ColorVector& v, const Coordinates& extents);

/// chi(x) -> g(x) chi(x).
ColorField transform_color_field(const ColorField& chi, const GaugeTransformation& g, const Coordinates& extents);

}  // namespace kaon::reference
