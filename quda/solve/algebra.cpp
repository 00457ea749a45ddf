// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/dense/dense_matrix.hpp"
#include "quda/client/call.hpp"
#include "quda/client/enums.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstring>

// Products and inverses of many small matrices of a client's, on the host.

namespace kaon::quda {
namespace {

constexpr Known<QudaBLASDataOrder, bool> row_orders[] = {
    KAON_KNOWN(QUDA_BLAS_DATAORDER_ROW, true),
    KAON_KNOWN(QUDA_BLAS_DATAORDER_COL, false),
};

enum class Form { plain, transposed, adjoint };
constexpr Known<QudaBLASOperation, Form> forms[] = {
    KAON_KNOWN(QUDA_BLAS_OP_N, Form::plain),
    KAON_KNOWN(QUDA_BLAS_OP_T, Form::transposed),
    KAON_KNOWN(QUDA_BLAS_OP_C, Form::adjoint),
};

template <class T>
constexpr bool is_complex = !std::is_floating_point_v<T>;

template <class T>
T number_of(const double _Complex& given) {
  double parts[2];
  std::memcpy(parts, &given, sizeof(parts));
  if constexpr (is_complex<T>) {
    return T(static_cast<typename T::value_type>(parts[0]), static_cast<typename T::value_type>(parts[1]));
  } else {
    return static_cast<T>(parts[0]);
  }
}

/// op(A) of a matrix in a client's array.
template <class T>
struct Matrix {
  const T* first;
  int leading;
  bool over_rows;  ///< elements of a row of op(A) are adjacent
  bool conjugated;

  T operator()(int row, int column) const {
    const T value = over_rows ? first[static_cast<std::ptrdiff_t>(row) * leading + column]
                              : first[static_cast<std::ptrdiff_t>(column) * leading + row];
    if constexpr (is_complex<T>) return conjugated ? std::conj(value) : value;
    return value;
  }
};

/// Elements from one matrix of a batch to the next, in units of matrices: QUDA counts 0 as 1.
std::ptrdiff_t step_of(int stride, std::ptrdiff_t elements) { return std::max(stride, 1) * elements; }

/// C = alpha op(A) op(B) + beta C of each matrix of a batch.
template <class T>
void multiply_all(const void* a, const void* b, void* c, const QudaBLASParam& given) {
  const bool by_rows = meaning_of(row_orders, given.data_order, "data_order");
  const Form a_form = meaning_of(forms, given.trans_a, "trans_a"), b_form = meaning_of(forms, given.trans_b, "trans_b");
  const auto size = [&](bool plain, int leading, int rows, int columns) {
    const bool over_rows = plain == by_rows;
    require(leading >= (over_rows ? columns : rows), [&] {
      return fmt::format("a leading dimension of {} is below the {} of the matrix", leading,
                         over_rows ? columns : rows);
    });
    return static_cast<std::ptrdiff_t>(leading) * (over_rows ? rows : columns);
  };
  const std::ptrdiff_t a_size = size(a_form == Form::plain, given.lda, given.m, given.k);
  const std::ptrdiff_t b_size = size(b_form == Form::plain, given.ldb, given.k, given.n);
  const std::ptrdiff_t c_size = size(true, given.ldc, given.m, given.n);
  const T alpha = number_of<T>(given.alpha), beta = number_of<T>(given.beta);
  // QUDA takes a batch_count of matrices that lie `stride` matrices apart, and skips others in between.
  const int skip = std::max({given.a_stride, given.b_stride, given.c_stride, 1});
  for (int batch = 0; batch < given.batch_count; batch += skip) {
    const int number = batch / skip;
    const auto factor = [&](const void* array, std::ptrdiff_t offset, int leading, Form form) {
      return Matrix<T>{static_cast<const T*>(array) + offset, leading, (form == Form::plain) == by_rows,
                       form == Form::adjoint};
    };
    const Matrix<T> left = factor(a, given.a_offset + number * step_of(given.a_stride, a_size), given.lda, a_form);
    const Matrix<T> right = factor(b, given.b_offset + number * step_of(given.b_stride, b_size), given.ldb, b_form);
    T* const result = static_cast<T*>(c) + given.c_offset + number * step_of(given.c_stride, c_size);
    for (int row = 0; row < given.m; ++row) {
      for (int column = 0; column < given.n; ++column) {
        T sum{};
        for (int k = 0; k < given.k; ++k) sum += left(row, k) * right(k, column);
        T& place = result[by_rows ? static_cast<std::ptrdiff_t>(row) * given.ldc + column
                                  : static_cast<std::ptrdiff_t>(column) * given.ldc + row];
        place = beta == T{} ? alpha * sum : alpha * sum + beta * place;
      }
    }
  }
}

/// Throws `Error` for a singular matrix.
template <class T>
void invert_all(void* inverses, const void* matrices, const QudaBLASParam& given) {
  const int n = given.inv_mat_size;
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(n) * n;
  for (int number = 0; number < given.batch_count; ++number) {
    const T* const matrix = static_cast<const T*>(matrices) + number * size;
    detail::DenseMatrix dense(n);
    for (std::ptrdiff_t k = 0; k < size; ++k) {
      const std::complex<double> element = matrix[k];
      dense.columns().set(static_cast<int>(k / n), static_cast<int>(k % n), {element.real(), element.imag()});
    }
    require(dense.invert(), [&] { return fmt::format("matrix {} is singular or not finite", number); });
    for (std::ptrdiff_t k = 0; k < size; ++k) {
      const auto element = dense.inverse().get(static_cast<int>(k / n), static_cast<int>(k % n));
      static_cast<T*>(inverses)[number * size + k] = T(std::complex<double>(element.re, element.im));
    }
  }
}

constexpr Known<QudaBLASDataType, void (*)(const void*, const void*, void*, const QudaBLASParam&)> products[] = {
    KAON_KNOWN(QUDA_BLAS_DATATYPE_S, multiply_all<float>),
    KAON_KNOWN(QUDA_BLAS_DATATYPE_D, multiply_all<double>),
    KAON_KNOWN(QUDA_BLAS_DATATYPE_C, multiply_all<std::complex<float>>),
    KAON_KNOWN(QUDA_BLAS_DATATYPE_Z, multiply_all<std::complex<double>>),
};

/// QUDA inverts no real matrices.
constexpr Known<QudaBLASDataType, void (*)(void*, const void*, const QudaBLASParam&)> inversions[] = {
    KAON_KNOWN(QUDA_BLAS_DATATYPE_C, invert_all<std::complex<float>>),
    KAON_KNOWN(QUDA_BLAS_DATATYPE_Z, invert_all<std::complex<double>>),
};

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void blasGEMMQuda(void* arrayA, void* arrayB, void* arrayC, QudaBoolean, QudaBLASParam* param) {
  call(__func__, param, [&](const QudaBLASParam& given) {
    require_same_size(given, "QudaBLASParam");
    require(arrayA != nullptr && arrayB != nullptr && arrayC != nullptr, "a pointer to matrices is NULL");
    require(given.m > 0 && given.n > 0 && given.k > 0 && given.batch_count > 0, [&] {
      return fmt::format("m = {}, n = {}, k = {} and batch_count = {} must be positive", given.m, given.n, given.k,
                         given.batch_count);
    });
    require(
        std::min({given.a_offset, given.b_offset, given.c_offset, given.a_stride, given.b_stride, given.c_stride}) >= 0,
        "offsets and strides of matrices must not be negative");
    meaning_of(products, given.data_type, "data_type")(arrayA, arrayB, arrayC, given);
  });
}

void blasLUInvQuda(void* Ainv, void* A, QudaBoolean, QudaBLASParam* param) {
  call(__func__, param, [&](const QudaBLASParam& given) {
    require_same_size(given, "QudaBLASParam");
    state().require_running();
    require(Ainv != nullptr && A != nullptr, "a pointer to matrices is NULL");
    require(given.inv_mat_size > 0 && given.batch_count > 0, [&] {
      return fmt::format("inv_mat_size = {} and batch_count = {} must be positive", given.inv_mat_size,
                         given.batch_count);
    });
    meaning_of(inversions, given.data_type, "data_type")(Ainv, A, given);
  });
}
}
