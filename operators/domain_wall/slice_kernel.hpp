// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_engine.hpp"
#include "core/fields/chiralities.hpp"
#include "core/lanes/algebra.hpp"

#include <type_traits>

namespace kaon::detail {

/// Calls `body.template operator()<batch>(first)` for 0, ..., count - 1 in batches of `size`, and for the rest one by
/// one.
template <int size, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_batches(int count, const Body& body) {
  int first = 0;
  for (; first + size <= count; first += size) body.template operator()<size>(first);
  if constexpr (size > 1) {
    for (; first < count; ++first) body.template operator()<1>(first);
  }
}

/// The recurrence of `SliceMatrix` in numbers of V, which are real or complex.
template <class V, bool is_complex>
struct SliceRecurrence {
  using Real = Scalar<V>;
  static constexpr int reals = is_complex ? 2 : 1;

  const Real* table;  ///< `SliceMatrix::table`
  int slices;
  bool dagger;

  using Number = std::conditional_t<is_complex, Complex<V>, V>;
  KOKKOS_FORCEINLINE_FUNCTION static Number number(const Real* from) {
    if constexpr (is_complex) {
      return {V(from[0]), V(from[1])};
    } else {
      return V(from[0]);
    }
  }
  /// The slice at `step` along the recurrence of a chirality.
  KOKKOS_FORCEINLINE_FUNCTION int slice_at(int step, bool upper) const {
    return upper != dagger ? step : slices - 1 - step;
  }
  /// r of the slice before the first one, from w of the last.
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> close(const Complex<V>& w, bool upper) const {
    return number(table + (4 * slices + (upper ? 0 : 1)) * reals) * w;
  }

  /// The numbers of a slice, in registers: stores to fields could change the table, as far as compilers know.
  struct Slice {
    Number a, k, b, c;

    KOKKOS_FORCEINLINE_FUNCTION Complex<V> next(const Complex<V>& x, const Complex<V>& r) const {
      return a * x + k * r;
    }
    KOKKOS_FORCEINLINE_FUNCTION Complex<V> out(const Complex<V>& x, const Complex<V>& r) const { return b * x + c * r; }
  };
  /// A row of the table, which a GPU reads in words of 16 bytes.
  struct alignas(16) Row {
    Real real[4 * reals];
  };
  KOKKOS_FORCEINLINE_FUNCTION Slice slice(int s) const {
    const Row row = reinterpret_cast<const Row*>(table)[s];
    return {number(row.real), number(row.real + reals), number(row.real + 2 * reals), number(row.real + 3 * reals)};
  }

  /// The matrix, times `scale`, in place on the numbers of a chirality: `read(s)` returns those of slice s, which
  /// `write(s, numbers)` replaces. `ahead` slices are read at once.
  template <int ahead, class Read, class Write>
  KOKKOS_FORCEINLINE_FUNCTION void apply_in_place(bool upper, const V& scale, const Read& read,
                                                  const Write& write) const {
    using Numbers = decltype(read(0));
    constexpr int count = std::extent_v<decltype(Numbers::number)>;
    Complex<V> r[count];
    for (int n = 0; n < count; ++n) r[n] = {V(0), V(0)};
    const auto sweep = [&]<bool is_last>(std::bool_constant<is_last>) {
      for_batches<ahead>(slices, [&]<int batch>(int first) {
        Slice numbers[batch];
        Numbers x[batch];
        KAON_UNROLL
        for (int a = 0; a < batch; ++a) {
          numbers[a] = slice(slice_at(first + a, upper));
          x[a] = read(slice_at(first + a, upper));
        }
        KAON_UNROLL
        for (int a = 0; a < batch; ++a) {
          Numbers out;
          KAON_UNROLL
          for (int n = 0; n < count; ++n) {
            if constexpr (is_last) out.number[n] = scale * numbers[a].out(x[a].number[n], r[n]);
            r[n] = numbers[a].next(x[a].number[n], r[n]);
          }
          if constexpr (is_last) write(slice_at(first + a, upper), out);
        }
      });
    };
    sweep(std::false_type{});
    for (int n = 0; n < count; ++n) r[n] = close(r[n], upper);
    sweep(std::true_type{});
  }
};

/// Operands of out = scale * matrix in + x_scale * x.
template <class T, class V, bool is_complex>
struct SliceOperands {
  T* out;
  const T* in;
  const T* x;                                   ///< or null
  std::size_t out_stride, in_stride, x_stride;  ///< between right-hand sides
  std::size_t slice;                            ///< numbers between slices
  SliceRecurrence<V, is_complex> recurrence;
  Scalar<V> scale, x_scale;
  int parts;           ///< teams for one right-hand side
  std::size_t chunks;  ///< of one slice

  KOKKOS_FORCEINLINE_FUNCTION std::size_t offset(int s, int rhs, std::size_t stride) const {
    return static_cast<std::size_t>(rhs) * stride + static_cast<std::size_t>(s) * slice;
  }
};

/// In floating point: the numbers of a chirality go through the recurrence one by one, on a GPU the 16 bytes of a
/// thread, on hosts those of some sites together, so that each slice is read in runs.
template <class T, class V, bool is_complex>
struct SliceKernel : SliceOperands<T, V, is_complex> {
  using Item = Chunk<T, V>;
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 6;
  /// Consecutive chunks of one chirality.
  static constexpr int run = chunks_of_chirality<Item>;
  static constexpr int runs_together = 8;  ///< of a host
  static constexpr int most = on_device ? 1 : run * runs_together;
  /// Slices whose loads are pending at once.
  static constexpr int ahead = on_device ? 4 : 1;

  static std::size_t chunks_of_part() { return on_device ? max_team_size : 2 * most; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / this->parts, part = team.league_rank() - rhs * this->parts;
    if constexpr (on_device) {
      const std::size_t chunk =
          static_cast<std::size_t>(part) * max_team_size + static_cast<std::size_t>(team.team_rank());
      if (chunk < this->chunks) sweep(chunk, 1, chunk / run % 2 == 0, rhs);
    } else {
      const std::size_t first = static_cast<std::size_t>(part) * 2 * most;
      const std::size_t left = (this->chunks - first) / 2;
      const int count = left < static_cast<std::size_t>(most) ? static_cast<int>(left) : most;
      sweep(first, count, true, rhs);
      sweep(first + run, count, false, rhs);
    }
  }

 private:
  /// The chunks of `count` / `run` runs that belong to one chirality, from `first` on; on GPUs one.
  KOKKOS_FORCEINLINE_FUNCTION void sweep(std::size_t first, int count, bool upper, int rhs) const {
    const int slices = this->recurrence.slices;
    Complex<V> r[most][Item::count];
    for (int k = 0; k < count; ++k) {
      for (int n = 0; n < Item::count; ++n) r[k][n] = {V(0), V(0)};
    }
    for_batches<ahead>(slices, [&]<int batch>(int step) { advance<batch>(r, step, first, count, upper, rhs); });
    for (int k = 0; k < count; ++k) {
      for (int n = 0; n < Item::count; ++n) r[k][n] = this->recurrence.close(r[k][n], upper);
    }
    for_batches<ahead>(slices, [&]<int batch>(int step) { finish<batch>(r, step, first, count, upper, rhs); });
  }

  /// The chunk of a chirality after `chunk`, the k-th of a sweep.
  KOKKOS_FORCEINLINE_FUNCTION static std::size_t after(std::size_t chunk, int k) {
    return chunk + ((k + 1) % run == 0 ? run + 1 : 1);
  }

  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void advance(Complex<V> (&r)[most][Item::count], int step, std::size_t first, int count,
                                           bool upper, int rhs) const {
    typename SliceRecurrence<V, is_complex>::Slice slice[Steps];
    KAON_UNROLL
    for (int a = 0; a < Steps; ++a) slice[a] = this->recurrence.slice(this->recurrence.slice_at(step + a, upper));
    std::size_t chunk = first;
    for (int k = 0; k < (on_device ? 1 : count); chunk = after(chunk, k), ++k) {
      Complex<V> z[Steps][Item::count];
      KAON_UNROLL
      for (int a = 0; a < Steps; ++a) load(z[a], this->in, this->in_stride, step + a, chunk, upper, rhs);
      KAON_UNROLL
      for (int a = 0; a < Steps; ++a) {
        KAON_UNROLL
        for (int n = 0; n < Item::count; ++n) r[k][n] = slice[a].next(z[a][n], r[k][n]);
      }
    }
  }

  template <int Steps>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Complex<V> (&r)[most][Item::count], int step, std::size_t first, int count,
                                          bool upper, int rhs) const {
    typename SliceRecurrence<V, is_complex>::Slice slice[Steps];
    KAON_UNROLL
    for (int a = 0; a < Steps; ++a) slice[a] = this->recurrence.slice(this->recurrence.slice_at(step + a, upper));
    const V scale(this->scale), x_scale(this->x_scale);
    const bool with_x = this->x != nullptr;
    std::size_t chunk = first;
    for (int k = 0; k < (on_device ? 1 : count); chunk = after(chunk, k), ++k) {
      Complex<V> z[Steps][Item::count], added[Steps][Item::count];
      KAON_UNROLL
      for (int a = 0; a < Steps; ++a) {
        load(z[a], this->in, this->in_stride, step + a, chunk, upper, rhs);
        if (with_x) load(added[a], this->x, this->x_stride, step + a, chunk, upper, rhs);
      }
      KAON_UNROLL
      for (int a = 0; a < Steps; ++a) {
        KAON_UNROLL
        for (int n = 0; n < Item::count; ++n) {
          const Complex<V> out = scale * slice[a].out(z[a][n], r[k][n]);
          r[k][n] = slice[a].next(z[a][n], r[k][n]);
          z[a][n] = with_x ? out + x_scale * added[a][n] : out;
        }
        Item::store(this->out + this->offset(this->recurrence.slice_at(step + a, upper), rhs, this->out_stride), z[a],
                    chunk);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(Complex<V> (&z)[Item::count], const T* field, std::size_t stride, int step,
                                        std::size_t chunk, bool upper, int rhs) const {
    Item::load(z, field + this->offset(this->recurrence.slice_at(step, upper), rhs, stride), chunk);
  }
};

/// In 16-bit fixed point both chiralities of a site share a scale, although their recurrences meet a slice at different
/// times. The team's memory holds the numbers of its sites, unpacked once: the results take their place. A thread has a
/// site on hosts, on GPUs one chirality of a site.
template <class V, bool is_complex>
struct ScaledSliceKernel : SliceOperands<half, V, is_complex> {
  using Item = ScaledChunk<V, 12>;
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;
  static constexpr int of_chirality = 6;
  static constexpr int threads_of_site = on_device ? 2 : 1;
  /// Slices whose loads are pending at once.
  static constexpr int ahead = on_device ? 4 : 1;

  /// The numbers of a chirality in a slice. GPUs read them in words of 16 bytes.
  struct alignas(16) alignas(Complex<V>) Half {
    Complex<V> number[of_chirality];
  };

  int team_bytes;
  int team_size;

  /// Bytes of the team's memory that one thread takes: its numbers, and on GPUs the largest of them in each slice.
  static int bytes_of_thread(int slices) {
    const std::size_t of_slice = 2 / threads_of_site * sizeof(Half) + (on_device ? sizeof(V) : 0);
    return slices * static_cast<int>(of_slice);
  }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / this->parts, part = team.league_rank() - rhs * this->parts;
    const int slices = this->recurrence.slices;
    auto* const memory = static_cast<Half*>(team_memory(team, team_bytes));
    if constexpr (on_device) {
      // A warp, or a team that is smaller, has the upper chirality of its sites in its first half.
      const int rank = team.team_rank(), sites = (team_size < 32 ? team_size : 32) / 2;
      const bool upper = rank / sites % 2 == 0;
      const std::size_t site = static_cast<std::size_t>(part) * static_cast<std::size_t>(team_size / 2) +
                               static_cast<std::size_t>(rank / (2 * sites) * sites + rank % sites);
      V* const largest = reinterpret_cast<V*>(memory + slices * team_size);
      if (site < this->chunks) {
        unpack(memory + rank, site, upper, rhs);
        recur(memory + rank, upper, largest + rank);
        if (this->x != nullptr) add_x(memory + rank, largest + rank, site, upper, rhs);
      }
      team.team_barrier();
      if (site < this->chunks) pack(memory + rank, largest + rank, largest + (rank ^ sites), site, upper, rhs);
    } else {
      const std::size_t site = static_cast<std::size_t>(part);
      for (int s = 0; s < slices; ++s) {
        Item::load(reinterpret_cast<Complex<V>*>(memory + 2 * s), this->in + this->offset(s, rhs, this->in_stride),
                   site);
      }
      for (const bool upper : {false, true}) recur(memory + (upper ? 0 : 1), upper, nullptr);
      for (int s = 0; s < slices; ++s) store_site(reinterpret_cast<Complex<V>*>(memory + 2 * s), s, site, rhs);
    }
  }

 private:
  /// The numbers of a slice, of a thread's `first`.
  KOKKOS_FORCEINLINE_FUNCTION Half& in_slice(Half* first, int s) const {
    return first[s * (on_device ? team_size : 2)];
  }

  /// The matrix with its scale, in place. On GPUs, the largest part of the results in each slice.
  KOKKOS_FORCEINLINE_FUNCTION void recur(Half* first, bool upper, V* largest) const {
    this->recurrence.template apply_in_place<1>(
        upper, V(this->scale), [&](int s) { return in_slice(first, s); },
        [&](int s, const Half& out) {
          in_slice(first, s) = out;
          if constexpr (on_device) largest[s * team_size] = largest_part(out);
        });
  }

  // On GPUs, a thread's chirality.

  KOKKOS_FORCEINLINE_FUNCTION static V largest_part(const Half& z) {
    V largest(1e-30F);  // prevents a division by zero on a site of zeros
    KAON_UNROLL
    for (int n = 0; n < of_chirality; ++n) {
      largest = maximum_or_nan(maximum_or_nan(absolute(z.number[n].re), absolute(z.number[n].im)), largest);
    }
    return largest;
  }

  KOKKOS_FORCEINLINE_FUNCTION void unpack(Half* first, std::size_t site, bool upper, int rhs) const {
    for_batches<ahead>(this->recurrence.slices, [&]<int Batch>(int s) {
      HalfSite packed[Batch];
      KAON_UNROLL
      for (int a = 0; a < Batch; ++a) {
        packed[a].fetch(this->in + this->offset(s + a, rhs, this->in_stride), site, upper);
      }
      KAON_UNROLL
      for (int a = 0; a < Batch; ++a) {
        Half z;
        packed[a].template unpack<V>(z.number);
        in_slice(first, s + a) = z;
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_x(Half* first, V* largest, std::size_t site, bool upper, int rhs) const {
    for_batches<ahead>(this->recurrence.slices, [&]<int Batch>(int s) {
      HalfSite packed[Batch];
      KAON_UNROLL
      for (int a = 0; a < Batch; ++a) {
        packed[a].fetch(this->x + this->offset(s + a, rhs, this->x_stride), site, upper);
      }
      KAON_UNROLL
      for (int a = 0; a < Batch; ++a) {
        Half added, sum = in_slice(first, s + a);
        packed[a].template unpack<V>(added.number);
        KAON_UNROLL
        for (int n = 0; n < of_chirality; ++n) sum.number[n] += V(this->x_scale) * added.number[n];
        in_slice(first, s + a) = sum;
        largest[(s + a) * team_size] = largest_part(sum);
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void pack(Half* first, const V* largest, const V* of_other, std::size_t site, bool upper,
                                        int rhs) const {
    for (int s = 0; s < this->recurrence.slices; ++s) {
      const Half z = in_slice(first, s);
      HalfSite::store(this->out + this->offset(s, rhs, this->out_stride), site, upper, z.number,
                      maximum_or_nan(largest[s * team_size], of_other[s * team_size]));
    }
  }

  // On hosts, a thread's site.

  KOKKOS_FORCEINLINE_FUNCTION void store_site(Complex<V>* out, int s, std::size_t site, int rhs) const {
    if (this->x != nullptr) {
      Complex<V> added[Item::count];
      Item::load(added, this->x + this->offset(s, rhs, this->x_stride), site);
      KAON_UNROLL
      for (int n = 0; n < Item::count; ++n) out[n] += V(this->x_scale) * added[n];
    }
    Item::store(this->out + this->offset(s, rhs, this->out_stride), out, site);
  }
};

}  // namespace kaon::detail
