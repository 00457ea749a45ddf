// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_engine.hpp"
#include "core/lanes/algebra.hpp"

#include <algorithm>
#include <type_traits>

namespace kaon::detail {

/// The recurrence of `SliceMatrix` in numbers of V, which are real or complex.
template <class V, bool is_complex>
struct SliceRecurrence {
  using Real = Scalar<V>;
  static constexpr int reals = is_complex ? 2 : 1;

  const Real* table;  ///< `SliceMatrix::table`
  int slices;

  using Number = std::conditional_t<is_complex, Complex<V>, V>;
  KOKKOS_FORCEINLINE_FUNCTION Number number(int n) const {
    if constexpr (is_complex) {
      return {V(table[2 * n]), V(table[2 * n + 1])};
    } else {
      return V(table[n]);
    }
  }
  /// r of the slice before the first one, from w of the last.
  KOKKOS_FORCEINLINE_FUNCTION Complex<V> close(const Complex<V>& w) const { return number(4 * slices) * w; }

  /// The numbers of a slice, in registers: stores to fields could change the table, as far as compilers know.
  struct Slice {
    Number a, k, b, c;

    KOKKOS_FORCEINLINE_FUNCTION Complex<V> next(const Complex<V>& x, const Complex<V>& r) const {
      return a * x + k * r;
    }
    KOKKOS_FORCEINLINE_FUNCTION Complex<V> out(const Complex<V>& x, const Complex<V>& r) const { return b * x + c * r; }
  };
  KOKKOS_FORCEINLINE_FUNCTION Slice slice(int s) const {
    return {number(4 * s), number(4 * s + 1), number(4 * s + 2), number(4 * s + 3)};
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
  bool dagger;
  int parts;           ///< teams for one right-hand side
  std::size_t chunks;  ///< of one slice

  /// The slice at `step` along the recurrence of a chirality.
  KOKKOS_FORCEINLINE_FUNCTION int slice_at(int step, bool upper) const {
    return upper != dagger ? step : recurrence.slices - 1 - step;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::size_t offset(int s, int rhs, std::size_t stride) const {
    return static_cast<std::size_t>(rhs) * stride + static_cast<std::size_t>(s) * slice;
  }
};

/// In floating point: the numbers of a chirality go through the recurrence one by one, on a GPU the 16 bytes of a
/// thread, on hosts those of some sites together, so that each slice is read in runs.
template <class T, class V, bool is_complex>
struct SliceKernel : SliceOperands<T, V, is_complex> {
  using Item = Chunk<T, V>;
  static constexpr int max_team_size = blas_team;
  static constexpr unsigned min_teams = 1;
  /// Chunks of one chirality that lie one behind the other.
  static constexpr int run = on_device ? device_block * 6 / Item::count : 6;
  static constexpr int runs_together = 8;  ///< of a host
  static constexpr int most = on_device ? 1 : run * runs_together;
  /// Slices whose loads are under way at once.
  static constexpr int ahead = on_device ? 4 : 1;

  static std::size_t chunks_of_part() { return on_device ? blas_team : 2 * most; }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / this->parts, part = team.league_rank() - rhs * this->parts;
    if constexpr (on_device) {
      const std::size_t chunk = static_cast<std::size_t>(part) * blas_team + static_cast<std::size_t>(team.team_rank());
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
    int step = 0;
    for (; step + ahead <= slices; step += ahead) advance<ahead>(r, step, first, count, upper, rhs);
    for (; step < slices; ++step) advance<1>(r, step, first, count, upper, rhs);
    for (int k = 0; k < count; ++k) {
      for (int n = 0; n < Item::count; ++n) r[k][n] = this->recurrence.close(r[k][n]);
    }
    step = 0;
    for (; step + ahead <= slices; step += ahead) finish<ahead>(r, step, first, count, upper, rhs);
    for (; step < slices; ++step) finish<1>(r, step, first, count, upper, rhs);
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
    for (int a = 0; a < Steps; ++a) slice[a] = this->recurrence.slice(this->slice_at(step + a, upper));
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
    for (int a = 0; a < Steps; ++a) slice[a] = this->recurrence.slice(this->slice_at(step + a, upper));
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
        Item::store(this->out + this->offset(this->slice_at(step + a, upper), rhs, this->out_stride), z[a], chunk);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void load(Complex<V> (&z)[Item::count], const T* field, std::size_t stride, int step,
                                        std::size_t chunk, bool upper, int rhs) const {
    Item::load(z, field + this->offset(this->slice_at(step, upper), rhs, stride), chunk);
  }
};

/// In 16-bit fixed point both chiralities of a site share a scale, although their recurrences meet a slice at different
/// times. The team's memory holds what must wait: on GPUs, where a thread takes a site, the results of the lower one;
/// on hosts the whole site, which is unpacked once.
template <class V, bool is_complex>
struct ScaledSliceKernel : SliceOperands<half, V, is_complex> {
  using Item = ScaledChunk<V, 12>;
  static constexpr int max_team_size = 128;
  static constexpr unsigned min_teams = 1;
  static constexpr int of_chirality = 6;
  static constexpr int waiting_numbers = on_device ? of_chirality : Item::count;  ///< of a slice

  int team_bytes;
  int team_size;

  /// Bytes of the team's memory that one thread takes.
  static int bytes_of_thread(int slices) { return slices * waiting_numbers * static_cast<int>(sizeof(Complex<V>)); }

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / this->parts, part = team.league_rank() - rhs * this->parts;
    const std::size_t site = static_cast<std::size_t>(part) * static_cast<std::size_t>(team_size) +
                             static_cast<std::size_t>(team.team_rank());
    auto* const waiting = static_cast<Complex<V>*>(team_memory(team, team_bytes)) + team.team_rank();
    if (site >= this->chunks) return;
    if constexpr (on_device) {
      from_memory(waiting, site, rhs);
    } else {
      unpacked(waiting, site, rhs);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void load(Complex<V>* z, int s, std::size_t site, int rhs) const {
    Item::load(z, this->in + this->offset(s, rhs, this->in_stride), site);
  }

  /// Slices are loaded for each pass of each chirality; `waiting` holds [slice][6] for each thread.
  KOKKOS_FORCEINLINE_FUNCTION void from_memory(Complex<V>* waiting, std::size_t site, int rhs) const {
    const int slices = this->recurrence.slices;
    for (const bool upper : {false, true}) {
      const int first = upper ? 0 : of_chirality;
      Complex<V> r[of_chirality], z[Item::count];
      for (int n = 0; n < of_chirality; ++n) r[n] = {V(0), V(0)};
      for (int step = 0; step < slices; ++step) {
        const int s = this->slice_at(step, upper);
        const auto numbers = this->recurrence.slice(s);
        load(z, s, site, rhs);
        KAON_UNROLL
        for (int n = 0; n < of_chirality; ++n) r[n] = numbers.next(z[first + n], r[n]);
      }
      KAON_UNROLL
      for (int n = 0; n < of_chirality; ++n) r[n] = this->recurrence.close(r[n]);
      for (int step = 0; step < slices; ++step) {
        const int s = this->slice_at(step, upper);
        const auto numbers = this->recurrence.slice(s);
        load(z, s, site, rhs);
        Complex<V> out[Item::count];
        KAON_UNROLL
        for (int n = 0; n < of_chirality; ++n) {
          out[first + n] = V(this->scale) * numbers.out(z[first + n], r[n]);
          r[n] = numbers.next(z[first + n], r[n]);
          Complex<V>& lower = waiting[(s * of_chirality + n) * team_size];
          if (upper) {
            out[of_chirality + n] = lower;
          } else {
            lower = out[first + n];
          }
        }
        if (upper) store(out, s, site, rhs);
      }
    }
  }

  /// The site is unpacked to z, [slice][12], where its results take the place of its numbers.
  KOKKOS_FORCEINLINE_FUNCTION void unpacked(Complex<V>* z, std::size_t site, int rhs) const {
    const int slices = this->recurrence.slices;
    for (int s = 0; s < slices; ++s) load(z + s * Item::count, s, site, rhs);
    for (const bool upper : {false, true}) {
      const int first = upper ? 0 : of_chirality;
      Complex<V> r[of_chirality];
      for (int n = 0; n < of_chirality; ++n) r[n] = {V(0), V(0)};
      for (int step = 0; step < slices; ++step) {
        const int s = this->slice_at(step, upper);
        const auto numbers = this->recurrence.slice(s);
        const Complex<V>* const x = z + s * Item::count + first;
        for (int n = 0; n < of_chirality; ++n) r[n] = numbers.next(x[n], r[n]);
      }
      for (int n = 0; n < of_chirality; ++n) r[n] = this->recurrence.close(r[n]);
      for (int step = 0; step < slices; ++step) {
        const int s = this->slice_at(step, upper);
        const auto numbers = this->recurrence.slice(s);
        Complex<V>* const x = z + s * Item::count + first;
        for (int n = 0; n < of_chirality; ++n) {
          const Complex<V> out = V(this->scale) * numbers.out(x[n], r[n]);
          r[n] = numbers.next(x[n], r[n]);
          x[n] = out;
        }
      }
    }
    for (int s = 0; s < slices; ++s) store(z + s * Item::count, s, site, rhs);
  }

  KOKKOS_FORCEINLINE_FUNCTION void store(Complex<V>* out, int s, std::size_t site, int rhs) const {
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
