// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/algebra.hpp"

#include <cstddef>

namespace kaon::detail {

// Storage of the sites of one parity: K objects of N complex numbers on each (links: K = 4 directions, N = 9; clover
// terms: K = 2 chiralities, N = 18), one object of all sites behind the other, so that each is a stream of its own.
//   host:   [object][index][component][re, im][lane], lanes being virtual nodes (W = native or 1)
//   device: [object][block][component / P][site in block][P][re, im], P complex numbers to 16 bytes, blocks of 32
//           consecutive sites, so that each thread of a warp reads 16 bytes and a warp reads 512 in a row;
//           an odd last component stands alone at the object's end.

/// Consecutive sites that share a block of device storage.
inline constexpr int device_block = 32;

/// Complex numbers of T that one thread reads at once.
template <class T>
inline constexpr int device_pair = 16 / (2 * static_cast<int>(sizeof(T)));

/// Reals of T that a parity with `half_volume` sites in each of W lanes takes; whole blocks.
template <class T>
std::size_t parity_size(int half_volume, int lanes, int objects, int components) {
  std::size_t sites = static_cast<std::size_t>(half_volume) * static_cast<std::size_t>(lanes);
  if (on_device) sites = (sites + device_block - 1) / device_block * device_block;
  return sites * static_cast<std::size_t>(objects) * static_cast<std::size_t>(components) * 2;
}

/// Position of one real of an object in its stream; `lane` of W.
template <class T>
KOKKOS_INLINE_FUNCTION std::size_t element_offset(int index, int lane, int lanes, int components, int component,
                                                  int re_im) {
  if constexpr (on_device) {
    constexpr int pair = device_pair<T>;
    const std::size_t base =
        static_cast<std::size_t>(index / device_block) * static_cast<std::size_t>(components) * (2 * device_block);
    const int site = index % device_block;
    const int paired = components / pair * pair;
    const int within = component < paired
                           ? ((component / pair * device_block + site) * pair + component % pair) * 2 + re_im
                           : (paired * device_block + site) * 2 + re_im;
    return base + static_cast<std::size_t>(within);
  } else {
    const std::size_t number =
        static_cast<std::size_t>(index) * static_cast<std::size_t>(components) + static_cast<std::size_t>(component);
    return (number * 2 + static_cast<std::size_t>(re_im)) * static_cast<std::size_t>(lanes) +
           static_cast<std::size_t>(lane);
  }
}

template <class T>
struct alignas(16) Vector16 {
  Complex<T> z[device_pair<T>];
};

/// How soon the memory of a load or store is wanted again.
enum class Reuse {
  soon,  ///< by neighbouring sites: keep it in the caches
  none   ///< not in this kernel: let it make room first
};

/// 16 bytes from or to memory.
template <Reuse reuse, class T>
KOKKOS_FORCEINLINE_FUNCTION Vector16<T> load_word(const T* from) {
#if defined(__CUDA_ARCH__)
  if constexpr (reuse == Reuse::none) {
    const float4 word = __ldcs(reinterpret_cast<const float4*>(from));
    Vector16<T> result;
    __builtin_memcpy(&result, &word, sizeof(word));
    return result;
  }
#endif
  return *reinterpret_cast<const Vector16<T>*>(from);
}
template <Reuse reuse, class T>
KOKKOS_FORCEINLINE_FUNCTION void store_word(T* to, const Vector16<T>& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (reuse == Reuse::none) {
    float4 word;
    __builtin_memcpy(&word, &value, sizeof(word));
    __stcs(reinterpret_cast<float4*>(to), word);
    return;
  }
#endif
  *reinterpret_cast<Vector16<T>*>(to) = value;
}

/// Whole objects of N complex numbers in and out of their stream, `Complex<V>` at a time.
template <class T, class V, int N>
struct ObjectAccess {
  /// First real of the object (on the device: of this thread's first word of it).
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t base(int index) {
    if constexpr (on_device) {
      return static_cast<std::size_t>(index / device_block) * (N * 2 * device_block) +
             static_cast<std::size_t>(index % device_block) * (2 * device_pair<T>);
    } else {
      return static_cast<std::size_t>(index) * (N * 2 * lane_count<V>);
    }
  }

  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static void load(Complex<V>* out, const T* stream, int index) {
    const T* from = stream + base(index);
    if constexpr (on_device) {
      constexpr int pair = device_pair<T>;
      KAON_UNROLL
      for (int g = 0; g < N / pair; ++g) {
        const Vector16<T> word = load_word<reuse>(from + g * (device_block * 2 * pair));
        KAON_UNROLL
        for (int p = 0; p < pair; ++p) out[g * pair + p] = word.z[p];
      }
      if constexpr (N % pair != 0) {
        // The lone component's words are half as wide: this thread's lies half as far from the start.
        const auto* tail = reinterpret_cast<const Complex2<T>*>(from - (index % device_block) * 2 +
                                                                (N / pair) * (device_block * 2 * pair));
        const Complex2<T> word = *tail;
        out[N - 1] = {word.re, word.im};
      }
    } else {
      KAON_UNROLL
      for (int n = 0; n < N; ++n) {
        out[n] = {load_lanes<V>(from + 2 * n * lane_count<V>), load_lanes<V>(from + (2 * n + 1) * lane_count<V>)};
      }
    }
  }

  /// Asks for an object that will be loaded soon (host only: a GPU hides latency with threads). Any index will do.
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch([[maybe_unused]] const T* stream, [[maybe_unused]] int index) {
    if constexpr (!on_device && lane_count < V >> 1) {
      const char* from = reinterpret_cast<const char*>(stream + base(index));
      constexpr int line = 64;
      KAON_UNROLL
      for (int byte = 0; byte < static_cast<int>(2 * N * sizeof(V)); byte += line) __builtin_prefetch(from + byte);
    }
  }

  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static void store(T* stream, const Complex<V>* in, int index) {
    T* to = stream + base(index);
    if constexpr (on_device) {
      constexpr int pair = device_pair<T>;
      KAON_UNROLL
      for (int g = 0; g < N / pair; ++g) {
        Vector16<T> word;
        KAON_UNROLL
        for (int p = 0; p < pair; ++p) word.z[p] = in[g * pair + p];
        store_word<reuse>(to + g * (device_block * 2 * pair), word);
      }
      if constexpr (N % pair != 0) {
        *reinterpret_cast<Complex2<T>*>(to - (index % device_block) * 2 + (N / pair) * (device_block * 2 * pair)) = {
            in[N - 1].re, in[N - 1].im};
      }
    } else {
      KAON_UNROLL
      for (int n = 0; n < N; ++n) {
        T* const re = to + 2 * n * lane_count<V>;
        if constexpr (reuse == Reuse::none) {
          stream_lanes<V>(re, in[n].re);
          stream_lanes<V>(re + lane_count<V>, in[n].im);
        } else {
          store_lanes<V>(re, in[n].re);
          store_lanes<V>(re + lane_count<V>, in[n].im);
        }
      }
    }
  }

 private:
  template <class S>
  struct alignas(2 * sizeof(S)) Complex2 {
    S re, im;
  };
};

}  // namespace kaon::detail
