// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/adapters/forecast.hpp"

#include <kaon/core/blas.hpp>

#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

/// Directions that are smaller than this after the projection on the others contain only rounding errors.
constexpr double smallest_share = 1e-24;

}  // namespace

void forecast(SpinorField<double>& x, const SpinorField<double>& b, std::span<const SpinorField<double>> earlier,
              ForecastNorm norm,
              const std::function<void(SpinorField<double>& out, const SpinorField<double>& in)>& apply) {
  const bool of_error = norm == ForecastNorm::error;
  blas::set_zero(x);
  // Directions p with images q = A p, orthogonalized consecutively: <t_i, q_j> = 0, t = q or p.
  std::vector<SpinorField<double>> p, q;
  blas::Reals squares;
  for (const SpinorField<double>& solution : earlier) {
    SpinorField<double> direction(x.lattice(), x.parameters()), image(x.lattice(), x.parameters());
    blas::copy(direction, solution);
    apply(image, direction);
    const auto square = [&] {
      return of_error ? blas::inner_product(direction, image)[0].real() : blas::norm2(image)[0];
    };
    const double before = square();
    for (std::size_t j = 0; j < p.size(); ++j) {
      const blas::Complexes part = blas::inner_product(of_error ? p[j] : q[j], image);
      const blas::Complexes factor{-part[0] / squares[j]};
      blas::caxpy(direction, p[j], factor);
      blas::caxpy(image, q[j], factor);
    }
    const double left = square();
    if (!(left > smallest_share * before)) continue;
    const blas::Complexes of_source = blas::inner_product(of_error ? direction : image, b);
    blas::caxpy(x, direction, blas::Complexes{of_source[0] / left});
    squares.push_back(left);
    p.push_back(std::move(direction));
    q.push_back(std::move(image));
  }
}

}  // namespace kaon::detail
