// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/shift_updates.hpp"

namespace kaon::detail {

/// Shifts of one pass.
inline constexpr int shifts_together = 4;
/// Right-hand sides of one launch: their coefficients are kernel arguments; CUDA accepts 4 KiB of these.
inline constexpr int shift_batch = 8;

/// x_s = x_s + a p_s, p_s = b p_s + c r_k for `Shifts` shifts s and `steps_put_off` steps k, from one chunk to the
/// next. 8 `steps_put_off` flops a shift and real number; x_s and p_s are read and written once, r_k read once.
template <class T, class V, class Item, int Shifts>
struct ShiftedStepsKernel {
  static constexpr int max_team_size = blas_team;
  static constexpr unsigned min_teams = 2;
  static constexpr int steps = steps_put_off;

  struct Coefficients {
    Arithmetic<T> a, b, c;
  };
  T *x[Shifts], *p[Shifts];
  const T* r[steps];
  std::size_t stride[2 * Shifts + steps];  // of right-hand sides of x, p, r
  std::size_t chunks, part_length;
  int parts;
  Coefficients of[shift_batch][Shifts][steps];

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int rhs = team.league_rank() / parts;
    const std::size_t begin = static_cast<std::size_t>(team.league_rank() % parts) * part_length;
    const std::size_t end = begin + part_length < chunks ? begin + part_length : chunks;
    constexpr std::size_t step = on_device ? blas_team : 1;
    for (std::size_t chunk = begin + static_cast<std::size_t>(team.team_rank()); chunk < end; chunk += step) {
      advance(chunk, rhs);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void advance(std::size_t chunk, int rhs) const {
    constexpr int count = Item::count;
    const auto of_rhs = static_cast<std::size_t>(rhs);
    Complex<V> x_s[Shifts][count], p_s[Shifts][count], r_k[steps][count];
    KAON_UNROLL
    for (int k = 0; k < steps; ++k) Item::load(r_k[k], r[k] + of_rhs * stride[2 * Shifts + k], chunk);
    KAON_UNROLL
    for (int s = 0; s < Shifts; ++s) {
      Item::load(x_s[s], x[s] + of_rhs * stride[s], chunk);
      Item::load(p_s[s], p[s] + of_rhs * stride[Shifts + s], chunk);
    }
    KAON_UNROLL
    for (int s = 0; s < Shifts; ++s) {
      KAON_UNROLL
      for (int k = 0; k < steps; ++k) {
        const Coefficients& m = of[rhs][s][k];
        KAON_UNROLL
        for (int n = 0; n < count; ++n) {
          x_s[s][n] += V(m.a) * p_s[s][n];
          p_s[s][n] = V(m.b) * p_s[s][n];
          p_s[s][n] += V(m.c) * r_k[k][n];
        }
      }
      Item::store(x[s] + of_rhs * stride[s], x_s[s], chunk);
      Item::store(p[s] + of_rhs * stride[Shifts + s], p_s[s], chunk);
    }
  }
};

template <int Shifts, class T>
void launch_shifted_steps(std::span<SpinorField<T>* const> x, std::span<SpinorField<T>> p,
                          std::span<const SpinorField<T>* const> r, std::span<const ShiftedStep> steps,
                          std::size_t first_shift) {
  const SpinorField<T>& like = *x[0];
  const int components = like.components();
  with_chunk<T>(ElementOrder<T>::of(like.lattice(), components).lanes, components, [&]<class V, class Item>() {
    using Kernel = ShiftedStepsKernel<T, V, Item, Shifts>;
    Kernel kernel;
    kernel.chunks = like.size() / Item::numbers;
    kernel.part_length = on_device ? static_cast<std::size_t>(blas_team) : 1024;
    kernel.parts = static_cast<int>((kernel.chunks + kernel.part_length - 1) / kernel.part_length);
    for (int begin = 0; begin < like.right_hand_sides(); begin += shift_batch) {
      const int count = std::min(shift_batch, like.right_hand_sides() - begin);
      const auto from = [&](const SpinorField<T>& field, std::size_t number) {
        kernel.stride[number] = field.right_hand_side_stride();
        return blas::mutate(field)->data() + static_cast<std::size_t>(begin) * field.right_hand_side_stride();
      };
      for (std::size_t k = 0; k < static_cast<std::size_t>(Kernel::steps); ++k) {
        const bool given = k < steps.size();
        kernel.r[k] = from(*r[given ? k : 0], 2 * Shifts + k);
        for (std::size_t s = 0; s < Shifts; ++s) {
          for (std::size_t rhs = 0; rhs < static_cast<std::size_t>(count); ++rhs) {
            const std::size_t of = first_shift + s, number = rhs + static_cast<std::size_t>(begin);
            using Number = Arithmetic<T>;
            kernel.of[rhs][s][k] = {Number(0), Number(1), Number(0)};  // a step that changes nothing
            if (!given) continue;
            kernel.of[rhs][s][k] = {static_cast<Number>(steps[k].a[of][number]),
                                    static_cast<Number>(steps[k].b[of][number]),
                                    static_cast<Number>(steps[k].c[of][number])};
          }
        }
      }
      for (std::size_t s = 0; s < Shifts; ++s) {
        kernel.x[s] = from(*x[s], s);
        kernel.p[s] = from(p[s], Shifts + s);
      }
      launch_teams("kaon::blas::multi_shift_cg_steps", like.lattice().execution(), count * kernel.parts, blas_team,
                   kernel);
    }
  });
}

template <int Shifts, class T>
void run_shifted_steps(std::span<SpinorField<T>* const> x, std::span<SpinorField<T>> p,
                       std::span<const SpinorField<T>* const> r, std::span<const ShiftedStep> steps,
                       std::size_t first_shift) {
  if constexpr (Shifts > 1) {
    if (x.size() < Shifts) return run_shifted_steps<Shifts - 1, T>(x, p, r, steps, first_shift);
  }
  launch_shifted_steps<Shifts, T>(x, p, r, steps, first_shift);
}

template <class T>
void multi_shift_cg_steps(std::span<SpinorField<T>* const> x, std::span<SpinorField<T>> p,
                          std::span<const SpinorField<T>* const> r, std::span<const ShiftedStep> steps) {
  require(x.size() == p.size(), [&] { return fmt::format("{} fields x were given for {} p", x.size(), p.size()); });
  require(r.size() == steps.size() && steps.size() <= steps_put_off, [&] {
    return fmt::format("{} residuals were given for {} steps, of which one pass makes {}", r.size(), steps.size(),
                       steps_put_off);
  });
  if (x.empty() || steps.empty()) return;
  const auto right_hand_sides = static_cast<std::size_t>(x[0]->right_hand_sides());
  for (const ShiftedStep& step : steps) {
    for (const auto* values : {&step.a, &step.b, &step.c}) {
      bool fits = values->size() >= x.size();
      for (const blas::Reals& of_shift : *values) fits = fits && of_shift.size() == right_hand_sides;
      require(fits, [&] {
        return fmt::format("each step needs its coefficients for {} shifts and {} right-hand sides", x.size(),
                           right_hand_sides);
      });
    }
  }
  for (const SpinorField<T>* residual : r) require_blas_fields<T, 2>({x[0], blas::mutate(*residual)});
  for (std::size_t s = 0; s < x.size(); ++s) require_blas_fields<T, 3>({x[0], x[s], &p[s]});
  for (std::size_t begin = 0; begin < x.size(); begin += shifts_together) {
    const std::size_t count = std::min<std::size_t>(shifts_together, x.size() - begin);
    run_shifted_steps<shifts_together, T>(x.subspan(begin, count), p.subspan(begin, count), r, steps, begin);
  }
}

}  // namespace kaon::detail

/// Everything above for fields of T, in one translation unit.
#define KAON_INSTANTIATE_SHIFTED_STEPS(T)                                                         \
  template void multi_shift_cg_steps(std::span<SpinorField<T>* const>, std::span<SpinorField<T>>, \
                                     std::span<const SpinorField<T>* const>, std::span<const ShiftedStep>);
