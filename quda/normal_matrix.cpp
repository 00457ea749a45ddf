// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/normal_matrix.hpp"

#include <kaon/operators/even_odd_system.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>

#include <memory>

namespace kaon::quda {

template <class T>
Ref<LinearOperator<T>> normal_matrix(const Ref<EvenOddOperator<T>>& full, const MatrixDescription& matrix) {
  const bool staggered = matrix.of.is_staggered();
  if (staggered && matrix.one_parity) {
    struct Kept {
      Ref<EvenOddOperator<T>> full;
      std::unique_ptr<EvenOddSystem<T>> system;
    };
    const auto kept = std::make_shared<Kept>(Kept{full, full->normal_system(matrix.parity)});
    return std::shared_ptr<EvenOddSystem<T>>(kept, kept->system.get());
  }
  // N of staggered quarks is kaon's M^dag.
  const NormalForm form = matrix.dagger != staggered ? NormalForm::error : NormalForm::residual;
  if (!matrix.one_parity) return NormalOperator<T>(Ref<LinearOperator<T>>(full), form);
  return NormalOperator<T>(Schur<T>(full, {.form = matrix.form, .parity = matrix.parity}), form);
}

double scale_of(const MatrixDescription& matrix, const Operator& of) {
  if (matrix.of.is_staggered()) return 1.0;
  return matrix.one_parity && matrix.form == SchurForm::symmetric ? 1.0 : of.scale();
}

template Ref<LinearOperator<double>> normal_matrix(const Ref<EvenOddOperator<double>>&, const MatrixDescription&);
template Ref<LinearOperator<float>> normal_matrix(const Ref<EvenOddOperator<float>>&, const MatrixDescription&);
template Ref<LinearOperator<half>> normal_matrix(const Ref<EvenOddOperator<half>>&, const MatrixDescription&);

}  // namespace kaon::quda
