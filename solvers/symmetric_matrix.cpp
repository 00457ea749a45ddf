// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/symmetric_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kaon::detail {
namespace {

/// cosine and sine of the rotation that takes away a_pq: tan = t is the smaller root of t^2 + 2 theta t - 1 = 0.
struct Rotation {
  double cosine, sine;

  Rotation(double a_pp, double a_qq, double a_pq) {
    const double theta = (a_qq - a_pp) / (2.0 * a_pq);
    const double tangent = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
    cosine = 1.0 / std::hypot(tangent, 1.0);
    sine = tangent * cosine;
  }
  void turn(double& p, double& q) const {
    const double before = p;
    p = cosine * before - sine * q;
    q = sine * before + cosine * q;
  }
};

}  // namespace

SymmetricMatrix::Spectrum SymmetricMatrix::spectrum() const {
  constexpr int most_sweeps = 60;
  std::vector<double> a = elements_;
  const int d = dimension();
  std::vector<std::vector<double>> vectors(dimension_, std::vector<double>(dimension_, 0.0));
  for (std::size_t k = 0; k < dimension_; ++k) vectors[k][k] = 1.0;
  const double norm = std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0));
  const double negligible = 1e-17 * norm;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool changed = false;
    for (int p = 0; p < d; ++p) {
      for (int q = p + 1; q < d; ++q) {
        if (!(std::abs(a[index(p, q)]) > negligible)) continue;
        changed = true;
        const Rotation rotation(a[index(p, p)], a[index(q, q)], a[index(p, q)]);
        for (int k = 0; k < d; ++k) rotation.turn(a[index(p, k)], a[index(q, k)]);
        rotation.turn(a[index(p, p)], a[index(p, q)]);
        rotation.turn(a[index(q, p)], a[index(q, q)]);
        for (int k = 0; k < d; ++k) {
          a[index(k, p)] = a[index(p, k)];
          a[index(k, q)] = a[index(q, k)];
        }
        for (std::size_t k = 0; k < dimension_; ++k) {
          rotation.turn(vectors[static_cast<std::size_t>(p)][k], vectors[static_cast<std::size_t>(q)][k]);
        }
      }
    }
    if (!changed) break;
  }
  std::vector<int> order(dimension_);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int i, int j) { return a[index(i, i)] < a[index(j, j)]; });
  Spectrum result;
  for (const int k : order) {
    result.values.push_back(a[index(k, k)]);
    result.vectors.push_back(std::move(vectors[static_cast<std::size_t>(k)]));
  }
  return result;
}

}  // namespace kaon::detail
