// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/quda/client.hpp"
#include "tests/reference/matrix.hpp"

#include <cmath>

// Eigenvectors on a lattice that is so small that all of a matrix is known: its columns are those of MatQuda, which
// other tests compare with the reference.

namespace kaon::test {

using reference::Matrix;

inline constexpr Coordinates tiny{2, 2, 2, 2};
inline constexpr std::size_t tiny_volume = 16;

/// Links of the tiny lattice, and a clover term, while the object lives.
class Tiny {
 public:
  explicit Tiny(QudaDslashType dslash) {
    std::mt19937_64 generator(7);
    for (auto& of_mu : links_) {
      const reference::Links all = reference::random_links(tiny, generator);
      of_mu.assign(all.begin(), all.begin() + tiny_volume * 9);
    }
    QudaGaugeParam param = gauge_param();
    for (std::size_t mu = 0; mu < 4; ++mu) {
      param.X[mu] = tiny[mu];
      pointers_[mu] = links_[mu].data();
    }
    param.t_boundary = QUDA_PERIODIC_T;
    param.staggered_phase_applied = dslash == QUDA_STAGGERED_DSLASH ? 1 : 0;
    param.staggered_phase_type = dslash == QUDA_STAGGERED_DSLASH ? QUDA_STAGGERED_PHASE_MILC : QUDA_STAGGERED_PHASE_NO;
    loadGaugeQuda(pointers_.data(), &param);
    if (dslash == QUDA_CLOVER_WILSON_DSLASH || dslash == QUDA_TWISTED_CLOVER_DSLASH) {
      QudaInvertParam clover = invert_param(dslash);
      loadCloverQuda(nullptr, nullptr, &clover);
    }
  }
  ~Tiny() {
    freeCloverQuda();
    freeGaugeQuda();
  }
  Tiny(const Tiny&) = delete;
  Tiny& operator=(const Tiny&) = delete;

 private:
  std::array<std::vector<Complex>, 4> links_;
  std::array<void*, 4> pointers_{};
};

/// The matrix of MatQuda in a client's order.
inline Matrix matrix_of(QudaInvertParam param, std::size_t size) {
  return reference::matrix_of(
      [&](const std::vector<Complex>& in) {
        std::vector<Complex> from = in, out(size);
        MatQuda(out.data(), from.data(), &param);
        return out;
      },
      size);
}

inline QudaEigParam eig_param(QudaInvertParam& of, int count, int basis) {
  QudaEigParam param = newQudaEigParam();
  param.invert_param = &of;
  param.eig_type = QUDA_EIG_TR_LANCZOS;
  param.spectrum = QUDA_SPECTRUM_SR_EIG;
  param.use_norm_op = QUDA_BOOLEAN_TRUE;
  param.n_conv = param.n_ev = count;
  param.n_kr = basis;
  param.tol = 1e-10;
  param.max_restarts = 200;
  return param;
}

struct Found {
  std::vector<std::vector<Complex>> vectors;
  std::vector<Complex> values;
};

inline Found eigensolve(QudaEigParam param, std::size_t size) {
  const auto count = static_cast<std::size_t>(param.n_conv) * (param.compute_svd == QUDA_BOOLEAN_TRUE ? 2 : 1);
  Found found{std::vector<std::vector<Complex>>(count, std::vector<Complex>(size)),
              std::vector<Complex>(static_cast<std::size_t>(param.n_conv), Complex(7.0, 7.0))};
  std::vector<void*> pointers;
  for (auto& vector : found.vectors) pointers.push_back(vector.data());
  eigensolveQuda(pointers.data(), reinterpret_cast<double _Complex*>(found.values.data()), &param);
  return found;
}

inline std::vector<Complex> image(const Matrix& a, const std::vector<Complex>& v) {
  std::vector<Complex> result(a.rows);
  reference::add_product(a, v.data(), result.data());
  return result;
}

/// a v = lambda v for the first vectors, which are orthonormal and in order.
inline void expect_eigenvectors(const Found& found, const Matrix& a, bool largest, double tolerance) {
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const double value = found.values[i].real();
    EXPECT_EQ(found.values[i].imag(), 0.0);
    EXPECT_TRUE(i == 0 || (largest ? value <= found.values[i - 1].real() : value >= found.values[i - 1].real())) << i;
    std::vector<Complex> residual = image(a, found.vectors[i]);
    for (std::size_t k = 0; k < residual.size(); ++k) residual[k] -= value * found.vectors[i][k];
    EXPECT_LE(std::sqrt(reference::dot(residual, residual).real()), tolerance * std::abs(value)) << i;
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_LT(std::abs(reference::dot(found.vectors[i], found.vectors[j]) - (i == j ? 1.0 : 0.0)), 10.0 * tolerance);
    }
  }
}

}  // namespace kaon::test
