// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/field_access.hpp"
#include "core/fields/ghost_box.hpp"
#include "core/fields/single_numbers.hpp"
#include "gauge/ghost_links.hpp"

#include <kaon/operators/covariant_sum.hpp>

namespace kaon::detail {

/// One parity of a field of 3 colours and any number of spins.
template <class T, class V>
struct ColorVectors {
  T* data;
  std::size_t stride;  // between right-hand sides
  int components;

  KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> load(int index, int spin, int rhs) const {
    const T* from = data + static_cast<std::size_t>(rhs) * stride;
    ColorVector<V> v;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) v.c[color] = load_number<V>(from, index, components, 3 * spin + color);
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const ColorVector<V>& v, int index, int spin, int rhs) const {
    T* to = data + static_cast<std::size_t>(rhs) * stride;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) store_number(to, v.c[color], index, components, 3 * spin + color);
  }
};

/// The terms of a sum and their weights, in the numbers of a kernel.
template <class V>
struct SumTerms {
  bool forward[4], backward[4];
  Scalar<V> weight, center;

  SumTerms() = default;
  explicit SumTerms(const CovariantSum& sum)
      : weight(static_cast<Scalar<V>>(sum.weight)), center(static_cast<Scalar<V>>(sum.center)) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      forward[mu] = sum.forward[mu];
      backward[mu] = sum.backward[mu];
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void add(ColorVector<V>& sum, const ColorVector<V>& v) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) sum.c[color] += v.c[color];
  }
  /// weight hops + center psi; `load()` is psi.
  template <class Load>
  KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> total(const ColorVector<V>& hops, const Load& load) const {
    ColorVector<V> result;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) result.c[color] = V(weight) * hops.c[color];
    if (center == Scalar<V>(0)) return result;
    const ColorVector<V> psi = load();
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) result.c[color] += V(center) * psi.c[color];
    return result;
  }
};

/// Vectors of a site that are summed together. On GPUs their links are loaded once: one by one, links from the second
/// cache bound the kernel.
inline constexpr int vectors_together = on_device ? 4 : 1;

/// `covariant_sum` on one parity. 66 flops a spin and term, 6 for each sum of two terms, 6 for the weight and 12 for
/// the centre.
template <class T, class V>
struct CovariantSumKernel {
  SubLattice node;
  int parity;      // of out
  int first_site;  // of the sites that are summed
  int spins;
  SumTerms<V> terms;
  GaugeAccess<T, V> links;
  ColorVectors<T, V> out;
  ColorVectors<const T, V> in, in_opposite;
  LanePermutation<V> leave_forward[4];
  LanePermutation<V> leave_backward[4];

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = node.site(first_site + index, parity);
    int vector = first * spins;
    for (; vector + vectors_together <= last * spins; vector += vectors_together) run<vectors_together>(site, vector);
    if constexpr (vectors_together > 1) {
      for (; vector < last * spins; ++vector) run<1>(site, vector);
    }
  }

 private:
  /// The colour vectors from `vector` = right-hand side * spins + spin on.
  template <int N>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Site& site, int vector) const {
    int spin[N], rhs[N];
    ColorVector<V> hops[N];
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      rhs[n] = (vector + n) / spins;
      spin[n] = vector + n - rhs[n] * spins;
      hops[n] = zero_vector<ColorVector<V>>();
    }
    KAON_UNROLL
    for (int mu = 0; mu < 4; ++mu) {
      if (terms.forward[mu]) {
        const Neighbor forward = node.forward(site, mu);
        const ColorMatrix<V> u = links.load(site.index, parity, mu);
        KAON_UNROLL
        for (int n = 0; n < N; ++n) {
          ColorVector<V> ahead = in_opposite.load(forward.index, spin[n], rhs[n]);
          if (forward.crossed) change_lanes(ahead, leave_forward[mu]);
          terms.add(hops[n], u * ahead);
        }
      }
      if (terms.backward[mu]) {
        const Neighbor backward = node.backward(site, mu);
        const ColorMatrix<V> u = links.load(backward.index, 1 - parity, mu);
        KAON_UNROLL
        for (int n = 0; n < N; ++n) {
          ColorVector<V> behind = adjoint_multiply(u, in_opposite.load(backward.index, spin[n], rhs[n]));
          if (backward.crossed) change_lanes(behind, leave_backward[mu]);
          terms.add(hops[n], behind);
        }
      }
    }
    KAON_UNROLL
    for (int n = 0; n < N; ++n) {
      out.store(terms.total(hops[n], [&] { return in.load(site.index, spin[n], rhs[n]); }), site.index, spin[n],
                rhs[n]);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void change_lanes(ColorVector<V>& v, const LanePermutation<V>& lanes) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      v.c[color] = {permute(v.c[color].re, lanes), permute(v.c[color].im, lanes)};
    }
  }
};

/// Colour vectors in a box: [right-hand side][spin][colour][re, im] on each site.
template <class T, class V>
struct GhostVectors {
  BoxShape box;
  T* data;

  KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> load(int site, int vector) const {
    ColorVector<V> v;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      const int real = 6 * vector + 2 * color;
      v.c[color] = {load_lanes<V>(data + box.offset(site, real, 0)),
                    load_lanes<V>(data + box.offset(site, real + 1, 0))};
    }
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const ColorVector<V>& v, int site, int vector) const {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      const int real = 6 * vector + 2 * color;
      store_lanes<V>(data + box.offset(site, real, 0), v.c[color].re);
      store_lanes<V>(data + box.offset(site, real + 1, 0), v.c[color].im);
    }
  }
};

/// `CovariantSumKernel` in boxes.
template <class T, class V>
struct GhostSumKernel {
  SubLattice node;
  int parity;
  int spins;
  SumTerms<V> terms;
  BoxShape links_box;
  const T* links;
  GhostVectors<T, V> out, in;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const Site site = node.site(index, parity);
    const int here = in.box.number(site.x);
    const int link = links_box.number(site.x);
    for (int vector = first * spins; vector < last * spins; ++vector) {
      ColorVector<V> hops{};
      for (int mu = 0; mu < 4; ++mu) {
        if (terms.forward[mu]) {
          terms.add(hops, load_link<V>(links_box, links, link, mu) * in.load(here + in.box.stride[mu], vector));
        }
        if (terms.backward[mu]) {
          terms.add(hops, adjoint_multiply(load_link<V>(links_box, links, link - links_box.stride[mu], mu),
                                           in.load(here - in.box.stride[mu], vector)));
        }
      }
      out.store(terms.total(hops, [&] { return in.load(here, vector); }), here, vector);
    }
  }
};

/// A spinor field's site into its box (`fill`) or out of it.
template <class T>
struct BoxCopyKernel {
  SiteSpinor<T> psi;
  BoxShape box;
  T* data;
  int right_hand_sides;
  bool fill;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int y[4];
    const int lane = box.locate(x, y);
    const int site = box.number(y);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int component = 0; component < psi.components; ++component) {
        const int real = 2 * (rhs * psi.components + component);
        T& re = data[box.offset(site, real, lane)];
        T& im = data[box.offset(site, real + 1, lane)];
        if (fill) {
          const Complex<double> value = psi.load(x, component, rhs);
          re = static_cast<T>(value.re);
          im = static_cast<T>(value.im);
        } else {
          psi.store({static_cast<double>(re), static_cast<double>(im)}, x, component, rhs);
        }
      }
    }
  }
};

}  // namespace kaon::detail
