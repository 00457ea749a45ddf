// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/lattice/geometry.hpp"
#include "operators/stencil/crossing.hpp"
#include "operators/stencil/stencil.hpp"

#include <bit>
#include <cstddef>
#include <type_traits>

namespace kaon::detail {

/// Makes the compiler compute a value here and hold it in a register. Otherwise it computes the value before its next
/// use, and the operands wait on the stack, or it loads the value from memory once for each use.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void hold([[maybe_unused]] Complex<V>& z) {
#if defined(KAON_HOST_PACKS) && defined(__GNUC__) && defined(__x86_64__)
  constexpr int native = stdx::memory_alignment_v<stdx::native_simd<float>>;
  if constexpr (is_pack<V> && sizeof(V) >= 16 && sizeof(V) <= native) {
    using Register [[gnu::vector_size(sizeof(V))]] = Scalar<V>;
    Register re = std::bit_cast<Register>(z.re);
    Register im = std::bit_cast<Register>(z.im);
    asm("" : "+v"(re), "+v"(im));
    z = {std::bit_cast<V>(re), std::bit_cast<V>(im)};
  }
#endif
}

/// The sum over the legs of a stencil at one block of sites on a host, of one right-hand side after the other. The sum
/// is in registers from the first leg to the store: sums that other functions can see would be stored and loaded again
/// after each leg. The links are complete matrices, so that their storage makes no difference here.
template <class T, class V, class Stencil>
struct HostSum {
  static_assert(!std::is_same_v<T, half>);
  using Arithmetic = typename Stencil::template Arithmetic<V>;
  using Vector = typename Arithmetic::Vector;
  using Message = typename Arithmetic::Message;
  using In = SiteAccess<const T, Vector>;
  using Number = Scalar<V>;
  static constexpr int legs = static_cast<int>(Stencil::legs.size());

  // Operands of the kernel.
  const Arithmetic& arithmetic;
  const In& in;
  const Number* link_weight;
  const LaneCrossing<V>*leave_ahead, *leave_behind;
  int prefetch;
  // The rest belongs to this block of sites.
  int index;
  typename Arithmetic::AtSite at_site;
  Neighbor neighbor[legs];
  const Number* link[legs];  ///< [row][column][re, im][lane]

  /// Stores to[component][re, im][lane] = scale * sum, or x_scale * x + scale * sum unless x is null.
  struct Output {
    Number* to;
    Number scale = 1;
    const Number* x = nullptr;
    Number x_scale = 0;
    bool past_caches = false;
  };
  /// The sum of a right-hand side.
  [[gnu::noinline]] void add_up(int rhs, const Output& output) const;

 private:
  template <class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Fixed& fixed, int rhs, const Output& output) const {
    Vector sum;
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) component(sum, n) = {V(0), V(0)};
    add_from<0>(sum, fixed, rhs);
    const V scale(output.scale), x_scale(output.x_scale);
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) component(sum, n) = scale * component(sum, n);
    if (output.x != nullptr) {
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) {
        const Number* const x = output.x + 2 * n * lane_count<V>;
        component(sum, n) += x_scale * Complex<V>{load_lanes<V>(x), load_lanes<V>(x + lane_count<V>)};
      }
    }
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) {
      Number* const to = output.to + 2 * n * lane_count<V>;
      if (output.past_caches) {
        stream_lanes<V>(to, component(sum, n).re);
        stream_lanes<V>(to + lane_count<V>, component(sum, n).im);
      } else {
        store_lanes<V>(to, component(sum, n).re);
        store_lanes<V>(to + lane_count<V>, component(sum, n).im);
      }
    }
  }
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add_from(Vector& sum, const Fixed& fixed, int rhs) const {
    if constexpr (leg < legs) {
      add<leg>(sum, fixed, rhs);
      fixed.template after<leg>(sum);
      add_from<leg + 1>(sum, fixed, rhs);
    }
  }

  /// Adds the term of a leg, row by row of the product: each number of the link is loaded before its use, once for all
  /// spins.
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add(Vector& sum, const Fixed& fixed, int rhs) const {
    constexpr Leg along = Stencil::legs[leg];
    constexpr int mu = along.mu;
    constexpr bool is_ahead = along.step > 0;
    constexpr bool weighted = along.links > 0;
    const Neighbor& from = neighbor[leg];
    if (prefetch != 0 && mu > 0) in.prefetch(from.index + prefetch, rhs);
    Message message = fixed.template take<leg>(In::unpack_biased(in.fetch(from.index, rhs)), 0.0F);
    const V weight(weighted ? link_weight[along.links] : Number(1));
    const LaneCrossing<V>& leave = (is_ahead ? leave_ahead : leave_behind)[mu];
    const bool crosses = from.crossed && !leave.is_identity;
    if (is_ahead && crosses) {
      KAON_UNROLL
      for (int n = 0; n < components<Message>; ++n) leave.cross(component(message, n));
    }
    KAON_UNROLL
    for (int row = 0; row < 3; ++row) {
      Message product;
      KAON_UNROLL
      for (int column = 0; column < 3; ++column) {
        const int number = is_ahead ? 3 * row + column : 3 * column + row;
        const Number* const from_link = link[leg] + 2 * number * lane_count<V>;
        Complex<V> u{load_lanes<V>(from_link), load_lanes<V>(from_link + lane_count<V>)};
        hold(u);
        KAON_UNROLL
        for (int spin = 0; spin < color_vectors<Message>; ++spin) {
          Complex<V>& z = component(product, 3 * spin + row);
          const Complex<V>& v = component(message, 3 * spin + column);
          if (column == 0) {
            z = is_ahead ? u * v : conj(u) * v;
          } else if constexpr (is_ahead) {
            multiply_add(z, u, v);
          } else {
            conj_multiply_add(z, u, v);
          }
        }
      }
      // It is computed in the neighbour's lanes: fewer permutations than those of the link and the vector.
      if (!is_ahead && crosses) {
        KAON_UNROLL
        for (int spin = 0; spin < color_vectors<Message>; ++spin) leave.cross(component(product, 3 * spin + row));
      }
      KAON_UNROLL
      for (int spin = 0; spin < color_vectors<Message>; ++spin) {
        fixed.template give<leg, weighted>(sum, product, spin, row, weight, at_site);
      }
      KAON_UNROLL
      for (int spin = 0; spin < color_vectors<Vector>; ++spin) hold(component(sum, 3 * spin + row));
    }
  }
};

// The definition is not in the class, so that with `extern template` one unit compiles it for all.
template <class T, class V, class Stencil>
void HostSum<T, V, Stencil>::add_up(int rhs, const Output& output) const {
  if constexpr (requires { arithmetic.sign; }) {
    // With a sign that the compiler knows, products with it become sums and differences.
    if (arithmetic.sign > Number(0)) {
      add_all(arithmetic.template with_sign<1>(), rhs, output);
    } else {
      add_all(arithmetic.template with_sign<-1>(), rhs, output);
    }
  } else {
    add_all(arithmetic, rhs, output);
  }
}

}  // namespace kaon::detail
