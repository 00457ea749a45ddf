// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "su3.hpp"

#include "tests/support/largest_difference.hpp"

namespace kaon::reference {
namespace {

Complex normal_complex(std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  const double re = normal(generator);
  return {re, normal(generator)};
}

template <class Function>
Links links_from(const Coordinates& extents, Function&& next) {
  Links links;
  for (std::ptrdiff_t k = 0; k < directions * volume_of(extents); ++k) {
    const ColorMatrix u = next();
    links.insert(links.end(), u.begin(), u.end());
  }
  return links;
}

}  // namespace

ColorMatrix operator*(const ColorMatrix& a, const ColorMatrix& b) {
  ColorMatrix result{};
  for (std::size_t row = 0; row < colors; ++row)
    for (std::size_t column = 0; column < colors; ++column)
      for (std::size_t k = 0; k < colors; ++k) result[3 * row + column] += a[3 * row + k] * b[3 * k + column];
  return result;
}

ColorMatrix operator+(const ColorMatrix& a, const ColorMatrix& b) {
  ColorMatrix result = a;
  for (std::size_t k = 0; k < result.size(); ++k) result[k] += b[k];
  return result;
}

ColorMatrix operator*(Complex a, const ColorMatrix& b) {
  ColorMatrix result = b;
  for (Complex& element : result) element *= a;
  return result;
}

ColorMatrix dagger(const ColorMatrix& a) {
  ColorMatrix result;
  for (std::size_t row = 0; row < colors; ++row)
    for (std::size_t column = 0; column < colors; ++column) result[3 * row + column] = std::conj(a[3 * column + row]);
  return result;
}

ColorMatrix identity_color_matrix() { return {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}; }

Complex trace(const ColorMatrix& a) { return a[0] + a[4] + a[8]; }

Complex determinant(const ColorMatrix& a) {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

SiteVector multiply(const ColorMatrix& a, const SiteVector& v) {
  SiteVector result{};
  for (std::size_t spin = 0; spin < spins; ++spin)
    for (std::size_t row = 0; row < colors; ++row)
      for (std::size_t column = 0; column < colors; ++column)
        result[colors * spin + row] += a[3 * row + column] * v[colors * spin + column];
  return result;
}

double distance_from_su3(const ColorMatrix& a) {
  double distance = std::abs(determinant(a) - 1.0);
  for (const Complex& element : dagger(a) * a + Complex(-1.0) * identity_color_matrix())
    distance = test::larger(distance, std::abs(element));
  return distance;
}

ColorMatrix reunitarize(const ColorMatrix& a) {
  ColorMatrix u = a;
  const auto normalize = [&](std::size_t row) {
    const double norm = std::sqrt(std::norm(u[row]) + std::norm(u[row + 1]) + std::norm(u[row + 2]));
    for (std::size_t column = 0; column < colors; ++column) u[row + column] /= norm;
  };
  normalize(0);
  Complex overlap = 0.0;
  for (std::size_t column = 0; column < colors; ++column) overlap += std::conj(u[column]) * u[3 + column];
  for (std::size_t column = 0; column < colors; ++column) u[3 + column] -= overlap * u[column];
  normalize(3);
  for (std::size_t column = 0; column < colors; ++column) {
    const std::size_t next = (column + 1) % colors;
    const std::size_t last = (column + 2) % colors;
    u[6 + column] = std::conj(u[next] * u[3 + last] - u[last] * u[3 + next]);
  }
  return u;
}

Links reunitarize(const Links& links) {
  Links result;
  result.reserve(links.size());
  for (auto element = links.begin(); element != links.end(); element += 9) {
    ColorMatrix u;
    std::copy_n(element, u.size(), u.begin());
    u = reunitarize(u);
    result.insert(result.end(), u.begin(), u.end());
  }
  return result;
}

ColorMatrix random_su3(std::mt19937_64& generator) {
  ColorMatrix u;
  for (Complex& element : u) element = normal_complex(generator);
  return reunitarize(u);
}

ColorMatrix random_su3_near_one(std::mt19937_64& generator, double width) {
  ColorMatrix u = identity_color_matrix();
  for (Complex& element : u) element += width * normal_complex(generator);
  return reunitarize(u);
}

Links unit_links(const Coordinates& extents) {
  return links_from(extents, [] { return identity_color_matrix(); });
}

Links random_links(const Coordinates& extents, std::mt19937_64& generator) {
  return links_from(extents, [&] { return random_su3(generator); });
}

Links random_links_near_one(const Coordinates& extents, std::mt19937_64& generator, double width) {
  return links_from(extents, [&] { return random_su3_near_one(generator, width); });
}

Spinor random_spinor(const Coordinates& extents, std::mt19937_64& generator) {
  Spinor psi(static_cast<std::size_t>(volume_of(extents)) * site_components);
  for (Complex& component : psi) component = normal_complex(generator);
  return psi;
}

}  // namespace kaon::reference
