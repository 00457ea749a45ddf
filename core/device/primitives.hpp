// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <type_traits>

namespace kaon::detail {

// Operations for which an NVIDIA GPU has an instruction that C++ does not reach. Each has a general form, for hosts and
// for other devices.

/// 8 or 16 bytes that no other thread will read: caches evict them first.
template <class Word>
KOKKOS_FORCEINLINE_FUNCTION Word load_streaming(const Word* from) {
  static_assert(sizeof(Word) == 8 || sizeof(Word) == 16);
#if defined(__CUDA_ARCH__)
  using Bytes = std::conditional_t<sizeof(Word) == 16, float4, float2>;
  const Bytes word = __ldcs(reinterpret_cast<const Bytes*>(from));
  Word result;
  __builtin_memcpy(&result, &word, sizeof(word));
  return result;
#else
  return *from;
#endif
}

/// A number that another team of the same kernel has written: not to be read from this multiprocessor's own cache.
KOKKOS_FORCEINLINE_FUNCTION double load_of_other_team(const double* from) {
#if defined(__CUDA_ARCH__)
  return __ldcg(from);
#else
  return Kokkos::atomic_load(from);
#endif
}

/// Waits until another process has raised a flag in this device's memory to `generation` or beyond; what it wrote
/// before can be read then.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_flag([[maybe_unused]] const std::uint32_t* flag,
                                               [[maybe_unused]] std::uint32_t generation) {
#if defined(__CUDA_ARCH__)
  std::uint32_t seen = 0;
  do {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
  } while (static_cast<std::int32_t>(seen - generation) < 0);
#else
  Kokkos::abort("kaon: kernels of several processes wait for each other on NVIDIA GPUs alone");
#endif
}
/// Raises a flag in another process' memory, after all that this thread has seen written.
KOKKOS_FORCEINLINE_FUNCTION void raise_flag([[maybe_unused]] std::uint32_t* flag,
                                            [[maybe_unused]] std::uint32_t generation) {
#if defined(__CUDA_ARCH__)
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(generation) : "memory");
#else
  Kokkos::abort("kaon: kernels of several processes wait for each other on NVIDIA GPUs alone");
#endif
}
/// Continues `cycles` of the multiprocessor's clock later.
KOKKOS_FORCEINLINE_FUNCTION void wait_cycles([[maybe_unused]] std::int64_t cycles) {
#if defined(__CUDA_ARCH__)
  if (cycles == 0) return;
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
#endif
}
/// Makes this device's writes visible to other devices and to the host.
KOKKOS_FORCEINLINE_FUNCTION void fence_for_other_devices() {
#if defined(__CUDA_ARCH__)
  __threadfence_system();
#else
  Kokkos::memory_fence();
#endif
}

/// Returns `index` behind an optimisation barrier: numbers that depend on it are computed again, and need
/// not remain in registers.
KOKKOS_FORCEINLINE_FUNCTION int forget_origin(int index) {
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(index));
#endif
  return index;
}

/// 1/x, wrong by an ulp at most on a GPU; x is far from denormal numbers.
KOKKOS_FORCEINLINE_FUNCTION float fast_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return 1.0F / x;
#endif
}
/// sqrt(x), x > 0 and far from denormal numbers: wrong by two ulps at most on a GPU.
KOKKOS_FORCEINLINE_FUNCTION float fast_square_root(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return x * result;
#else
  return Kokkos::sqrt(x);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION double fast_square_root(double x) {
#if defined(__CUDA_ARCH__)
  return x * rsqrt(x);
#else
  return Kokkos::sqrt(x);
#endif
}

/// The greater of two numbers, NaN if one of them is.
KOKKOS_FORCEINLINE_FUNCTION float greater_or_nan(float a, float b) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a > b || a != a ? a : b;
#endif
}

/// 2^23 + 2^15, which `biased_floats` adds.
inline constexpr float unpacking_bias = 8388608.0F + 32768.0F;

/// The two signed 16-bit numbers in 32 bits, the one in the lower bits first, as floats, plus `unpacking_bias`.
///
/// A GPU converts whole numbers at an eighth of the rate at which it adds (the unit that does it was busy for 61 % of
/// the time of a hop): the bits of 2^23 + 2^15 + number are put together instead.
KOKKOS_FORCEINLINE_FUNCTION void biased_floats(std::uint32_t pair, float& first, float& second) {
  constexpr std::uint32_t exponent = 0x4B000000;    // of 2^23
  const std::uint32_t shifted = pair ^ 0x80008000;  // number + 2^15
#if defined(__CUDA_ARCH__)
  first = __uint_as_float(__byte_perm(shifted, exponent, 0x7610));
  second = __uint_as_float(__byte_perm(shifted, exponent, 0x7632));
#else
  first = Kokkos::bit_cast<float>(exponent | (shifted & 0xffff));
  second = Kokkos::bit_cast<float>(exponent | (shifted >> 16));
#endif
}

/// Whether `multiply_tiles` works on all devices for which this is compiled.
#if defined(__CUDA_ARCH_LIST__)
inline constexpr int compiled_devices[] = {__CUDA_ARCH_LIST__};  // in ascending order
inline constexpr bool has_tile_products = compiled_devices[0] >= 800;
#else
inline constexpr bool has_tile_products = false;
#endif

/// c += a b of a 16 x 8 and an 8 x 8 matrix, by the 32 threads of a warp (tensor cores). The products take the first 11
/// bits of each number. Thread 4 g + t has a of rows g, g + 8 in columns t, then in columns t + 4; b of rows t, t + 4
/// in column g; c of row g in columns 2 t, 2 t + 1, then of row g + 8. Source: PTX ISA, mma.m16n8k8 with .tf32.
KOKKOS_FORCEINLINE_FUNCTION void multiply_tiles([[maybe_unused]] float (&c)[4], [[maybe_unused]] const float (&a)[4],
                                                [[maybe_unused]] const float (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
        "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#else
  Kokkos::abort("kaon: tiles are multiplied by NVIDIA GPUs of compute capability 8 and above");
#endif
}

/// The first 11 bits of a number, for `multiply_tiles`.
KOKKOS_FORCEINLINE_FUNCTION float first_bits(float number) {
  return Kokkos::bit_cast<float>(Kokkos::bit_cast<std::uint32_t>(number) & 0xffffe000U);
}

}  // namespace kaon::detail
