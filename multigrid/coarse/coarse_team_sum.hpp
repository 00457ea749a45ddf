// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/team.hpp"
#include "core/lattice/geometry.hpp"
#include "multigrid/coarse/coarse_sum.hpp"

namespace kaon::detail {

/// `CoarseSum` by teams that bring the inputs of sites to their memory: what their kernels share.
template <class T, class L>
struct CoarseTeamSum {
  CoarseSum<T, L> sum;
  Divisor by_components, by_terms;  // `by_terms`: of the terms whose inputs are brought at a time

  using Number = Complex<T>;

  /// inputs: [site][term][component][right-hand side], of terms `first_term`, ... . Threads take `together` right-hand
  /// sides of hops E at once.
  template <int taken, int together>
  KOKKOS_FORCEINLINE_FUNCTION void bring_inputs(const Team& team, Number* inputs, int first, int sites, int first_rhs,
                                                int first_term) const {
    if (sum.outer != nullptr) return bring_outer_hops<taken, together>(team, inputs, first, sites, first_rhs);
    if (sum.terms == 0) return;  // `by_terms` divides by one then
    // Rows of threads take the components of one input after the other, so that what leads to an input is found once.
    constexpr int most_width = on_device ? 32 : 1;
    const int width = team.team_size() < most_width ? team.team_size() : most_width, rows = team.team_size() / width;
    const int row = team.team_rank() / width;
    if (row == rows) return;  // threads that are left over
    const int terms = by_terms.divisor();
    for (int item = row; item < sites * terms * taken; item += rows) {
      int term;
      const int rest = by_terms.divide(item / taken, term), k = item % taken;
      const bool present = first_rhs + k < sum.right_hand_sides;
      const T* const from = sum.input(first + rest, first_term + term, present ? first_rhs + k : first_rhs);
      const T unit = present ? sum.unit(first + rest, first_term + term) : T(0);
      Number* const to = inputs + item / taken * sum.components * taken + k;
      for (int c = team.team_rank() % width; c < sum.components; c += width) {
        to[c * taken] = unit * sum.load_pair(from + sum.position(c));
      }
    }
  }
  /// E in in place of the inputs: its links are loaded once for `together` right-hand sides.
  template <int taken, int together>
  KOKKOS_FORCEINLINE_FUNCTION void bring_outer_hops(const Team& team, Number* inputs, int first, int sites,
                                                    int first_rhs) const {
    constexpr int groups = taken / together;
    for (int item = team.team_rank(); item < sites * sum.components * groups; item += team.team_size()) {
      int row;
      const int rest = by_components.divide(item, row), site = rest / groups, skipped = rest % groups * together;
      Number total[together];
      sum.outer_hops(total, first + site, row, first_rhs + skipped, sum.right_hand_sides - first_rhs - skipped);
      const T unit = sum.unit(first + site, 0);
      KAON_UNROLL
      for (int k = 0; k < together; ++k) {
        inputs[(site * sum.components + row) * taken + skipped + k] = unit * total[k];
      }
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION Number input(int site, int term, int component, int rhs) const {
    if (sum.outer != nullptr) {  // only where a thread takes a site alone
      Number total[1];
      sum.outer_hops(total, site, component, rhs, 1);
      return sum.unit(site, 0) * total[0];
    }
    return sum.unit(site, term) * sum.load_pair(sum.input(site, term, rhs) + sum.position(component));
  }

  /// out = scale `total` + x_scale x
  KOKKOS_FORCEINLINE_FUNCTION void store(const Number& total, int site, int row, int rhs) const {
    const auto number = static_cast<std::size_t>(rhs);
    const std::size_t offset =
        static_cast<std::size_t>(site) * static_cast<std::size_t>(2 * sum.components) + sum.position(row);
    const int im = on_device ? 1 : sum.lanes;
    Number value = sum.scale * total;
    if (sum.x != nullptr) value += sum.x_scale * sum.load_pair(sum.x + number * sum.x_stride + offset);
    T* to = sum.out + number * sum.out_stride + offset;
    to[0] = value.re;
    to[im] = value.im;
  }
};

}  // namespace kaon::detail
