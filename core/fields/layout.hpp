// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/parts.hpp"
#include "core/lanes/fixed_point.hpp"

#include <cstddef>

namespace kaon::detail {

// Storage of the sites of one parity: K objects of N complex numbers on each (links: K = 4 directions, N = 9 to 4;
// clover terms: K = 2 chiralities, N = 18), one object of all sites behind the other, so that each is a stream of its
// own. Objects in 16-bit fixed point may end in a scale, a float in the room of two numbers: clover blocks do, and
// spinor fields, whose sites are cut into objects of `scaled_object` numbers.
//   host:   [object][index][component][re, im][lane], [lane] scales; lanes are virtual nodes (W = native or 1)
//   device: [object][block][component / P][site in block][P][re, im], P complex numbers to 16 bytes, blocks of 32
//           consecutive sites, so that each thread of a warp reads 16 bytes and a warp reads 512 in a row;
//           N mod P components that are left over form shorter words at the block's end, and scales come last.
//           A scaled object of 3 numbers (16 bytes) or of 1 (8 bytes) is one word with its scale:
//           [object][block][site in block][component][re, im], scale.

/// Consecutive sites that share a block of device storage.
inline constexpr int device_block = 32;

/// Complex numbers of T that one thread reads at once.
template <class T>
inline constexpr int device_pair = 16 / (2 * static_cast<int>(sizeof(T)));

/// Numbers of T that one object takes.
KOKKOS_FORCEINLINE_FUNCTION constexpr int object_size(int components, bool scaled) {
  return 2 * components + (scaled ? 2 : 0);
}

/// Complex numbers that share a scale in a 16-bit spinor field of `components` numbers a site, a multiple of 3: 12 if
/// they divide `components`, else 3. More would not fit into the registers of a GPU that works on several fields.
constexpr int scaled_object(int components) { return components % 12 == 0 ? 12 : 3; }
/// Whether there are 16-bit fields of so many numbers: those of 12 always, of 3 for staggered quarks.
constexpr bool has_scaled_object(int components) {
  return components % 12 == 0 || (Parts::staggered && components % 3 == 0);
}
/// Calls `body.template operator()<N>()` with N = `scaled_object(components)`.
template <class Body>
decltype(auto) with_scaled_object(int components, Body&& body) {
  if constexpr (Parts::staggered) {
    if (scaled_object(components) == 3) return body.template operator()<3>();
  }
  return body.template operator()<12>();
}

/// Bytes of `components` complex numbers of a spinor field of T, with their scales.
template <class T>
constexpr double site_bytes(int components) {
  const int scales = std::is_same_v<T, half> ? components / scaled_object(components) : 0;
  return 2.0 * components * sizeof(T) + static_cast<double>(scales) * sizeof(float);
}

/// Whether a device reads an object together with its scale, as one word of 8 or 16 bytes.
KOKKOS_FORCEINLINE_FUNCTION constexpr bool is_one_word(int components, bool scaled) {
  return scaled && (components == 1 || components == 3);
}

/// Numbers of T that a parity with `half_volume` sites in each of W lanes takes; whole blocks.
template <class T>
std::size_t parity_size(int half_volume, int lanes, int objects, int components, bool scaled = false) {
  std::size_t sites = static_cast<std::size_t>(half_volume) * static_cast<std::size_t>(lanes);
  if (on_device) sites = (sites + device_block - 1) / device_block * device_block;
  return sites * static_cast<std::size_t>(objects) * static_cast<std::size_t>(object_size(components, scaled));
}

/// Position of one number of an object in its stream; `lane` of W.
template <class T>
KOKKOS_INLINE_FUNCTION std::size_t element_offset(int index, int lane, int lanes, int components, int component,
                                                  int re_im, bool scaled = false) {
  const auto size = static_cast<std::size_t>(object_size(components, scaled));
  if constexpr (on_device) {
    if (is_one_word(components, scaled)) {
      return static_cast<std::size_t>(index) * size + static_cast<std::size_t>(2 * component + re_im);
    }
    constexpr int pair = device_pair<T>;
    const int site = index % device_block;
    const int rest = components % pair;
    const int paired = components - rest;
    const int within = component < paired
                           ? ((component / pair * device_block + site) * pair + component % pair) * 2 + re_im
                           : (paired * device_block + site * rest + component - paired) * 2 + re_im;
    return static_cast<std::size_t>(index / device_block) * size * device_block + static_cast<std::size_t>(within);
  } else {
    const auto number = static_cast<std::size_t>(2 * component + re_im);
    return (static_cast<std::size_t>(index) * size + number) * static_cast<std::size_t>(lanes) +
           static_cast<std::size_t>(lane);
  }
}

/// Position of an object's scale in its stream, in numbers of 16 bits.
KOKKOS_INLINE_FUNCTION std::size_t scale_offset(int index, int lane, int lanes, int components) {
  const auto size = static_cast<std::size_t>(object_size(components, true));
  if constexpr (on_device) {
    if (is_one_word(components, true)) {
      return static_cast<std::size_t>(index) * size + static_cast<std::size_t>(2 * components);
    }
    const auto number = static_cast<unsigned>(index);
    return static_cast<std::size_t>(number / device_block) * (size * device_block) +
           static_cast<unsigned>(2 * components * device_block) + 2 * (number % device_block);
  } else {
    return (static_cast<std::size_t>(index) * size + static_cast<std::size_t>(2 * components)) *
               static_cast<std::size_t>(lanes) +
           static_cast<std::size_t>(2 * lane);
  }
}

/// `Count` complex numbers that a thread of a device reads or writes at once (three one by one).
template <class T, int Count>
struct alignas(2 * (Count == 3 ? 1 : Count) * sizeof(T)) Word {
  T number[2 * Count];
};

/// How soon the memory of a load or store is wanted again.
enum class Reuse {
  soon,  ///< by neighbouring sites: retained in the caches
  none   ///< not reused by this kernel: evict first
};

template <Reuse reuse, class W>
KOKKOS_FORCEINLINE_FUNCTION W load_word(const W* from) {
  if constexpr (reuse == Reuse::none && sizeof(W) == 16) {
    return load_streaming(from);
  } else {
    return *from;
  }
}

/// Whole objects of N complex numbers in and out of their stream, `Complex<V>` at a time. `Scaled` objects of 16-bit
/// numbers have a scale, applied by the caller after loads, chosen by `store`; other 16-bit numbers lie in [-1, 1].
template <class T, class V, int N, bool Scaled = false>
struct ObjectAccess {
  static constexpr bool fixed_point = std::is_same_v<T, half>;
  static_assert(fixed_point || !Scaled);
  static constexpr int size = object_size(N, Scaled);
  static constexpr bool one_word = on_device && is_one_word(N, Scaled);

  /// An object that has been requested: on a device its words, which are being loaded to registers; on the host its
  /// address.
  struct Words {
    static constexpr int rest = N % device_pair<T>;
    Word<T, device_pair<T>> words[N < device_pair<T> ? 1 : N / device_pair<T>];
    Word<T, rest == 0 ? 1 : rest> last;  ///< nothing where rest = 0
  };
  using OneWord = Word<T, one_word ? size / 2 : 1>;
  struct Address {
    const T* address;
  };
  using Packed = std::conditional_t<!on_device, Address, std::conditional_t<one_word, OneWord, Words>>;

  /// `unpack_biased` returns this much more than whole numbers of 16 bits: exactly, and a sum of two of them can
  /// subtract it from both at once.
  static constexpr float bias = on_device && Scaled ? unpacking_bias : 0.0F;

  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static Packed fetch(const T* stream, int index) {
    Packed packed;
    if constexpr (!on_device) {
      packed.address = stream + static_cast<std::size_t>(index) * (size * lane_count<V>);
    } else if constexpr (one_word) {
      packed = load_word<reuse>(reinterpret_cast<const OneWord*>(stream) + static_cast<unsigned>(index));
    } else {
      constexpr int pair = device_pair<T>;
      const auto number = static_cast<unsigned>(index);
      const T* block = stream + static_cast<std::size_t>(number / device_block) * (size * device_block);
      const unsigned site = number % device_block;
      KAON_UNROLL
      for (int g = 0; g < N / pair; ++g) {
        packed.words[g] =
            load_word<reuse>(reinterpret_cast<const Word<T, pair>*>(block + g * (device_block * 2 * pair)) + site);
      }
      if constexpr (Words::rest != 0) {
        packed.last = load_word<reuse>(
            reinterpret_cast<const Word<T, Words::rest>*>(block + N / pair * (device_block * 2 * pair)) + site);
      }
    }
    return packed;
  }

  /// Numbers as they are stored, 16-bit ones as whole numbers, without their scale, + `bias`.
  KOKKOS_FORCEINLINE_FUNCTION static void unpack_biased(Complex<V>* out, const Packed& packed) {
    if constexpr (!on_device) {
      KAON_UNROLL
      for (int n = 0; n < N; ++n) {
        out[n] = {load_numbers<V>(packed.address + 2 * n * lane_count<V>),
                  load_numbers<V>(packed.address + (2 * n + 1) * lane_count<V>)};
      }
    } else if constexpr (one_word) {
      Word<T, N> numbers;
      __builtin_memcpy(&numbers, &packed, sizeof(numbers));
      unpack_word(out, numbers);
    } else {
      constexpr int pair = device_pair<T>;
      KAON_UNROLL
      for (int g = 0; g < N / pair; ++g) unpack_word(out + g * pair, packed.words[g]);
      if constexpr (Words::rest != 0) unpack_word(out + N / pair * pair, packed.last);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void unpack_raw(Complex<V>* out, const Packed& packed) {
    unpack_biased(out, packed);
    if constexpr (bias != 0.0F) {
      KAON_UNROLL
      for (int n = 0; n < N; ++n) out[n] = {out[n].re - V(bias), out[n].im - V(bias)};
    }
  }
  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static void load_raw(Complex<V>* out, const T* stream, int index) {
    unpack_raw(out, fetch<reuse>(stream, index));
  }

  /// Factor of a raw number of this object.
  KOKKOS_FORCEINLINE_FUNCTION static V load_scale([[maybe_unused]] const T* stream, [[maybe_unused]] int index) {
    if constexpr (Scaled) {
      return load_lanes<V>(scale_address(const_cast<T*>(stream), index));
    } else if constexpr (fixed_point) {
      return V(1.0F / half_one);
    } else {
      return V(1);
    }
  }

  /// Loads an object that has been fetched from there, without another load if it has come with its scale.
  KOKKOS_FORCEINLINE_FUNCTION static V scale_of([[maybe_unused]] const Packed& packed, const T* stream, int index) {
    if constexpr (one_word) {
      V scale;
      __builtin_memcpy(&scale, packed.number + 2 * N, sizeof(scale));
      return scale;
    } else {
      return load_scale(stream, index);
    }
  }

  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static void load(Complex<V>* out, const T* stream, int index) {
    const Packed packed = fetch<reuse>(stream, index);
    unpack_raw(out, packed);
    if constexpr (fixed_point) {
      const V scale = scale_of(packed, stream, index);
      KAON_UNROLL
      for (int n = 0; n < N; ++n) out[n] = scale * out[n];
    }
  }

  /// Prefetches an object that will be loaded soon into the second cache (host only: a GPU hides latency with threads).
  /// Any index will do. Prefetches into the first cache wait for its few buffers of pending lines: an EPYC reads 12
  /// GB/s so, and 30 GB/s into the second.
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch([[maybe_unused]] const T* stream, [[maybe_unused]] int index) {
    if constexpr (!on_device && is_pack<V>) {
      constexpr int bytes = size * lane_count<V> * static_cast<int>(sizeof(T));
      const char* from = reinterpret_cast<const char*>(stream) + static_cast<std::ptrdiff_t>(index) * bytes;
      constexpr int line = 64;
      constexpr int second_cache = 2;
      KAON_UNROLL
      for (int byte = 0; byte < bytes; byte += line) __builtin_prefetch(from + byte, 0, second_cache);
    }
  }

  /// Stores `factor` times the numbers of `in`; on hosts past the caches with `Reuse::none`.
  template <Reuse reuse = Reuse::soon>
  KOKKOS_FORCEINLINE_FUNCTION static void store(T* stream, const Complex<V>* in, int index,
                                                const Scalar<V>& factor = Scalar<V>(1)) {
    V to_raw = V(factor);
    [[maybe_unused]] V scale;
    if constexpr (Scaled) {
      // The scale takes the factor in, the numbers need only its sign. The bound saves a site of zeros from a division
      // by zero.
      const V largest = maximum_or_nan(largest_part(in), V(1e-30F));
      to_raw = V(Kokkos::copysign(Scalar<V>(half_one), factor)) / largest;
      scale = largest * V(Kokkos::abs(factor) * (1.0F / half_one));
      if constexpr (!one_word) store_lanes<V>(scale_address(stream, index), scale);
    } else if constexpr (fixed_point) {
      to_raw = V(factor * half_one);
    }
    if constexpr (one_word) {
      Word<T, size / 2> word;
      pack_word<N>(word.number, in, to_raw);
      __builtin_memcpy(word.number + 2 * N, &scale, sizeof(scale));
      reinterpret_cast<Word<T, size / 2>*>(stream)[static_cast<unsigned>(index)] = word;
    } else if constexpr (on_device) {
      const auto number = static_cast<unsigned>(index);
      T* block = stream + static_cast<std::size_t>(number / device_block) * (size * device_block);
      const unsigned site = number % device_block;
      constexpr int pair = device_pair<T>;
      KAON_UNROLL
      for (int g = 0; g < N / pair; ++g) {
        store_words<pair>(block + g * (device_block * 2 * pair), in + g * pair, site, to_raw);
      }
      if constexpr (N % pair != 0) {
        store_words<N % pair>(block + N / pair * (device_block * 2 * pair), in + N / pair * pair, site, to_raw);
      }
    } else {
      T* const to = stream + static_cast<std::size_t>(index) * (size * lane_count<V>);
      KAON_UNROLL
      for (int n = 0; n < N; ++n) {
        store_numbers<V, reuse == Reuse::none>(to + 2 * n * lane_count<V>, in[n].re, to_raw);
        store_numbers<V, reuse == Reuse::none>(to + (2 * n + 1) * lane_count<V>, in[n].im, to_raw);
      }
    }
  }

 private:
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void unpack_word(Complex<V>* out, const Word<T, Count>& word) {
    // The unit that converts whole numbers is fast enough for the remaining ones (a hop of half precision on 12 reals
    // gains 12 % on an H200), but not with all.
    if constexpr (bias != 0.0F) {
      std::uint32_t pairs[Count];
      __builtin_memcpy(pairs, &word, sizeof(word));
      KAON_UNROLL
      for (int n = 0; n < Count; ++n) biased_floats(pairs[n], out[n].re, out[n].im);
    } else {
      KAON_UNROLL
      for (int n = 0; n < Count; ++n) {
        out[n] = {load_numbers<V>(word.number + 2 * n), load_numbers<V>(word.number + 2 * n + 1)};
      }
    }
  }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void store_words(T* words, const Complex<V>* in, unsigned site, const V& to_raw) {
    Word<T, Count> word;
    pack_word<Count>(word.number, in, to_raw);
    reinterpret_cast<Word<T, Count>*>(words)[site] = word;
  }
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION static void pack_word(T* numbers, const Complex<V>* in, const V& to_raw) {
    KAON_UNROLL
    for (int n = 0; n < Count; ++n) {
      store_numbers<V, false>(numbers + 2 * n, in[n].re, to_raw);
      store_numbers<V, false>(numbers + 2 * n + 1, in[n].im, to_raw);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static Scalar<V>* scale_address(T* stream, int index) {
    return reinterpret_cast<Scalar<V>*>(stream + scale_offset(index, 0, lane_count<V>, N));
  }
  /// max |re|, |im|
  KOKKOS_FORCEINLINE_FUNCTION static V largest_part(const Complex<V>* in) {
    V largest = maximum_or_nan(absolute(in[0].re), absolute(in[0].im));
    KAON_UNROLL
    for (int n = 1; n < N; ++n) {
      largest = maximum_or_nan(largest, maximum_or_nan(absolute(in[n].re), absolute(in[n].im)));
    }
    return largest;
  }
};

}  // namespace kaon::detail
