// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/site_components.hpp"
#include "core/lanes/algebra.hpp"
#include "multigrid/coarse/coarse_halo.hpp"
#include "multigrid/dense/column_packs.hpp"

#include <kaon/core/precision.hpp>

#include <cstddef>
#include <type_traits>

namespace kaon::detail {

/// Inputs of a `CoarseSum` are fields: term d reads the neighbour behind `face[d]`.
struct FieldInputs {
  static constexpr bool computed = false;
  static constexpr int divisor = 2;  ///< n is a multiple of this number
  int face[faces];
};

/// Formula of the kernels of coarse operators, for the sites a of one parity and some right-hand sides:
///
///   out(a) = x_scale x(a) + scale sum_d L_d(a) input_d(a),     d over `terms` of the matrices of a site.
///
/// `Inputs` defines the inputs: numbers of a field (`FieldInputs`), or one computed vector per site.
///
/// The matrices are numbers of L in the order of `CoarseMatrices`. The terms of a site form one matrix of n rows and
/// terms n columns, which multiplies the inputs of all terms as one long vector.
/// Flops per site and right-hand side: 8 terms n^2 - 2 n, and 4 n more with x. Source: arXiv:1612.07873, section 4.
template <class L, class Inputs = FieldInputs>
struct CoarseSum {
  using Stored = L;
  using InputsOf = Inputs;

  int components;  ///< n
  int lanes;       ///< W of the fields
  int sites;
  int right_hand_sides;

  int terms;                 ///< consecutive matrices of a site
  int matrices;              ///< of a site
  const L* links;            ///< matrix of the first term at site 0
  const float* link_scales;  ///< scale of that matrix; null unless L is `half`

  Inputs inputs;
  const int* neighbors;  ///< [site][8]; null: the input is the site itself
  CoarseHaloAccess halo;

  const float* in;
  std::size_t in_stride;
  float* out;
  std::size_t out_stride;
  const float* x;  ///< null: none; may be `out`; `in` may be `out` if there are no neighbours
  std::size_t x_stride;
  float scale, x_scale;

  /// Numbers of a site, and the distance to those of the next right-hand side.
  struct Numbers {
    const float* data;
    std::size_t stride;
  };
  /// Numbers of the neighbour behind a face.
  KOKKOS_FORCEINLINE_FUNCTION Numbers neighbor(int site, int face) const {
    const std::size_t numbers = 2 * static_cast<std::size_t>(components);
    const int from = neighbors[8 * site + face];
    if (from < sites) return {in + static_cast<std::size_t>(from) * numbers, in_stride};
    halo.flags.wait(face);
    return {halo.face[face] + static_cast<std::size_t>(from - halo.first_site[face]) * numbers, halo.stride[face]};
  }
  /// First number of the input of a term, for inputs that are fields.
  KOKKOS_FORCEINLINE_FUNCTION const float* input(int site, int term, int right_hand_side) const {
    const auto k = static_cast<std::size_t>(right_hand_side);
    if (neighbors == nullptr) {
      return in + k * in_stride + static_cast<std::size_t>(site) * 2 * static_cast<std::size_t>(components);
    }
    const Numbers from = neighbor(site, inputs.face[term]);
    return from.data + k * from.stride;
  }
  /// Factor of the input of a term: the scale of its matrix.
  KOKKOS_FORCEINLINE_FUNCTION float unit([[maybe_unused]] int site, [[maybe_unused]] int term) const {
    if constexpr (std::is_same_v<L, half>) {
      return static_cast<float>(link_scales[static_cast<std::size_t>(site) * static_cast<std::size_t>(matrices) +
                                            static_cast<std::size_t>(term)]);
    } else {
      return 1.0F;
    }
  }
  /// The first number of the terms' matrix at a site.
  KOKKOS_FORCEINLINE_FUNCTION const L* matrix(int site) const {
    const auto n = static_cast<std::size_t>(components);
    return links + static_cast<std::size_t>(site) * static_cast<std::size_t>(matrices) * 2 * n * n;
  }
  /// Position of the real part of a component in a site's numbers, and the distance of the imaginary part.
  KOKKOS_FORCEINLINE_FUNCTION int position(int component) const { return component_position(component, lanes); }
  KOKKOS_FORCEINLINE_FUNCTION int re_to_im() const { return on_device ? 1 : lanes; }

  /// A number of a field, whose real part is at `from`.
  KOKKOS_FORCEINLINE_FUNCTION Complex<float> load_pair(const float* from) const {
    if constexpr (on_device) return load_number(from);
    return {from[0], from[lanes]};
  }
  /// A number of a matrix, whose real part is at `from`. 16-bit numbers load as whole numbers.
  KOKKOS_FORCEINLINE_FUNCTION Complex<float> load_link(const L* from) const {
    if constexpr (on_device) {
      Complex<float> link[1];
      load_word_of_numbers(link, from);
      return link[0];
    } else if constexpr (std::is_same_v<L, half>) {
      return {static_cast<float>(from[0].bits), static_cast<float>(from[lanes].bits)};
    } else {
      return {from[0], from[lanes]};
    }
  }
};

}  // namespace kaon::detail
