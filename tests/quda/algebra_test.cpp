// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <cstring>

// Products and inverses of small matrices, against sums written out.
namespace kaon::test {
namespace KAON_TEST_FILE {

std::vector<Complex> numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 generator(seed);
  return reference::random_vector(count, generator);
}

void set(double _Complex& to, const Complex& value) { std::memcpy(&to, &value, sizeof(value)); }

TEST(QudaAlgebra, MultipliesMatricesOfEveryForm) {
  constexpr int m = 3, n = 4, k = 5, batch = 2;
  const Complex alpha{0.7, -0.2}, beta{-0.3, 1.1};
  for (const QudaBLASDataOrder order : {QUDA_BLAS_DATAORDER_ROW, QUDA_BLAS_DATAORDER_COL}) {
    for (const QudaBLASOperation a_form : {QUDA_BLAS_OP_N, QUDA_BLAS_OP_T, QUDA_BLAS_OP_C}) {
      for (const QudaBLASOperation b_form : {QUDA_BLAS_OP_N, QUDA_BLAS_OP_T, QUDA_BLAS_OP_C}) {
        SCOPED_TRACE(testing::Message() << order << " " << a_form << " " << b_form);
        const bool rows = order == QUDA_BLAS_DATAORDER_ROW, a_plain = a_form == QUDA_BLAS_OP_N,
                   b_plain = b_form == QUDA_BLAS_OP_N;
        // Each matrix has one more element in a leading line than it needs.
        QudaBLASParam param = newQudaBLASParam();
        param.blas_type = QUDA_BLAS_GEMM;
        param.trans_a = a_form;
        param.trans_b = b_form;
        param.m = m;
        param.n = n;
        param.k = k;
        param.lda = 1 + (rows == a_plain ? k : m);
        param.ldb = 1 + (rows == b_plain ? n : k);
        param.ldc = 1 + (rows ? n : m);
        param.a_offset = 1;
        param.b_offset = 2;
        param.c_offset = 3;
        param.batch_count = batch;
        param.data_type = QUDA_BLAS_DATATYPE_Z;
        param.data_order = order;
        set(param.alpha, alpha);
        set(param.beta, beta);
        const int a_size = param.lda * (rows == a_plain ? m : k), b_size = param.ldb * (rows == b_plain ? k : n),
                  c_size = param.ldc * (rows ? m : n);
        std::vector<Complex> a = numbers(static_cast<std::size_t>(batch * a_size + 1), 1),
                             b = numbers(static_cast<std::size_t>(batch * b_size + 2), 2),
                             c = numbers(static_cast<std::size_t>(batch * c_size + 3), 3), expected = c;
        const auto at = [&](int leading, int row, int column) {
          return rows ? row * leading + column : column * leading + row;
        };
        const auto element = [&](const std::vector<Complex>& from, int first, int leading, QudaBLASOperation form,
                                 int row, int column) {
          const int place = first + (form == QUDA_BLAS_OP_N ? at(leading, row, column) : at(leading, column, row));
          const Complex value = from[static_cast<std::size_t>(place)];
          return form == QUDA_BLAS_OP_C ? std::conj(value) : value;
        };
        for (int number = 0; number < batch; ++number) {
          for (int row = 0; row < m; ++row) {
            for (int column = 0; column < n; ++column) {
              Complex sum;
              for (int i = 0; i < k; ++i) {
                sum += element(a, 1 + number * a_size, param.lda, a_form, row, i) *
                       element(b, 2 + number * b_size, param.ldb, b_form, i, column);
              }
              Complex& place = expected[static_cast<std::size_t>(3 + number * c_size + at(param.ldc, row, column))];
              place = alpha * sum + beta * place;
            }
          }
        }
        blasGEMMQuda(a.data(), b.data(), c.data(), QUDA_BOOLEAN_TRUE, &param);
        EXPECT_LT(reference::relative_difference(c, expected), 1e-14);
      }
    }
  }
}

TEST(QudaAlgebra, InvertsMatrices) {
  constexpr int n = 12, batch = 3;
  std::vector<Complex> a = numbers(batch * n * n, 4), inverse(a.size());
  QudaBLASParam param = newQudaBLASParam();
  param.blas_type = QUDA_BLAS_LU_INV;
  param.inv_mat_size = n;
  param.batch_count = batch;
  param.data_type = QUDA_BLAS_DATATYPE_Z;
  param.data_order = QUDA_BLAS_DATAORDER_ROW;
  blasLUInvQuda(inverse.data(), a.data(), QUDA_BOOLEAN_TRUE, &param);
  for (std::size_t number = 0; number < batch; ++number) {
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        Complex sum;
        for (std::size_t i = 0; i < n; ++i)
          sum += a[(number * n + row) * n + i] * inverse[(number * n + i) * n + column];
        EXPECT_LT(std::abs(sum - (row == column ? 1.0 : 0.0)), 1e-11);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
