// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lattice/geometry.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

namespace kaon::detail {

/// Base of the kernels in which teams copy the inputs of sites to their memory.
template <class Sum>
struct CoarseTeamSum {
  using L = typename Sum::Stored;
  using Number = Complex<float>;
  static constexpr bool computes_inputs = Sum::InputsOf::computed;

  Sum sum;
  Divisor by_components, by_terms;  // `by_terms`: the number of terms that are copied at a time

  /// inputs: [site][term][component][right-hand side], terms from `first_term` on. Threads compute inputs of
  /// `together` right-hand sides at once.
  template <int taken, int together>
  KOKKOS_FORCEINLINE_FUNCTION void bring_inputs(const Team& team, Number* inputs, int first, int sites, int first_rhs,
                                                int first_term) const {
    if constexpr (computes_inputs) {
      compute_inputs<taken, together>(team, inputs, first, sites, first_rhs);
    } else {
      copy_inputs<taken>(team, inputs, first, sites, first_rhs, first_term);
    }
  }

  /// out = scale `total` + x_scale x
  KOKKOS_FORCEINLINE_FUNCTION void store(const Number& total, int site, int row, int rhs) const {
    const auto number = static_cast<std::size_t>(rhs);
    const std::size_t offset = static_cast<std::size_t>(site) * static_cast<std::size_t>(2 * sum.components) +
                               static_cast<std::size_t>(sum.position(row));
    Number value = sum.scale * total;
    if (sum.x != nullptr) value += sum.x_scale * sum.load_pair(sum.x + number * sum.x_stride + offset);
    float* to = sum.out + number * sum.out_stride + offset;
    to[0] = value.re;
    to[sum.re_to_im()] = value.im;
  }

 private:
  template <int taken>
  KOKKOS_FORCEINLINE_FUNCTION void copy_inputs(const Team& team, Number* inputs, int first, int sites, int first_rhs,
                                               int first_term) const {
    if (sum.terms == 0) return;  // `by_terms` divides by one then
    // A row of threads copies the components of one input, so that its address is computed once.
    constexpr int most_width = on_device ? 32 : 1;
    const int width = team.team_size() < most_width ? team.team_size() : most_width, rows = team.team_size() / width;
    const int row = team.team_rank() / width;
    if (row == rows) return;  // idle threads
    const int terms = by_terms.divisor();
    for (int item = row; item < sites * terms * taken; item += rows) {
      int term;
      const int rest = by_terms.divide(item / taken, term), k = item % taken;
      const bool present = first_rhs + k < sum.right_hand_sides;
      const float* const from = sum.input(first + rest, first_term + term, present ? first_rhs + k : first_rhs);
      const float unit = present ? sum.unit(first + rest, first_term + term) : 0.0F;
      Number* const to = inputs + item / taken * sum.components * taken + k;
      for (int c = team.team_rank() % width; c < sum.components; c += width) {
        to[c * taken] = unit * sum.load_pair(from + sum.position(c));
      }
    }
  }
  template <int taken, int together>
  KOKKOS_FORCEINLINE_FUNCTION void compute_inputs(const Team& team, Number* inputs, int first, int sites,
                                                  int first_rhs) const {
    constexpr int groups = taken / together;
    for (int item = team.team_rank(); item < sites * sum.components * groups; item += team.team_size()) {
      int row;
      const int rest = by_components.divide(item, row), site = rest / groups, skipped = rest % groups * together;
      Number total[together];
      sum.inputs.compute(total, sum, first + site, row, first_rhs + skipped,
                         sum.right_hand_sides - first_rhs - skipped);
      const float unit = sum.unit(first + site, 0);
      KAON_UNROLL
      for (int k = 0; k < together; ++k) {
        inputs[(site * sum.components + row) * taken + skipped + k] = unit * total[k];
      }
    }
  }
};

}  // namespace kaon::detail
