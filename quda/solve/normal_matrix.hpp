// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/domain_wall/slice_matrix.hpp"
#include "quda/solve/operator.hpp"

#include <kaon/core/ref.hpp>
#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::quda {

/// The domain wall operator `full` with this mass of both chiralities, `full` itself if it has this mass; none of
/// others.
template <class T>
std::optional<Ref<DomainWall<T>>> walls_with_mass(const Ref<EvenOddOperator<T>>& full, double mass);

/// Lambda of `Operator`, or its inverse, of domain wall quarks with b and c by slice.
template <class T>
detail::SliceMatrix<T> row_factors(const OperatorDescription& of, bool inverse);

/// F/s of a matrix by kaon's operator `full`, where F is QUDA's N or its Schur complement: M or the Schur complement of
/// M, and M B, S B or B^-1 S B (symmetric) of domain wall quarks, the first two with Lambda where b and c are by slice.
/// For staggered operators on all sites it is the adjoint of this matrix.
template <class T>
Ref<LinearOperator<T>> factor_matrix(const Ref<EvenOddOperator<T>>& full, const MatrixDescription& matrix);

/// Q/s^2 of a matrix by kaon's operator `full` in one precision, where Q = F^dag F is QUDA's normal matrix of F. For
/// staggered operators on one parity it is 4 m^2 - D D.
template <class T>
Ref<LinearOperator<T>> normal_matrix(const Ref<EvenOddOperator<T>>& full, const MatrixDescription& matrix);

/// s
double scale_of(const MatrixDescription& matrix, const Operator& of);

extern template std::optional<Ref<DomainWall<double>>> walls_with_mass(const Ref<EvenOddOperator<double>>&, double);
extern template detail::SliceMatrix<double> row_factors(const OperatorDescription&, bool);
extern template Ref<LinearOperator<double>> factor_matrix(const Ref<EvenOddOperator<double>>&,
                                                          const MatrixDescription&);
extern template Ref<LinearOperator<double>> normal_matrix(const Ref<EvenOddOperator<double>>&,
                                                          const MatrixDescription&);
extern template Ref<LinearOperator<float>> normal_matrix(const Ref<EvenOddOperator<float>>&, const MatrixDescription&);
extern template Ref<LinearOperator<half>> normal_matrix(const Ref<EvenOddOperator<half>>&, const MatrixDescription&);

}  // namespace kaon::quda
