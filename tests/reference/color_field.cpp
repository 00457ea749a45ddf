// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "color_field.hpp"

namespace kaon::reference {

std::size_t color_offset(const Coordinates& site, const Coordinates& extents) {
  return colors * static_cast<std::size_t>(lexicographic_index(site, extents));
}

ColorVector color_at(const ColorField& chi, const Coordinates& site, const Coordinates& extents) {
  ColorVector v;
  std::copy_n(chi.begin() + static_cast<std::ptrdiff_t>(color_offset(site, extents)), v.size(), v.begin());
  return v;
}

void add_color_at(ColorField& chi, const Coordinates& site, const Coordinates& extents, Complex factor,
                  const ColorVector& v) {
  const std::size_t offset = color_offset(site, extents);
  for (std::size_t color = 0; color < v.size(); ++color) chi[offset + color] += factor * v[color];
}

ColorVector multiply(const ColorMatrix& a, const ColorVector& v) {
  ColorVector result{};
  for (std::size_t row = 0; row < colors; ++row)
    for (std::size_t column = 0; column < colors; ++column) result[row] += a[colors * row + column] * v[column];
  return result;
}

ColorField zero_color_field(const Coordinates& extents) {
  return ColorField(colors * static_cast<std::size_t>(volume_of(extents)));
}

ColorField random_color_field(const Coordinates& extents, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  ColorField chi = zero_color_field(extents);
  for (Complex& component : chi) {
    const double real = normal(generator);
    component = {real, normal(generator)};
  }
  return chi;
}

ColorField color_plane_wave(const std::array<double, directions>& p, const ColorVector& v, const Coordinates& extents) {
  ColorField chi = zero_color_field(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    add_color_at(chi, x, extents, std::polar(1.0, p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3]), v);
  });
  return chi;
}

ColorField transform_color_field(const ColorField& chi, const GaugeTransformation& g, const Coordinates& extents) {
  ColorField result = zero_color_field(extents);
  for_each_site(extents, [&](const Coordinates& x) {
    const ColorMatrix& matrix = g[static_cast<std::size_t>(lexicographic_index(x, extents))];
    add_color_at(result, x, extents, 1.0, multiply(matrix, color_at(chi, x, extents)));
  });
  return result;
}

}  // namespace kaon::reference
