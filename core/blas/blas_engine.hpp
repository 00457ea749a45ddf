// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/device/primitives.hpp"
#include "core/device/team.hpp"
#include "core/fields/element_order.hpp"
#include "core/fields/layout.hpp"
#include "core/lattice/workspace.hpp"
#include "core/launch/launch.hpp"
#include "core/reductions/pending_sums.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/spinor_field.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace kaon::detail {

// One pass over several fields: an operation is a struct with
//   fields, coefficients, sums   how many it has
//   reads, writes                bit k set: field k is read, is written
//   apply(z, c, s)               the formula for one element: z the fields' elements, c the coefficients, s the sums
// and the engine does the rest: chunks, right-hand sides, threads, and sums in double whose order is fixed by the size.

/// Threads of a team on the device.
inline constexpr int blas_team = 256;

/// A work item's unit of loads and stores: a pack on the host, 16 bytes on the device.
template <class T, class V>
struct Chunk {
  static constexpr int count = on_device ? device_pair<T> : 1;  // complex numbers
  static constexpr int numbers = 2 * count * lane_count<V>;     // of T in memory

  KOKKOS_FORCEINLINE_FUNCTION static void load(Complex<V>* z, const T* field, std::size_t chunk) {
    const T* from = field + chunk * numbers;
    if constexpr (on_device) {
      const auto word = *reinterpret_cast<const Word<T, count>*>(from);
      KAON_UNROLL
      for (int n = 0; n < count; ++n) z[n] = {word.number[2 * n], word.number[2 * n + 1]};
    } else {
      z[0] = {load_lanes<V>(from), load_lanes<V>(from + lane_count<V>)};
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store(T* field, const Complex<V>* z, std::size_t chunk) {
    T* to = field + chunk * numbers;
    if constexpr (on_device) {
      Word<T, count> word;
      KAON_UNROLL
      for (int n = 0; n < count; ++n) {
        word.number[2 * n] = z[n].re;
        word.number[2 * n + 1] = z[n].im;
      }
      *reinterpret_cast<Word<T, count>*>(to) = word;
    } else {
      store_lanes<V>(to, z[0].re);
      store_lanes<V>(to + lane_count<V>, z[0].im);
    }
  }
};
/// In 16-bit fixed point: an object of N numbers, which share a scale.
template <class V, int N>
struct ScaledChunk {
  static constexpr int count = N;
  static constexpr int numbers = object_size(count, true) * lane_count<V>;
  using Object = ObjectAccess<half, V, count, true>;

  KOKKOS_FORCEINLINE_FUNCTION static void load(Complex<V>* z, const half* field, std::size_t chunk) {
    Object::load(z, field, static_cast<int>(chunk));
  }
  KOKKOS_FORCEINLINE_FUNCTION static void store(half* field, const Complex<V>* z, std::size_t chunk) {
    Object::store(field, z, static_cast<int>(chunk));
  }
};

/// Calls `body.template operator()<V, Item>()` with the lanes and the chunk for fields of `components` numbers a site.
template <class T, class Body>
void with_chunk(int lanes, int components, const Body& body) {
  with_lanes<T>(lanes, [&]<class V>() {
    if constexpr (std::is_same_v<T, half>) {
      with_scaled_object(components, [&]<int N>() { body.template operator()<V, ScaledChunk<V, N>>(); });
    } else {
      body.template operator()<V, Chunk<T, V>>();
    }
  });
}

/// Op on the chunks of one part. It does not depend on how the sums are used, so that these have the same digits
/// for any use.
template <class T, class V, class Item, class Op>
struct BlasPass {
  static constexpr int sum_count = std::max(Op::sums, 1);
  /// Words of 16 bytes in a chunk, except for what its scale adds to several of them.
  static constexpr int words = std::max(Item::numbers * static_cast<int>(sizeof(T)) / 16, 1);
  /// Chunks of which a thread of a device has loads running at once.
  static constexpr int unroll = on_device ? std::max((Op::fields <= 2 ? 4 : 2) / words, 1) : 1;

  T* field[Op::fields];
  std::size_t stride[Op::fields];
  KernelScalars<T, Op::coefficients> coefficients;
  std::size_t chunks;       // of one right-hand side
  std::size_t part_length;  // chunks of a part

  /// `Unroll` chunks of right-hand side `rhs`, `step` apart: all loads first, so that many are running at once.
  template <int Unroll>
  KOKKOS_FORCEINLINE_FUNCTION void apply(std::size_t chunk, std::size_t step, int rhs,
                                         const Complex<Arithmetic<T>>* coefficient, Wide<V> (&sums)[sum_count]) const {
    constexpr int count = Item::count;
    Complex<V> z[Unroll][Op::fields][count];
    KAON_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      KAON_UNROLL
      for (int f = 0; f < Op::fields; ++f) {
        if (!((Op::reads >> f) & 1)) continue;
        Item::load(z[u][f], field[f] + static_cast<std::size_t>(rhs) * stride[f],
                   chunk + static_cast<std::size_t>(u) * step);
      }
    }
    KAON_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      KAON_UNROLL
      for (int n = 0; n < count; ++n) {
        Complex<V> element[Op::fields];
        KAON_UNROLL
        for (int f = 0; f < Op::fields; ++f) {
          if ((Op::reads >> f) & 1) element[f] = z[u][f][n];
        }
        Op::template apply<V>(element, coefficient, sums);
        KAON_UNROLL
        for (int f = 0; f < Op::fields; ++f) {
          if ((Op::writes >> f) & 1) z[u][f][n] = element[f];
        }
      }
    }
    KAON_UNROLL
    for (int u = 0; u < Unroll; ++u) {
      KAON_UNROLL
      for (int f = 0; f < Op::fields; ++f) {
        if (!((Op::writes >> f) & 1)) continue;
        Item::store(field[f] + static_cast<std::size_t>(rhs) * stride[f], z[u][f],
                    chunk + static_cast<std::size_t>(u) * step);
      }
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void clear(Wide<V> (&sums)[sum_count]) {
    for (int k = 0; k < sum_count; ++k) sums[k] = Wide<V>(0.0);
  }

  /// The chunks of a part that thread `rank` of a team works on.
  KAON_KERNEL_PART void run(int part, int rank, int rhs, Wide<V> (&sums)[sum_count]) const {
    clear(sums);
    typename KernelScalars<T, Op::coefficients>::Values c;
    if (!coefficients.load(rhs, c)) {
      // The right-hand side is left as it is and has no sums.
      for (Wide<V>& sum : sums) sum = Wide<V>(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const std::size_t begin = static_cast<std::size_t>(part) * part_length;
    const std::size_t end = begin + part_length < chunks ? begin + part_length : chunks;
    constexpr std::size_t step = on_device ? blas_team : 1;  // the team's size
    std::size_t chunk = begin + static_cast<std::size_t>(rank);
    if constexpr (unroll > 1) {
      for (; chunk + (unroll - 1) * step < end; chunk += unroll * step) apply<unroll>(chunk, step, rhs, c, sums);
    }
    for (; chunk < end; chunk += step) apply<1>(chunk, step, rhs, c, sums);
  }
};

/// Runs in teams, one part each, and adds up all parts.
template <class T, class V, class Item, class Op, class Function = NoFunction>
struct BlasKernel : BlasPass<T, V, Item, Op> {
  using BlasPass<T, V, Item, Op>::sum_count;
  static constexpr int max_team_size = blas_team;
  static constexpr unsigned min_teams = 1;
  /// Without sums, a device's parts are as short as can be and come in the order of sites, so that the next kernel
  /// finds the last of them in the cache.
  static constexpr bool in_short_parts = on_device && Op::sums == 0;

  int parts;
  double* partial;      // [right-hand side][part][sum]
  int* finished_parts;  // of each right-hand side; zero before and after
  SumOutput<Function, Op::sums> output;
  int right_hand_sides;
  bool reversed;  // in short parts: these come in falling order

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    int work = team.league_rank();
    int rhs, part;
    if constexpr (in_short_parts) {
      if (reversed) work = parts * right_hand_sides - 1 - work;
      part = work / right_hand_sides;
      rhs = work % right_hand_sides;
    } else {
      rhs = work / parts;
      part = work % parts;
    }
    Wide<V> sums[sum_count];
    this->run(part, team.team_rank(), rhs, sums);
    if constexpr (Op::sums > 0) finish(team, rhs, part, sums);
  }

 private:
  /// The team that finishes last adds up the partial sums, in an order of their own, and publishes the sums: one
  /// launch, and nothing to wait for but the numbers themselves.
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Team& team, int rhs, int part, const Wide<V> (&sums)[sum_count]) const {
    double mine[Op::sums];
    for (int k = 0; k < Op::sums; ++k) mine[k] = sum_lanes(sums[k]);
    TeamSums<Op::sums> of_team = sum_over_team(team, mine);
    if (parts == 1) return output.publish(team, rhs, of_team);
    double* const of_rhs = partial + rhs * parts * Op::sums;
    for (int k = team.team_rank(); k < Op::sums; k += team.team_size()) of_rhs[part * Op::sums + k] = of_team[k];
    if (!is_last_team(team, finished_parts + rhs, parts)) return;
    for (int k = 0; k < Op::sums; ++k) {
      mine[k] = 0.0;
      for (int p = team.team_rank(); p < parts; p += team.team_size()) {
        mine[k] += load_of_other_team(of_rhs + p * Op::sums + k);
      }
    }
    output.publish(team, rhs, sum_over_team(team, mine));
  }
};

/// Throws `Error` unless fields are of one shape, which vector operations can be applied to.
template <class T, std::size_t N>
void require_blas_fields(const std::array<SpinorField<T>*, N>& fields) {
  const SpinorField<T>& first = *fields[0];
  for (const SpinorField<T>* field : fields) {
    require(field->parameters() == first.parameters() && field->lattice() == first.lattice(),
            "fields of one vector operation must have the same lattice, sites, spins, colours and right-hand sides");
  }
}

/// Launches Op on right-hand sides [begin, start + count) of fields of one shape. Its sums are running then, and the
/// scalars that `function_of(k)` makes of them for each right-hand side k, if kernels can apply functions.
template <class Op, class T, class FunctionOf>
PendingSums launch_blas(const char* label, const std::array<SpinorField<T>*, Op::fields>& fields, int begin, int count,
                        const blas::Scalars& coefficients, const FunctionOf& function_of, const blas::Scalars& earlier,
                        AppliedBy applied_by) {
  using Function = FunctionType<FunctionOf>;
  const Lattice& lattice = fields[0]->lattice();
  Workspace& workspace = lattice.workspace();
  const int right_hand_sides = fields[0]->right_hand_sides();
  // Partial sums that are not added up yet precede these: processes add up in the order in which kernels run.
  if (Op::sums > 0) workspace.partial_sums(0);
  PendingSums pending(lattice, count, Op::sums, Function::scalars, applied_by);
  const int components = fields[0]->components();
  with_chunk<T>(ElementOrder<T>::of(lattice, components).lanes, components, [&]<class V, class Item>() {
    using Kernel = BlasKernel<T, V, Item, Op, Function>;
    Kernel kernel;
    kernel.coefficients = kernel_scalars<T, Op::coefficients>(coefficients, right_hand_sides, begin, count);
    kernel.chunks = fields[0]->size() / Item::numbers;
    constexpr std::size_t shortest = on_device                 ? static_cast<std::size_t>(Kernel::unroll * blas_team)
                                     : std::is_same_v<T, half> ? 1152 / Item::count
                                                               : 1024;
    constexpr std::size_t most_parts = on_device ? 1056 : 4096;
    const std::size_t longest = Kernel::in_short_parts ? shortest : (kernel.chunks + most_parts - 1) / most_parts;
    kernel.part_length = std::max<std::size_t>(1, (longest + shortest - 1) / shortest) * shortest;
    kernel.parts = static_cast<int>((kernel.chunks + kernel.part_length - 1) / kernel.part_length);
    for (std::size_t f = 0; f < Op::fields; ++f) {
      kernel.stride[f] = fields[f]->right_hand_side_stride();
      kernel.field[f] = fields[f]->data() + static_cast<std::size_t>(begin) * kernel.stride[f];
    }
    const int work = count * kernel.parts;
    kernel.partial = Op::sums > 0 ? workspace.partial_sums(static_cast<std::size_t>(work * Op::sums)) : nullptr;
    kernel.output = sum_output<Function, Op::sums>(pending, function_of, earlier);
    kernel.right_hand_sides = count;
    kernel.finished_parts = Op::sums > 0 ? workspace.finished_parts(blas_batch) : nullptr;
    kernel.reversed = alternate_direction(Op::sums == 0);
    launch_teams(label, lattice.execution(), work, blas_team, kernel);
  });
  return pending;
}

/// Applies Op to fields of one shape, and `function_of(k)` to the sums of each right-hand side k: by kernels where they
/// can, which `applied_by` may leave unattended, and else by the host, which waits for the sums.
template <class Op, class T, class FunctionOf>
PendingSums run_blas(const char* label, const std::array<SpinorField<T>*, Op::fields>& fields,
                     const blas::Scalars& coefficients, const FunctionOf& function_of,
                     const blas::Scalars& earlier = {}, AppliedBy applied_by = AppliedBy::kernels) {
  require_blas_fields(fields);
  const Lattice& lattice = fields[0]->lattice();
  const int right_hand_sides = fields[0]->right_hand_sides();
  if (!kernels_apply_functions(lattice, right_hand_sides)) applied_by = AppliedBy::host;
  const auto launch = [&](int begin) {
    return launch_blas<Op, T>(label, fields, begin, std::min(blas_batch, right_hand_sides - begin), coefficients,
                              function_of, earlier, applied_by);
  };
  PendingSums pending = launch(0);
  if (right_hand_sides > blas_batch) {
    std::vector<double> sums = pending.wait();
    for (int begin = blas_batch; begin < right_hand_sides; begin += blas_batch) {
      PendingSums rest = launch(begin);
      const std::vector<double>& more = rest.wait();
      sums.insert(sums.end(), more.begin(), more.end());
    }
    pending = PendingSums(lattice, right_hand_sides, std::move(sums));
  }
  if constexpr (FunctionType<FunctionOf>::scalars > 0) {
    if (applied_by != AppliedBy::host) return pending;
    pending.wait();
    pending.set_scalars(scalars_on_host(
        function_of, [&](std::size_t k) { return pending.row(k); }, static_cast<std::size_t>(right_hand_sides),
        earlier));
  }
  return pending;
}

/// Sums without a function: does not wait for the sums of one launch.
template <class Op, class T>
PendingSums run_blas(const char* label, const std::array<SpinorField<T>*, Op::fields>& fields,
                     const blas::Scalars& coefficients = {}) {
  return run_blas<Op, T>(label, fields, coefficients, no_function);
}

}  // namespace kaon::detail
