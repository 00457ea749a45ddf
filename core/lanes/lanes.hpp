// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/execution.hpp>
#include <kaon/core/precision.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#if !defined(KOKKOS_ENABLE_CUDA)
#include <experimental/simd>
#define KAON_HOST_PACKS
#if defined(__AVX__)
#include <immintrin.h>
#endif
#endif

/// Unrolls the loop that follows, whose bounds are constants.
#if defined(__CUDACC__)
#define KAON_UNROLL _Pragma("unroll")
#else
#define KAON_UNROLL _Pragma("GCC unroll 18")
#endif

/// A large part of a kernel: on hosts a function of its own, so that it is compiled once for all kernels that call it;
/// on GPUs in line, so that its arguments remain in registers.
#if defined(KOKKOS_ENABLE_CUDA)
#define KAON_KERNEL_PART KOKKOS_FORCEINLINE_FUNCTION
#else
#define KAON_KERNEL_PART [[gnu::noinline]]
#endif

namespace kaon::detail {

// The value type V of kernel text: a SIMD pack on the host, a scalar on the GPU and wherever W = 1.

#if defined(KAON_HOST_PACKS)
namespace stdx = std::experimental;

#if !defined(KAON_PACK_BYTES)
/// Bytes of the widest register. A definition of KAON_PACK_BYTES makes packs of other machines (tests/widths), which
/// are several registers if they are wider than those of this one.
#define KAON_PACK_BYTES stdx::memory_alignment_v<stdx::native_simd<float>>
#endif
/// The pack that fields of T are computed with.
template <class T>
using Pack =
    stdx::simd<Arithmetic<T>, stdx::simd_abi::deduce_t<Arithmetic<T>, KAON_PACK_BYTES / sizeof(Arithmetic<T>)>>;

template <class V>
struct LaneTraits {
  using Scalar = V;
  static constexpr int count = 1;
};
template <class T, class Abi>
struct LaneTraits<stdx::simd<T, Abi>> {
  using Scalar = T;
  static constexpr int count = static_cast<int>(stdx::simd<T, Abi>::size());
};
#else
template <class T>
using Pack = Arithmetic<T>;

template <class V>
struct LaneTraits {
  using Scalar = V;
  static constexpr int count = 1;
};
#endif

template <class V>
using Scalar = typename LaneTraits<V>::Scalar;
template <class V>
inline constexpr int lane_count = LaneTraits<V>::count;
/// Whether V has several lanes. (clang-format 14 takes the brackets of a comparison with > for a shift.)
template <class V>
inline constexpr bool is_pack = lane_count<V> != 1;
/// W of the widest pack of T: what `Lattice` tries to make of the extents.
template <class T>
inline constexpr int native_lanes = lane_count<Pack<T>>;

/// One V from W consecutive, aligned scalars.
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V load_lanes(const Scalar<V>* from) {
  if constexpr (lane_count<V> == 1) {
    return *from;
  } else {
#if defined(KAON_HOST_PACKS)
    return V(from, stdx::vector_aligned);
#endif
  }
}

template <class V>
KOKKOS_FORCEINLINE_FUNCTION void store_lanes(Scalar<V>* to, const V& value) {
  if constexpr (lane_count<V> == 1) {
    *to = value;
  } else {
#if defined(KAON_HOST_PACKS)
    value.copy_to(to, stdx::vector_aligned);
#endif
  }
}

/// `store_lanes` past the caches, where the instruction set can: for whole registers that are not read soon. The memory
/// is then not read before it is written. (Such stores are complete when a parallel region ends: its barrier is a
/// locked instruction.)
template <class V>
KOKKOS_FORCEINLINE_FUNCTION void stream_lanes(Scalar<V>* to, const V& value) {
#if defined(KAON_HOST_PACKS) && defined(__AVX512F__)
  if constexpr (is_pack<V> && sizeof(V) == sizeof(__m512)) {
    return _mm512_stream_ps(reinterpret_cast<float*>(to), std::bit_cast<__m512>(value));
  }
#elif defined(KAON_HOST_PACKS) && defined(__AVX__)
  if constexpr (is_pack<V> && sizeof(V) == sizeof(__m256)) {
    return _mm256_stream_ps(reinterpret_cast<float*>(to), std::bit_cast<__m256>(value));
  }
#endif
  store_lanes<V>(to, value);
}

/// The source of each lane's value when a hop leaves one virtual node and enters the next.
template <class V>
struct LanePermutation {
  using Index = std::conditional_t<sizeof(Scalar<V>) == 8, std::int64_t, std::int32_t>;
  alignas(sizeof(Index) * lane_count<V>) Index source[lane_count<V>];
};

/// result[lane] = value[permutation.source[lane]].
template <class V>
KOKKOS_FORCEINLINE_FUNCTION V permute(const V& value, const LanePermutation<V>& permutation) {
  if constexpr (lane_count<V> == 1) {
    return value;
  } else {
#if defined(KAON_HOST_PACKS)
#if defined(__GNUC__) && !defined(__clang__)
    // One instruction where the processor has one; the simd library offers no run-time permutation.
    using S = Scalar<V>;
    using Index = typename LanePermutation<V>::Index;
    using Values [[gnu::vector_size(sizeof(V))]] = S;
    using Indices [[gnu::vector_size(sizeof(V))]] = Index;
    static_assert(sizeof(V) == sizeof(S) * lane_count<V>);
    Indices indices;
    __builtin_memcpy(&indices, permutation.source, sizeof(indices));
    return std::bit_cast<V>(__builtin_shuffle(std::bit_cast<Values>(value), indices));
#else
    return V([&](auto lane) { return value[static_cast<std::size_t>(permutation.source[lane])]; });
#endif
#endif
  }
}

#if defined(KAON_HOST_PACKS)
template <class S, class V>
struct LanesInTraits {
  using Type = stdx::simd<S, stdx::simd_abi::deduce_t<S, lane_count<V>>>;
};
template <class S, class V>
requires(lane_count<V> == 1) struct LanesInTraits<S, V> {
  using Type = S;
};
template <class S, class V>
requires(lane_count<V> > 1 && std::same_as<S, Scalar<V>>) struct LanesInTraits<S, V> {
  using Type = V;
};
/// A pack of as many S as V has lanes; V itself where these are S.
template <class S, class V>
using LanesIn = typename LanesInTraits<S, V>::Type;
#else
template <class S, class V>
using LanesIn = S;
#endif

/// Converts numbers, rounded where To has fewer bits.
template <class To, class V>
KOKKOS_FORCEINLINE_FUNCTION To convert_lanes(const V& value) {
  if constexpr (lane_count<V> == 1) {
    return static_cast<To>(value);
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::static_simd_cast<To>(value);
#endif
  }
}

#if defined(KAON_HOST_PACKS)
template <class V>
struct WideTraits {
  using Type = std::conditional_t<lane_count<V> == 1, double, stdx::fixed_size_simd<double, lane_count<V>>>;
};
/// W sums in double, for reductions of a V of any precision.
template <class V>
using Wide = typename WideTraits<V>::Type;
#else
template <class V>
using Wide = double;
#endif

template <class V>
KOKKOS_FORCEINLINE_FUNCTION Wide<V> widen(const V& value) {
  return convert_lanes<Wide<V>>(value);
}

/// Sum over lanes.
template <class W>
KOKKOS_FORCEINLINE_FUNCTION double sum_lanes(const W& value) {
  if constexpr (std::is_same_v<W, double>) {
    return value;
  } else {
#if defined(KAON_HOST_PACKS)
    return stdx::reduce(value);
#endif
  }
}

/// Calls `body.template operator()<V>()` with the pack that fields of T with W = `lanes` are made of.
template <class T, class Body>
decltype(auto) with_lanes(int lanes, Body&& body) {
  if constexpr (is_pack<Pack<T>>) {
    if (lanes == native_lanes<T>) return body.template operator()<Pack<T>>();
  }
  return body.template operator()<Arithmetic<T>>();
}

}  // namespace kaon::detail
