// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/algebra.hpp"
#include "core/launch.hpp"
#include "core/process_sums.hpp"
#include "core/site_sums.hpp"
#include "core/workspace.hpp"

#include <kaon/core/lattice.hpp>

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace kaon::detail {

// Solvers compute coefficients from sums, and vector operations wait for these. Where the host does it, a device stands
// still until the host has seen the sums and launched the next kernel, which takes longer than many a kernel. So a
// *rule* can compute the coefficients where the sums are, and the operations that need them are enqueued at once. The
// host sees the sums later, beside the work. What a rule does not know how to treat it leaves to the host: then nothing
// is done with that right-hand side.

/// Right-hand sides of one launch of a vector operation: their coefficients travel as kernel arguments, as rules do.
inline constexpr int blas_batch = 16;

/// The coefficients of right-hand sides that are to be left as they are.
inline constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

/// N coefficients that a rule has computed for each right-hand side, in the kernels' memory.
template <int N>
struct ComputedCoefficients {
  const Complex<double>* values = nullptr;
};

/// No rule. Others compute `coefficients` complex numbers c from the sums of a right-hand side:
/// `bool rule(right_hand_side, sums, c)`, false where the host must see to it.
struct NoRule {
  static constexpr int coefficients = 0;
};

/// Applies `rule` and stores what it computes; 1 if that is all, 0 if it is the host's turn.
template <class Rule>
KOKKOS_INLINE_FUNCTION double apply_rule(const Rule& rule, int right_hand_side, const double* sums,
                                         Complex<double>* computed) {
  Complex<double> c[Rule::coefficients];
  const bool done = rule(right_hand_side, sums, c);
  for (int k = 0; k < Rule::coefficients; ++k) {
    computed[right_hand_side * Rule::coefficients + k] = done ? c[k] : Complex<double>{not_computed, not_computed};
  }
  return done ? 1.0 : 0.0;
}

/// Where norms must lie for the products of a hop to be right: kernels square numbers in the precision of their
/// arithmetic, in which that may leave the range.
struct ProductRange {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool with_x = false;  ///< products with x are made

  KOKKOS_INLINE_FUNCTION bool holds(const double* sums) const { return holds(sums[0]) && (!with_x || holds(sums[3])); }
  KOKKOS_INLINE_FUNCTION bool holds(double norm2) const { return norm2 > least && norm2 < most; }
};

/// `rule` for products that are in their range; others the host must take in another way.
template <class Rule>
struct InRange {
  static constexpr int coefficients = Rule::coefficients;
  Rule rule;
  ProductRange range;
  KOKKOS_INLINE_FUNCTION bool operator()(int right_hand_side, const double* sums, Complex<double>* c) const {
    return range.holds(sums) && rule(right_hand_side, sums, c);
  }
};
template <>
struct InRange<NoRule> {
  static constexpr int coefficients = 0;
  NoRule rule;
  ProductRange range;
};

/// Numbers that the host is told of a right-hand side: sums, and whether the rule was applied if there is one.
constexpr int numbers_told(int sums, int coefficients) { return sums + (coefficients > 0 ? 1 : 0); }

/// True if kernels can add up over the processes of `lattice` what they add up over its sites. Collective.
bool kernels_sum_over_processes(const Lattice& lattice);

/// Sums over sites and processes that are being made, and what a rule computes of them.
///
/// On one process kernels make them, and on several processes where they can; elsewhere each process has its own when
/// its kernels are done, rules cannot be applied, and `wait` adds them up.
class SumsInFlight {
 public:
  /// `sums` and `coefficients` of each right-hand side. `slot`: of `Workspace::slots` that may be
  /// in flight, which. Collective.
  SumsInFlight(const Lattice& lattice, int slot, int right_hand_sides, int sums, int coefficients);

  /// Where kernels write: [right-hand side][`numbers_told`].
  double* results() { return results_; }
  Complex<double>* coefficient_memory() { return coefficients_; }
  /// What kernels add them up with.
  const ProcessSums& processes() const { return processes_; }
  template <int N>
  ComputedCoefficients<N> coefficients() const {
    return {coefficients_};
  }

  /// Waits until all is written. The other calls are for afterwards. Once; collective. Throws `Error` if other sums
  /// were made in this slot meanwhile.
  void wait();
  double sum(int right_hand_side, int k) const { return values_[index(right_hand_side) + static_cast<std::size_t>(k)]; }
  /// [right-hand side][sum]
  std::vector<double> sums() const;
  /// Which right-hand sides the rule was applied to.
  std::vector<bool> done() const;

 private:
  std::size_t index(int right_hand_side) const { return static_cast<std::size_t>(right_hand_side * told_); }

  Lattice lattice_;
  ProcessSums processes_;
  int slot_, right_hand_sides_, sums_, told_;
  int turn_ = 0;
  std::vector<double> values_;
  double* results_;
  Complex<double>* coefficients_;
};

/// The end of sums that a kernel makes for each right-hand side: over processes, for the host, and for a rule.
template <class Rule, int Sums>
struct SumsTold {
  static constexpr int numbers = numbers_told(Sums, Rule::coefficients);
  double* results = nullptr;
  Complex<double>* computed = nullptr;
  ProcessSums processes;
  Rule rule;

  SumsTold() = default;
  SumsTold(SumsInFlight& flight, const Rule& rule)
      : results(flight.results()), computed(flight.coefficient_memory()), processes(flight.processes()), rule(rule) {}

  /// Host: of sums that are among the results already.
  void tell(int rhs) const {
    if constexpr (Rule::coefficients > 0) {
      double* const of_rhs = results + rhs * numbers;
      of_rhs[Sums] = apply_rule(rule, rhs, of_rhs, computed);
    }
  }
  /// Device, by all threads of a team: thread k has sum k of this process.
  KOKKOS_INLINE_FUNCTION void tell([[maybe_unused]] int rhs, [[maybe_unused]] int thread,
                                   [[maybe_unused]] double sum) const {
#if defined(__CUDA_ARCH__)
    constexpr int warp = 32;
    static_assert(Sums <= warp && Sums <= ProcessSums::most_sums);
    if (thread >= warp) return;
    volatile double* const of_rhs = results + rhs * numbers;
    if (thread < Sums) {
      sum = processes.add(rhs, thread, sum);
      of_rhs[thread] = sum;
    }
    if constexpr (Rule::coefficients > 0) {
      __syncwarp();
      double all[Sums];
      for (int k = 0; k < Sums; ++k) all[k] = __shfl_sync(~0U, sum, k);
      if (thread == 0) of_rhs[Sums] = apply_rule(rule, rhs, all, computed);
    }
#endif
  }
};

/// Adds up the parts of sums over sites on a device. A team adds up a cluster of parts of one right-hand side; the one
/// that finishes last adds up the clusters, applies the rule and tells the host.
template <class Rule>
struct AddKernel {
  static constexpr int largest_team = 256;
  static constexpr unsigned teams_together = 1;
  static constexpr int cluster = 256;  ///< parts that a team adds up
  SiteSums sums;
  int clusters;
  double* of_clusters;  // [right-hand side][cluster][sum]
  int* finished;        // of each right-hand side; zero before and after
  SumsTold<Rule, site_sums> told;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] int number, [[maybe_unused]] int thread) const {
#if defined(__CUDA_ARCH__)
    const int rhs = number / clusters;
    const int begin = number % clusters * cluster;
    const int rest = sums.parts - begin;
    const double sum = add(sums.of_part(rhs, begin), rest < cluster ? rest : cluster, thread);
    if (clusters == 1) return told.tell(rhs, thread, sum);
    double* const rows = of_clusters + rhs * clusters * site_sums;
    if (thread < site_sums) {
      rows[number % clusters * site_sums + thread] = sum;
      __threadfence();
    }
    __shared__ bool last;
    __syncthreads();
    if (thread == 0) {
      last = atomicAdd(finished + rhs, 1) == clusters - 1;
      __threadfence();
    }
    __syncthreads();
    if (!last) return;
    told.tell(rhs, thread, add(rows, clusters, thread));
    if (thread == 0) finished[rhs] = 0;
#endif
  }

 private:
#if defined(__CUDA_ARCH__)
  /// Sums over `count` rows, sum k for thread k. Other multiprocessors wrote them: not to be taken from this one's
  /// cache.
  __device__ static double add(const double* rows, int count, int thread) {
    __shared__ double part[largest_team / 32][site_sums];
    double sum = 0.0;
#pragma unroll 8
    for (int row = thread / site_sums; row < count; row += largest_team / site_sums) {
      sum += __ldcg(rows + row * site_sums + thread % site_sums);
    }
    sum += __shfl_xor_sync(~0U, sum, 8);
    sum += __shfl_xor_sync(~0U, sum, 16);
    __syncthreads();  // nobody reads the last call's parts any more
    if (thread % 32 < site_sums) part[thread / 32][thread % site_sums] = sum;
    __syncthreads();
    sum = 0.0;
    if (thread < site_sums) {
      for (const auto& of_warp : part) sum += of_warp[thread];
    }
    return sum;
  }
#endif
};

/// Sums over sites of which kernels make the parts.
class PartsOfSums {
 public:
  PartsOfSums(const Lattice& lattice, const SiteSums& sums, int right_hand_sides, const ProductRange& range = {},
              int slot = 0)
      : lattice_(lattice), sums_(sums), right_hand_sides_(right_hand_sides), range_(range), slot_(slot) {}

  /// Enqueues that the parts are added up and that `unguarded` is applied to sums within the range.
  template <class Rule>
  ComputedCoefficients<Rule::coefficients> add(const Rule& unguarded) {
    const InRange<Rule> rule{unguarded, range_};
    flight_.emplace(lattice_, slot_, right_hand_sides_, site_sums, Rule::coefficients);
    const SumsTold<InRange<Rule>, site_sums> told(*flight_, rule);
    if constexpr (on_device) {
      Workspace& workspace = lattice_.workspace();
      AddKernel<InRange<Rule>> kernel;
      kernel.sums = sums_;
      kernel.told = told;
      kernel.clusters = (sums_.parts + kernel.cluster - 1) / kernel.cluster;
      kernel.of_clusters =
          workspace.cluster_sums(static_cast<std::size_t>(right_hand_sides_ * site_sums * kernel.clusters));
      kernel.finished = workspace.finished_parts(static_cast<std::size_t>(right_hand_sides_));
      launch_tile("kaon::add_parts", lattice_.execution(), right_hand_sides_ * kernel.clusters, kernel.largest_team,
                  kernel);
    } else {
      add_on_host(told.numbers);
      for (int rhs = 0; rhs < right_hand_sides_; ++rhs) told.tell(rhs);
    }
    return flight_->coefficients<Rule::coefficients>();
  }

  /// The sums, which are added up first if that has not been asked for. Collective.
  const SumsInFlight& wait() {
    if (!flight_) add(NoRule{});
    flight_->wait();
    return *flight_;
  }

 private:
  /// `stride`: from the results of a right-hand side to those of the next.
  void add_on_host(int stride);

  Lattice lattice_;
  SiteSums sums_;
  int right_hand_sides_;
  ProductRange range_;
  int slot_;
  std::optional<SumsInFlight> flight_;
};

/// What a solver has done with products as soon as they are made (`blas::ProductsWanted::at_once`).
struct AtOnce {
  int slot = 0;  ///< of these products: another one than 0 where other sums are taken before they are known
  /// Called, if at all, when the parts of the products are under way and those are not known yet: asks for sums and
  /// what rules make of them, and enqueues what follows. That may be another application of the same operator, with
  /// products of its own in another slot, for which it waits; for these products it must not.
  std::function<void(PartsOfSums&)> enqueue;
  /// Afterwards: of which right-hand sides the rule made something; empty if `enqueue` was not called.
  std::vector<bool> done = {};

  bool called() const { return !done.empty(); }
};

}  // namespace kaon::detail
