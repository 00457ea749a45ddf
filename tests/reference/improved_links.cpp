// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "improved_links.hpp"

#include <stdexcept>

namespace kaon::reference {
namespace {

// f(+nu) and f(-nu), as steps of `path_product`, for all nu that are none of `others`, which are steps too.
template <class Function>
void for_each_step_across(std::initializer_list<int> others, Function&& f) {
  for (int nu = 1; nu <= directions; ++nu) {
    if (std::any_of(others.begin(), others.end(), [&](int other) { return std::abs(other) == nu; })) continue;
    f(nu);
    f(-nu);
  }
}

template <class Function>
Links links_at_each_site(const Coordinates& extents, Function&& f) {
  Links result;
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const ColorMatrix u = f(x, mu);
      result.insert(result.end(), u.begin(), u.end());
    }
  });
  return result;
}

}  // namespace

PathCoefficients asqtad_paths(double u0) {
  const double u2 = u0 * u0;
  return {.one_link = 5.0 / 8.0,
          .three_staple = 1.0 / (16.0 * u2),
          .five_staple = 1.0 / (64.0 * u2 * u2),
          .seven_staple = 1.0 / (384.0 * u2 * u2 * u2),
          .lepage = -1.0 / (16.0 * u2 * u2)};
}

PathCoefficients fat7_paths() {
  return {.one_link = 1.0 / 8.0, .three_staple = 1.0 / 16.0, .five_staple = 1.0 / 64.0, .seven_staple = 1.0 / 384.0};
}

PathCoefficients hisq_paths(double naik_epsilon) {
  return {.one_link = 1.0 + naik_epsilon / 8.0,
          .three_staple = 1.0 / 16.0,
          .five_staple = 1.0 / 64.0,
          .seven_staple = 1.0 / 384.0,
          .lepage = -1.0 / 8.0};
}

Links fat_links(const Links& links, const PathCoefficients& coefficients, const Coordinates& extents) {
  return links_at_each_site(extents, [&](const Coordinates& x, int mu) {
    const int m = mu + 1;
    ColorMatrix sum{};
    const auto add_path = [&](double coefficient, const std::vector<int>& steps) {
      sum = sum + Complex(coefficient) * path_product(links, x, steps, extents);
    };
    add_path(coefficients.one_link, {m});
    for_each_step_across({m}, [&](int n) {
      add_path(coefficients.three_staple, {n, m, -n});
      add_path(coefficients.lepage, {n, n, m, -n, -n});
      for_each_step_across({m, n}, [&](int r) {
        add_path(coefficients.five_staple, {n, r, m, -r, -n});
        for_each_step_across({m, n, r}, [&](int s) { add_path(coefficients.seven_staple, {n, r, s, m, -s, -r, -n}); });
      });
    });
    return sum;
  });
}

ColorMatrix inverse(const ColorMatrix& a) {
  ColorMatrix result;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t column = 0; column < 3; ++column) {
      const std::size_t i = (column + 1) % 3, j = (column + 2) % 3, k = (row + 1) % 3, l = (row + 2) % 3;
      result[3 * row + column] = (a[3 * i + k] * a[3 * j + l] - a[3 * i + l] * a[3 * j + k]) / determinant(a);
    }
  return result;
}

ColorMatrix project_to_u3(const ColorMatrix& v) {
  ColorMatrix w = v;
  for (int step = 0; step < 100; ++step) {
    const ColorMatrix change = Complex(0.5) * (dagger(inverse(w)) + Complex(-1.0) * w);
    w = w + change;
    double size = 0.0;
    for (const Complex& element : change) size = std::max(size, std::abs(element));
    if (size < 1e-15) return w;
    if (!(size < 1e300)) break;
  }
  // The last changes are rounding: they remain below 1e-13 for all except singular matrices.
  for (const Complex& element : dagger(w) * w + Complex(-1.0) * identity_color_matrix())
    if (!(std::abs(element) < 1e-13)) throw std::invalid_argument("project_to_u3: the matrix is singular");
  return w;
}

Links project_to_u3(const Links& links) {
  return transform_each_link(links, [](const ColorMatrix& v) { return project_to_u3(v); });
}

Links fold_phases(const Links& links, const Coordinates& extents, bool antiperiodic, int steps) {
  return links_at_each_site(extents, [&](const Coordinates& x, int mu) {
    const bool crosses = mu == 3 && x[3] + steps >= extents[3];
    const double sign = staggered_phase(x, mu) * (antiperiodic && crosses ? -1 : 1);
    return Complex(sign) * link(links, x, mu, extents);
  });
}

}  // namespace kaon::reference
