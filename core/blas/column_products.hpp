// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/small_matrix.hpp"
#include "core/reductions/pending_sums.hpp"

#include <kaon/core/spinor_field.hpp>

#include <utility>

namespace kaon::detail {

// Operations of block methods: the right-hand sides of a field are the columns of a tall matrix, a factor of products
// with small ones. Each vector is read once for all columns. Fields of one call are different ones and have one shape,
// except for the number of their columns, `most_columns` at most. They throw `Error` for others.

/// Columns of a block at most: kernels hold some rows of three blocks in the memory of a team.
inline constexpr int most_columns = 16;

/// A Gram matrix whose sums over sites and processes are being made: one sum over processes for all of it. All
/// processes have the same bits.
class PendingGram {
 public:
  PendingGram(PendingSums sums, int rows, int columns, bool hermitian)
      : sums_(std::move(sums)),
        rows_(static_cast<std::size_t>(rows)),
        columns_(static_cast<std::size_t>(columns)),
        hermitian_(hermitian) {}
  /// Waits for the sums at the first call, which is collective.
  SmallMatrix wait() {
    const double* const numbers = sums_.wait().data();  // [column][row][re, im]
    SmallMatrix gram(rows_, columns_);
    for (std::size_t j = 0; j < columns_; ++j) {
      for (std::size_t i = 0; i < (hermitian_ ? j + 1 : rows_); ++i) {
        const double* const number = numbers + 2 * (j * rows_ + i);
        gram(i, j) = {number[0], hermitian_ && i == j ? 0.0 : number[1]};
        if (hermitian_) gram(j, i) = std::conj(gram(i, j));
      }
    }
    return gram;
  }

 private:
  PendingSums sums_;
  std::size_t rows_, columns_;
  bool hermitian_;
};

/// Which elements of a small matrix are not zero.
enum class Triangle { none, upper, lower };

/// A small matrix as a factor of a kernel.
struct Factor {
  const SmallMatrix& matrix;
  Triangle triangle = Triangle::none;
};

/// u^dag v: 8 n m flops a number, or half of that if the matrix is Hermitian and one half is computed (n + m, 0)
template <class T>
PendingGram gram(const SpinorField<T>& u, const SpinorField<T>& v, bool hermitian);
/// u^dag u
template <class T>
PendingGram gram(const SpinorField<T>& u) {
  return gram(u, u, true);
}

/// w = w a + z b; w^dag w of the new w: 8 n (2 m + n / 2) flops a number. w has as many columns as a has rows or
/// columns, whichever are more, and only the first ones are read and written (n + m, n)
template <class T>
PendingGram update_columns(SpinorField<T>& w, const Factor& a, const SpinorField<T>& z, const Factor& b);
/// w = w a; w^dag w of the new w (n, n)
template <class T>
PendingGram update_columns(SpinorField<T>& w, const Factor& a);

/// x = x + d p, d = w a + d b, with the old d in both (3 n, 2 n); see `update_columns` for columns of d
template <class T>
void step_columns(SpinorField<T>& x, const SmallMatrix& p, SpinorField<T>& d, const SpinorField<T>& w, const Factor& a,
                  const Factor& b);
/// x = x + d p (2 n, n)
template <class T>
void add_columns(SpinorField<T>& x, const SpinorField<T>& d, const SmallMatrix& p);
/// d = w a + d b (2 n, n)
template <class T>
void turn_columns(SpinorField<T>& d, const SpinorField<T>& w, const Factor& a, const Factor& b);

}  // namespace kaon::detail
