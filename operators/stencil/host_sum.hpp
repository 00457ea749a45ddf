// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/lattice/geometry.hpp"
#include "core/reductions/site_sums.hpp"
#include "operators/stencil/crossing.hpp"
#include "operators/stencil/stencil.hpp"

#include <bit>
#include <cstddef>

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

/// sum += |z|^2 in the precision of the arithmetic
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_norm2(V& sum, const Complex<V>& z) {
  sum = sum + z.re * z.re;
  sum = sum + z.im * z.im;
}
/// (re, im) += conj(a) b
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add_product(V& re, V& im, const Complex<V>& a, const Complex<V>& b) {
  re = re + a.re * b.re;
  re = re + a.im * b.im;
  im = im + a.re * b.im;
  im = im - a.im * b.re;
}

/// The first number of a vector of an access object, on a host.
template <class Access>
KOKKOS_FORCEINLINE_FUNCTION auto* numbers_at(const Access& access, int index, int right_hand_side) {
  constexpr int size = Access::Object::size * lane_count<typename Access::V>;
  return access.stream(right_hand_side) + static_cast<std::size_t>(index) * size;
}

/// The sum over the legs of a stencil at one block of sites on a host, of one right-hand side after the other. The sum
/// is in registers from the first leg to the store: sums that other functions can see would be stored and loaded again
/// after each leg. The links are complete matrices of numbers of V, so that their storage makes no difference here.
template <class T, class V, class Stencil>
struct HostSum {
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
  // The rest belongs to this block of sites.
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
    V* products = nullptr;  ///< [site_sums], as `add_site_products` makes them of the stored numbers; or null
    bool products_with_x = false;
    const Number* w = nullptr;  ///< or null
  };
  /// The vectors to prefetch: those in `stream` with the indices of the neighbours. A null one prefetches nothing.
  struct Ahead {
    const T* stream = nullptr;
    bool in_x = false;  ///< those of the neighbours in x, too
  };
  /// Adds up one right-hand side.
  [[gnu::noinline]] void add_up(int rhs, const Output& output, const Ahead& ahead) const;

 private:
  template <class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add_all(const Fixed& fixed, int rhs, const Output& output,
                                           const Ahead& ahead) const {
    Vector sum;
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) component(sum, n) = {V(0), V(0)};
    add_from<0>(sum, fixed, rhs, ahead);
    const V scale(output.scale), x_scale(output.x_scale);
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) component(sum, n) = scale * component(sum, n);
    if (output.x != nullptr) {
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) component(sum, n) += x_scale * number(output.x, n);
    }
    if (output.products != nullptr) make_products(output, sum);
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
  KOKKOS_FORCEINLINE_FUNCTION static Complex<V> number(const Number* from, int n) {
    from += 2 * n * lane_count<V>;
    return {load_lanes<V>(from), load_lanes<V>(from + lane_count<V>)};
  }
  KOKKOS_FORCEINLINE_FUNCTION static void make_products(const Output& output, const Vector& y) {
    V s[site_sums];
    KAON_UNROLL
    for (int k = 0; k < site_sums; ++k) s[k] = V(0);
    KAON_UNROLL
    for (int n = 0; n < components<Vector>; ++n) add_norm2(s[0], component(y, n));
    if (output.products_with_x) {
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) {
        const Complex<V> x = number(output.x, n);
        add_product(s[1], s[2], component(y, n), x);
        add_norm2(s[3], x);
      }
    }
    if (output.w != nullptr) {
      KAON_UNROLL
      for (int n = 0; n < components<Vector>; ++n) {
        const Complex<V> w = number(output.w, n);
        add_product(s[4], s[5], w, component(y, n));
        if (output.products_with_x) add_product(s[6], s[7], w, number(output.x, n));
      }
    }
    KAON_UNROLL
    for (int k = 0; k < site_sums; ++k) output.products[k] = s[k];
  }

  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add_from(Vector& sum, const Fixed& fixed, int rhs, const Ahead& ahead) const {
    if constexpr (leg < legs) {
      if constexpr (Stencil::antisymmetric) {
        add_pair<leg>(sum, fixed, rhs, ahead);
        add_from<leg + 2>(sum, fixed, rhs, ahead);
      } else {
        add<leg>(sum, fixed, rhs, ahead);
        fixed.template after<leg>(sum);
        add_from<leg + 1>(sum, fixed, rhs, ahead);
      }
    }
  }

  /// The message of a leg in the lanes of its link, still to be multiplied by `scale`, which is in those of the site.
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION Message take(V& scale, const Fixed& fixed, int rhs, const Ahead& ahead) const {
    constexpr int mu = Stencil::legs[leg].mu;
    constexpr int set = Stencil::legs[leg].links;
    const Neighbor& from = neighbor[leg];
    if (ahead.stream != nullptr && (mu > 0 || ahead.in_x)) In::Object::prefetch(ahead.stream, from.index);
    const typename In::Packed packed = in.fetch(from.index, rhs);
    Message message = fixed.template take<leg>(In::unpack_biased(packed), 0.0F);
    scale = packed.scale;
    if constexpr (set > 0) scale = V(link_weight[set]) * scale;
    if (crosses<leg>()) {
      if constexpr (In::scaled) scale = permute(scale, crossing<leg>().lanes);
      if constexpr (Stencil::legs[leg].step > 0) {
        KAON_UNROLL
        for (int n = 0; n < components<Message>; ++n) crossing<leg>().cross(component(message, n));
      }
    }
    return message;
  }
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION const LaneCrossing<V>& crossing() const {
    return (Stencil::legs[leg].step > 0 ? leave_ahead : leave_behind)[Stencil::legs[leg].mu];
  }
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION bool crosses() const {
    return neighbor[leg].crossed && !crossing<leg>().is_identity;
  }

  /// A row of the product with the link of a leg. Each number of the link is loaded before its use, once for all spins.
  template <int leg>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(Message& product, const Message& message, int row) const {
    constexpr bool is_ahead = Stencil::legs[leg].step > 0;
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
    if (!is_ahead && crosses<leg>()) {
      KAON_UNROLL
      for (int spin = 0; spin < color_vectors<Message>; ++spin)
        crossing<leg>().cross(component(product, 3 * spin + row));
    }
  }

  /// Adds a row of a product to the sum.
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void give(Vector& sum, const Fixed& fixed, const Message& product, int row,
                                        const V& scale) const {
    constexpr bool scaled = In::scaled || Stencil::legs[leg].links > 0;
    KAON_UNROLL
    for (int spin = 0; spin < color_vectors<Message>; ++spin) {
      fixed.template give<leg, scaled>(sum, product, spin, row, scale, at_site);
    }
    KAON_UNROLL
    for (int spin = 0; spin < color_vectors<Vector>; ++spin) hold(component(sum, 3 * spin + row));
  }

  /// Adds the term of a leg.
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add(Vector& sum, const Fixed& fixed, int rhs, const Ahead& ahead) const {
    V scale;
    const Message message = take<leg>(scale, fixed, rhs, ahead);
    KAON_UNROLL
    for (int row = 0; row < 3; ++row) {
      Message product;
      multiply<leg>(product, message, row);
      give<leg>(sum, fixed, product, row, scale);
    }
  }
  /// Adds the terms of a leg ahead and of the one behind, which differ in sign: they share phases and weights.
  template <int leg, class Fixed>
  KOKKOS_FORCEINLINE_FUNCTION void add_pair(Vector& sum, const Fixed& fixed, int rhs, const Ahead& ahead) const {
    static_assert(color_vectors<Message> == 1 && is_pair(Stencil::legs[leg], Stencil::legs[leg + 1]));
    static_assert(!In::scaled);
    Message difference;
    V scale;
    {
      const Message message = take<leg>(scale, fixed, rhs, ahead);
      KAON_UNROLL
      for (int row = 0; row < 3; ++row) {
        multiply<leg>(difference, message, row);
        hold(component(difference, row));
      }
    }
    const Message message = take<leg + 1>(scale, fixed, rhs, ahead);
    KAON_UNROLL
    for (int row = 0; row < 3; ++row) {
      Message product;
      multiply<leg + 1>(product, message, row);
      component(difference, row) -= component(product, row);
      give<leg>(sum, fixed, difference, row, scale);
    }
  }
  static constexpr bool is_pair(const Leg& ahead, const Leg& behind) {
    return ahead.mu == behind.mu && ahead.step == -behind.step && ahead.links == behind.links && ahead.step > 0;
  }
};

// The definition is not in the class, so that with `extern template` one unit compiles it for all.
template <class T, class V, class Stencil>
void HostSum<T, V, Stencil>::add_up(int rhs, const Output& output, const Ahead& ahead) const {
  if constexpr (requires { arithmetic.sign; }) {
    // With a sign that the compiler knows, products with it become sums and differences.
    if (arithmetic.sign > Number(0)) {
      add_all(arithmetic.template with_sign<1>(), rhs, output, ahead);
    } else {
      add_all(arithmetic.template with_sign<-1>(), rhs, output, ahead);
    }
  } else {
    add_all(arithmetic, rhs, output, ahead);
  }
}

}  // namespace kaon::detail
