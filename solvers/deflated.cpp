// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/blas/solver_blas.hpp"
#include "solvers/refinement.hpp"

#include <kaon/solvers/deflated.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace kaon {
namespace {

/// <v, A v> of each vector. Throws `Error` for vectors that are no eigenvectors of A.
template <class T>
std::vector<double> eigenvalues_of(const LinearOperator<T>& matrix, const std::vector<SpinorField<T>>& vectors) {
  constexpr double largest_residual = 0.1;
  std::vector<double> values;
  SpinorField<T> image = matrix.make_field(1);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    require(vectors[i].parameters() == image.parameters() && vectors[i].lattice() == image.lattice(), [&] {
      return fmt::format("eigenvector {} is a field of another lattice, other sites or other spins than the operator's",
                         i);
    });
    matrix.apply(image, vectors[i]);
    const double norm2 = blas::norm2(vectors[i])[0];
    const double value = blas::inner_product(vectors[i], image)[0].real();
    blas::axpy(image, vectors[i], blas::Reals{-value});
    const double residual = std::sqrt(blas::norm2(image)[0]);
    require(value > 0.0 && std::abs(norm2 - 1.0) < 1e-3 && residual <= largest_residual * value, [&] {
      return fmt::format(
          "vector {} does not suit the deflation of this operator A: |v| = {:.6g}, lambda = <v, A v> = {:.6g}, |A v - "
          "lambda v| = {:.3g}, which must be at most {} lambda. Find the eigenvectors of this operator, to a smaller "
          "tolerance",
          i, std::sqrt(norm2), value, residual, largest_residual);
    });
    values.push_back(value);
  }
  return values;
}

}  // namespace

template <class T>
Deflated<T>::Deflated(Ref<Solver<T>> solver, std::shared_ptr<const Eigenvectors<T>> eigenvectors,
                      const DeflatedParameters& parameters)
    : solver_(std::move(solver)), eigenvectors_(std::move(eigenvectors)), parameters_(parameters) {
  require(eigenvectors_ != nullptr && !eigenvectors_->vectors.empty(), "a deflation needs eigenvectors");
  require(parameters.stage > 0.0 && parameters.stage < 1.0, [&] {
    return fmt::format("the fall of the residual between corrections must lie between 0 and 1, got {}",
                       parameters.stage);
  });
  values_ = eigenvalues_of(solver_->solved_operator(), eigenvectors_->vectors);
}

template <class T>
void Deflated<T>::correct(SpinorField<T>& x, const SpinorField<T>& r) const {
  for (std::size_t k = 0; k < static_cast<std::size_t>(x.right_hand_sides()); ++k) {
    SpinorField<T> x_k = x.right_hand_side(k);
    std::vector<blas::Complexes> parts =
        blas::block_inner_product<T>(eigenvectors_->vectors, r.right_hand_side(k)).products;
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i][0] /= values_[i];
    blas::block_caxpy<T>(x_k, eigenvectors_->vectors, parts);
  }
}

template <class T>
SolveResult Deflated<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  const Kokkos::Timer timer;
  const LinearOperator<T>& matrix = solved_operator();
  const int right_hand_sides = b.right_hand_sides();
  const detail::Targets targets = detail::make_targets(x, b, tolerance(), request);
  const std::vector<double>& wanted = targets.residual_norm;
  detail::Refinement refinement(targets, request, {.most_solves = std::numeric_limits<int>::max()});
  SpinorField<T> r = matrix.make_field(right_hand_sides);
  const double reals = 2.0 * static_cast<double>(r.parameters().components_of_all_slices()) *
                       static_cast<double>(r.lattice().volume()) * r.parities() / 2.0;

  const auto solve_stage = [&](SolveRequest& stage) {
    matrix.apply(r, x);
    const blas::Reals norm = detail::norms(blas::xmy_norm2(r, b));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!stage.active[k] || !(norm[k] > wanted[k])) {  // corrected by nothing
        SpinorField<T> r_k = r.right_hand_side(k);
        blas::set_zero(r_k);
      }
      if (stage.active[k]) stage.residual_norms[k] = std::max(wanted[k], parameters_.stage * norm[k]);
    }
    correct(x, r);
    SolveResult solved = solver_->solve(x, b, stage);
    // A multiplication and an addition of complex numbers are 8 flops, 4 for each real.
    solved.flops += right_hand_sides * (flops_of(matrix) + 8.0 * reals * static_cast<double>(values_.size()));
    return solved;
  };
  const auto goes_on = [&] {
    const SolveResult& solved = refinement.result();
    blas::Reals norm = targets.source_norm;
    for (std::size_t k = 0; k < norm.size(); ++k) {
      norm[k] *= solved.right_hand_sides[k].true_residual;
      const bool reached = solved.right_hand_sides[k].status == SolveStatus::converged;
      if (reached && refinement.request().residual_norms[k] <= wanted[k]) norm[k] = std::min(norm[k], wanted[k]);
    }
    return refinement.goes_on(norm);
  };
  refinement.run(solve_stage, goes_on);
  SolveResult& total = refinement.result();
  matrix.lattice().execution().fence("kaon::Deflated");
  total.seconds = timer.seconds();
  return std::move(total);
}

template class Deflated<double>;
template class Deflated<float>;

}  // namespace kaon
