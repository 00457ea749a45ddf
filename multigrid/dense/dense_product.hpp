// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lanes/algebra.hpp"

#include <cstddef>

namespace kaon::detail {

// out = A in with a dense matrix A of complex numbers, for right-hand sides in the storage of coarse fields: complex
// numbers 0, 1, 2, ... of each as [number / lanes][re, im][lanes], with the lanes of core/fields/element_order.hpp.
//
// 8 flops for each element and right-hand side; A comes from memory once for K right-hand sides, and sets the time. Two
// forms: one for hosts, one for GPUs, whose matrices have an order of their own.

/// Operands of both forms.
struct ProductOperands {
  const float* matrix;
  float* out;
  const float* in;
  std::size_t out_stride, in_stride;  ///< reals between right-hand sides
  int rows, columns;                  ///< of A: complex numbers of the output and of the input
  int right_hand_sides;               ///< K or fewer
  int lanes;                          ///< of the fields: 1 on GPUs

  /// Right-hand side k of the input; beyond the last, the last one once more.
  KOKKOS_FORCEINLINE_FUNCTION const float* input(int k) const {
    const int last = right_hand_sides - 1;
    return in + static_cast<std::size_t>(k < last ? k : last) * in_stride;
  }
  KOKKOS_FORCEINLINE_FUNCTION float* output(int k) const { return out + static_cast<std::size_t>(k) * out_stride; }
};

/// The product on hosts. A is stored as [row / W][column][re, im][W], rows padded with zeros: a team computes the W
/// numbers of a register, from one stream of memory and without sums over lanes.
template <int K>
struct RowPackProduct {
  using V = Pack<float>;
  static constexpr int width = lane_count<V>;
  static constexpr int max_team_size = 1;
  static constexpr unsigned min_teams = 1;
  static constexpr const char* label = "kaon::dense_product_of_packs";

  ProductOperands operands;

  /// Numbers of type float in a matrix.
  static std::size_t matrix_size(int rows, int columns) {
    return static_cast<std::size_t>(teams(rows)) * static_cast<std::size_t>(columns) * 2 * width;
  }
  static std::size_t offset(int columns, int row, int column, int part) {
    return ((static_cast<std::size_t>(row / width) * static_cast<std::size_t>(columns) +
             static_cast<std::size_t>(column)) *
                2 +
            static_cast<std::size_t>(part)) *
               width +
           static_cast<std::size_t>(row % width);
  }
  static int teams(int rows) { return (rows + width - 1) / width; }
  static constexpr int team_size = 1;

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int pack = team.league_rank(), columns = operands.columns, lanes = operands.lanes;
    const float* a = operands.matrix + offset(columns, pack * width, 0, 0);
    const float* x[K];
    for (int k = 0; k < K; ++k) x[k] = operands.input(k);
    Complex<V> sum[K];
    KAON_UNROLL
    for (int k = 0; k < K; ++k) sum[k] = {V(0.0F), V(0.0F)};
    for (int first = 0; first < columns; first += lanes) {
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
      alignas(V) float re[width], im[width];
      store_lanes<V>(re, sum[k].re);
      store_lanes<V>(im, sum[k].im);
      for (int row = pack * width; row < operands.rows && row < (pack + 1) * width; ++row) {
        float* y = operands.output(k) + 2 * (row / lanes * lanes) + row % lanes;
        y[0] = re[row - pack * width];
        y[lanes] = im[row - pack * width];
      }
    }
  }
};

/// The product on GPUs, whose fields have one lane. A is stored as [row][column][re, im], columns even, rows padded
/// with zeros: the threads of a team take columns in words of 16 bytes, side by side, and then sum over threads in an
/// order that the team's size fixes.
template <int K>
struct WordProduct {
  static constexpr int max_team_size = K < 4 ? 256 : 128;
  static constexpr unsigned min_teams = K == 1 ? 3 : 2;
  static constexpr const char* label = "kaon::dense_product_of_words";
  static constexpr int word_numbers = 16 / sizeof(Complex<float>);
  /// Rows of a team, which share each load of a right-hand side.
  static constexpr int rows = 4;

  struct alignas(16) Word {
    Complex<float> number[word_numbers];
  };

  ProductOperands operands;

  static int teams(int rows_of_matrix) { return (rows_of_matrix + rows - 1) / rows; }
  static constexpr int team_size = max_team_size;
  /// Numbers of type float in a matrix.
  static std::size_t matrix_size(int rows_of_matrix, int columns) {
    return static_cast<std::size_t>(teams(rows_of_matrix) * rows) * static_cast<std::size_t>(columns) * 2;
  }
  KOKKOS_INLINE_FUNCTION static std::size_t offset(int columns, int row, int column, int part) {
    return (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column)) * 2 +
           static_cast<std::size_t>(part);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int first_row = team.league_rank() * rows, words = operands.columns / word_numbers;
    const auto* a = reinterpret_cast<const Word*>(operands.matrix) +
                    static_cast<std::size_t>(first_row) * static_cast<std::size_t>(words);
    Complex<float> sum[rows * K];
    KAON_UNROLL
    for (int s = 0; s < rows * K; ++s) sum[s] = {0.0F, 0.0F};
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
    void* const memory = team_memory(team, team_bytes);
    KAON_UNROLL
    for (int first = 0; first < rows * K; first += at_once) store_sums(team, memory, sum + first, first_row, first);
  }

 private:
  /// Sums over threads that are computed at once, in 16 KiB, and the number of terms of each.
  static constexpr int most_sums = 8192 / (max_team_size * static_cast<int>(sizeof(float)));
  static constexpr int at_once = rows * K < most_sums ? rows * K : most_sums;
  static_assert(rows * K % at_once == 0);
  static constexpr int parts = 8;
  /// Numbers from one number of all threads to the next; 32 threads that add up find them in 32 banks.
  static constexpr int stride = max_team_size + parts;

 public:
  static constexpr int team_bytes =
      2 * at_once * (stride * static_cast<int>(sizeof(float)) + parts * static_cast<int>(sizeof(double)));

 private:
  /// Numbers first, first + 1, ... of the output's rows and right-hand sides. Through memory, since exchanges of
  /// registers (`sum_over_team`) double the time for 8 right-hand sides (H200, d = 1024: 6 us, and 13 us).
  KOKKOS_FORCEINLINE_FUNCTION void store_sums(const Team& team, void* memory, const Complex<float>* sum, int first_row,
                                              int first) const {
    constexpr int numbers = 2 * at_once;
    auto* of_parts = static_cast<double*>(memory);                            // [number][part]
    auto* of_threads = reinterpret_cast<float*>(of_parts + numbers * parts);  // [number][thread]
    const int rank = team.team_rank(), size = team.team_size();
    KAON_UNROLL
    for (int s = 0; s < at_once; ++s) {
      of_threads[2 * s * stride + rank] = sum[s].re;
      of_threads[(2 * s + 1) * stride + rank] = sum[s].im;
    }
    team.team_barrier();
    for (int item = rank; item < numbers * parts; item += size) {
      double of_part = 0.0;
      for (int thread = item % parts; thread < size; thread += parts) {
        of_part += static_cast<double>(of_threads[item / parts * stride + thread]);
      }
      of_parts[item] = of_part;
    }
    team.team_barrier();
    for (int n = rank; n < numbers; n += size) {
      double total = 0.0;
      for (int part = 0; part < parts; ++part) total += of_parts[n * parts + part];
      const int row = first_row + (first + n / 2) / K, k = (first + n / 2) % K;
      if (row < operands.rows && k < operands.right_hand_sides) {
        operands.output(k)[2 * row + n % 2] = static_cast<float>(total);
      }
    }
  }
};

}  // namespace kaon::detail
