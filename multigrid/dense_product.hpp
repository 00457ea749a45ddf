// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lanes/algebra.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace kaon::detail {

// out = A in with a dense matrix A of d x d complex numbers, for right-hand sides in the storage of coarse fields:
// complex numbers 0 .. d-1 of each as [number / lanes][re, im][lanes], with the lanes of core/fields/element_order.hpp.
//
// 8 d^2 flops a right-hand side; A comes from memory once for K right-hand sides, and sets the time. Two forms: one for
// hosts, one for GPUs, whose matrices have an order of their own.

/// What both forms read and write.
template <class T>
struct ProductOperands {
  const T* matrix;
  T* out;
  const T* in;
  std::size_t out_stride, in_stride;  ///< reals between right-hand sides
  int dimension;                      ///< d
  int right_hand_sides;               ///< K or fewer
  int lanes;                          ///< of the fields: 1 on GPUs

  /// Right-hand side k of the input; beyond the last, the last one once more.
  KOKKOS_FORCEINLINE_FUNCTION const T* input(int k) const {
    const int last = right_hand_sides - 1;
    return in + static_cast<std::size_t>(k < last ? k : last) * in_stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION T* output(int k) const { return out + static_cast<std::size_t>(k) * out_stride; }
};

/// Of hosts. A is stored as [row / W][column][re, im][W], rows filled up with zeros: a team makes the W numbers of a
/// register, from one stream of memory and without sums over lanes.
template <class T, int K>
struct RowPackProduct {
  using V = Pack<T>;
  static constexpr int width = lane_count<V>;
  static constexpr int max_team_size = 1;
  static constexpr unsigned min_teams = 1;
  static constexpr const char* label = "kaon::dense_product_of_packs";

  ProductOperands<T> operands;

  /// Numbers of T in a matrix.
  static std::size_t matrix_size(int dimension) {
    return static_cast<std::size_t>(teams(dimension)) * static_cast<std::size_t>(dimension) * 2 * width;
  }
  static std::size_t offset(int dimension, int row, int column, int part) {
    return ((static_cast<std::size_t>(row / width) * static_cast<std::size_t>(dimension) +
             static_cast<std::size_t>(column)) *
                2 +
            static_cast<std::size_t>(part)) *
               width +
           static_cast<std::size_t>(row % width);
  }
  static int teams(int dimension) { return (dimension + width - 1) / width; }
  static constexpr int team_size = 1;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int pack = team.league_rank(), d = operands.dimension, lanes = operands.lanes;
    const T* a = operands.matrix + offset(d, pack * width, 0, 0);
    const T* x[K];
    for (int k = 0; k < K; ++k) x[k] = operands.input(k);
    Complex<V> sum[K];
    KAON_UNROLL
    for (int k = 0; k < K; ++k) sum[k] = {V(T(0)), V(T(0))};
    for (int first = 0; first < d; first += lanes) {
      for (int lane = 0; lane < lanes; ++lane, a += 2 * width) {
        const Complex<V> element{load_lanes<V>(a), load_lanes<V>(a + width)};
        KAON_UNROLL
        for (int k = 0; k < K; ++k) {
          multiply_add(sum[k], element, {V(x[k][2 * first + lane]), V(x[k][2 * first + lanes + lane])});
        }
      }
    }
    KAON_UNROLL
    for (int k = 0; k < K; ++k) {
      if (k >= operands.right_hand_sides) break;
      alignas(V) T re[width], im[width];
      store_lanes<V>(re, sum[k].re);
      store_lanes<V>(im, sum[k].im);
      for (int row = pack * width; row < d && row < (pack + 1) * width; ++row) {
        T* y = operands.output(k) + 2 * (row / lanes * lanes) + row % lanes;
        y[0] = re[row - pack * width];
        y[lanes] = im[row - pack * width];
      }
    }
  }
};

/// Of GPUs, where fields have one lane. A is stored as [row][column][re, im], d even, rows filled up with zeros: the
/// threads of a team take columns in words of 16 bytes, side by side, and then sum over threads in an order that the
/// team's size fixes.
template <class T, int K>
struct WordProduct {
  static constexpr int max_team_size = K < 4 ? 256 : 128;
  static constexpr unsigned min_teams = K == 1 ? 3 : 2;
  static constexpr const char* label = "kaon::dense_product_of_words";
  static constexpr int word_numbers = 16 / sizeof(Complex<T>);
  /// Rows of a team: as many as registers hold sums of. They share each load of a right-hand side.
  static constexpr int rows = K < 4 || sizeof(T) == 8 ? 4 : 8;

  struct alignas(16) Word {
    Complex<T> number[word_numbers];
  };

  ProductOperands<T> operands;

  static int teams(int dimension) { return (dimension + rows - 1) / rows; }
  static constexpr int team_size = max_team_size;
  /// For any K.
  static std::size_t matrix_size(int dimension) {
    constexpr int most_rows = 8;
    return static_cast<std::size_t>((dimension + most_rows - 1) / most_rows * most_rows) *
           static_cast<std::size_t>(dimension) * 2;
  }
  static std::size_t offset(int dimension, int row, int column, int part) {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(column)) *
               2 +
           static_cast<std::size_t>(part);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int first_row = team.league_rank() * rows, words = operands.dimension / word_numbers;
    const auto* a = reinterpret_cast<const Word*>(operands.matrix) +
                    static_cast<std::size_t>(first_row) * static_cast<std::size_t>(words);
    Complex<T> sum[rows * K];
    KAON_UNROLL
    for (int s = 0; s < rows * K; ++s) sum[s] = {T(0), T(0)};
    for (int word = team.team_rank(); word < words; word += team.team_size()) {
      Word element[rows];
      KAON_UNROLL
      for (int row = 0; row < rows; ++row) {
        element[row] =
            a[static_cast<std::size_t>(row) * static_cast<std::size_t>(words) + static_cast<std::size_t>(word)];
      }
      KAON_UNROLL
      for (int k = 0; k < K; ++k) {
        const Word x = reinterpret_cast<const Word*>(operands.input(k))[word];
        KAON_UNROLL
        for (int row = 0; row < rows; ++row) {
          KAON_UNROLL
          for (int n = 0; n < word_numbers; ++n) multiply_add(sum[row * K + k], element[row].number[n], x.number[n]);
        }
      }
    }
    // A warp sums up to 32 numbers at once.
    constexpr int at_once = rows * K < 16 ? rows * K : 16;
    KAON_UNROLL
    for (int first = 0; first < rows * K; first += at_once) {
      double mine[2 * at_once];
      KAON_UNROLL
      for (int s = 0; s < at_once; ++s) {
        mine[2 * s] = static_cast<double>(sum[first + s].re);
        mine[2 * s + 1] = static_cast<double>(sum[first + s].im);
      }
      TeamSums<2 * at_once> total = sum_over_team(team, mine);
      for (int n = team.team_rank(); n < 2 * at_once; n += team.team_size()) {
        const int row = first_row + (first + n / 2) / K, k = (first + n / 2) % K;
        if (row < operands.dimension && k < operands.right_hand_sides) {
          operands.output(k)[2 * row + n % 2] = static_cast<T>(total[n]);
        }
      }
    }
  }
};

}  // namespace kaon::detail
