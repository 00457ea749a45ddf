// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "block_cg.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace kaon::reference {
namespace {

using Columns = std::vector<Spinor>;
using Rows = std::vector<std::vector<Complex>>;  // of a small matrix

/// y + x m
Columns add_product(Columns y, const Columns& x, const Rows& m) {
  for (std::size_t i = 0; i < m.size(); ++i) {
    for (std::size_t j = 0; j < m[i].size(); ++j) y[j] = add(y[j], m[i][j], x[i]);
  }
  return y;
}

Rows product(const Rows& a, const Rows& b) {
  Rows result(a.size(), std::vector<Complex>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b[0].size(); ++j) {
      for (std::size_t k = 0; k < b.size(); ++k) result[i][j] += a[i][k] * b[k][j];
    }
  }
  return result;
}

/// a^-1 b, by elimination with pivots.
Rows solve(Rows a, Rows b) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const Complex factor = a[i][k] / a[k][k];
      for (std::size_t j = 0; j < n; ++j) a[i][j] -= factor * a[k][j];
      for (std::size_t j = 0; j < b[i].size(); ++j) b[i][j] -= factor * b[k][j];
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (Complex& number : b[k]) number /= a[k][k];
  }
  return b;
}

/// v = q s with orthonormal q, which replaces v; s is upper triangular.
Rows orthonormalize(Columns& v) {
  const std::size_t n = v.size();
  Rows s(n, std::vector<Complex>(n));
  for (std::size_t j = 0; j < n; ++j) {
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t i = 0; i < j; ++i) {
        const Complex overlap = dot(v[i], v[j]);
        s[i][j] += overlap;
        v[j] = add(v[j], -overlap, v[i]);
      }
    }
    const double norm = std::sqrt(norm2(v[j]));
    s[j][j] = norm;
    for (Complex& number : v[j]) number /= norm;
  }
  return s;
}

}  // namespace

BlockSolution block_cg(const std::function<Spinor(const Spinor&)>& apply, const std::vector<Spinor>& b,
                       double tolerance, int most_iterations) {
  const std::size_t n = b.size();
  BlockSolution solution{Columns(n, Spinor(b[0].size())), std::vector<int>(n, -1)};
  Columns q = b;
  Rows c = orthonormalize(q);
  Columns d = q;
  for (int iteration = 1; iteration <= most_iterations; ++iteration) {
    Columns z;
    for (const Spinor& column : d) z.push_back(apply(column));
    Rows gram(n, std::vector<Complex>(n)), minus_one = gram;
    for (std::size_t i = 0; i < n; ++i) {
      minus_one[i][i] = -1.0;
      for (std::size_t j = 0; j < n; ++j) gram[i][j] = dot(d[i], z[j]);
    }
    solution.x = add_product(solution.x, d, solve(gram, c));
    q = add_product(q, z, solve(gram, minus_one));
    const Rows s = orthonormalize(q);
    Rows s_dagger = s;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) s_dagger[i][j] = std::conj(s[j][i]);
    }
    d = add_product(q, d, s_dagger);
    c = product(s, c);
    bool all = true;
    for (std::size_t k = 0; k < n; ++k) {
      double norm2_of_k = 0.0;
      for (std::size_t i = 0; i < n; ++i) norm2_of_k += std::norm(c[i][k]);
      if (solution.iterations[k] < 0 && std::sqrt(norm2_of_k) <= tolerance * std::sqrt(norm2(b[k]))) {
        solution.iterations[k] = iteration;
      }
      all = all && solution.iterations[k] >= 0;
    }
    if (all) break;
  }
  return solution;
}

}  // namespace kaon::reference
