// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "momentum_sums.hpp"

#include "core/fields/load_number.hpp"
#include "core/lattice/workspace.hpp"
#include "momentum_bounds.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace kaon::detail {
namespace {

using LongRange = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::int64_t>>;

/// out[outer][k][inner] = sum_n waves(k, n) in[outer][n][inner], of complex numbers as pairs of reals.
struct AxisSumKernel {
  static constexpr int block = on_device ? 2 : 16;   // reals of a work item, a few registers
  static constexpr int at_once = on_device ? 8 : 5;  // functions, whose sums are in registers

  const double* in;
  double* out;
  WaveValues waves;
  std::int64_t inner, blocks;

  KOKKOS_FUNCTION void operator()(const std::int64_t number) const {
    const std::int64_t outer = number / blocks, begin = (number - outer * blocks) * block;
    if constexpr (on_device) {
      const int functions = static_cast<int>(waves.extent(0));
      for (int first = 0; first < functions; first += at_once) {
        add_functions<at_once>(outer, begin, first, functions - first);
      }
    } else if (begin + block <= inner) {
      add<block>(outer, begin);
    } else {
      for (std::int64_t i = begin; i < inner; ++i) add<1>(outer, i);
    }
  }

 private:
  /// One complex number on a device, by loops whose number of functions is known when they are compiled.
  template <int Functions>
  KOKKOS_FORCEINLINE_FUNCTION void add_functions(std::int64_t outer, std::int64_t begin, int first, int left) const {
    if constexpr (Functions > 1) {
      if (left < Functions) return add_functions<Functions - 1>(outer, begin, first, left);
    }
    constexpr int loads = 4;  // that run at once
    const int functions = static_cast<int>(waves.extent(0)), length = static_cast<int>(waves.extent(1));
    const double* const values = in + outer * length * inner + begin;
    Complex<double> sums[Functions] = {};
    const auto add_to_sums = [&](const Complex<double>& value, int n) {
      KAON_UNROLL
      for (int k = 0; k < Functions; ++k) sums[k] = sums[k] + waves(first + k, n) * value;
    };
    int n = 0;
    for (; n + loads <= length; n += loads) {
      Complex<double> loaded[loads];
      KAON_UNROLL
      for (int l = 0; l < loads; ++l) loaded[l] = detail::load_number(values + (n + l) * inner);
      KAON_UNROLL
      for (int l = 0; l < loads; ++l) add_to_sums(loaded[l], n + l);
    }
    for (; n < length; ++n) add_to_sums(detail::load_number(values + n * inner), n);
    KAON_UNROLL
    for (int k = 0; k < Functions; ++k) {
      const std::int64_t place = (outer * functions + first + k) * inner + begin;
      reinterpret_cast<Complex<double>*>(out)[place / 2] = sums[k];
    }
  }

  template <int Count>
  KOKKOS_FUNCTION void add(std::int64_t outer, std::int64_t begin) const {
    const int functions = static_cast<int>(waves.extent(0)), length = static_cast<int>(waves.extent(1));
    for (int first = 0; first < functions; first += at_once) {
      double sums[at_once][Count] = {};
      for (int n = 0; n < length; ++n) {
        const double* values = in + (outer * length + n) * inner + begin;
        for (int k = 0; k < at_once; ++k) {
          if (first + k >= functions) continue;
          const double wave = waves(first + k, n);
          for (int i = 0; i < Count; ++i) sums[k][i] += wave * values[i];
        }
      }
      for (int k = 0; k < at_once; ++k) {
        if (first + k >= functions) continue;
        double* to = out + (outer * functions + first + k) * inner + begin;
        for (int i = 0; i < Count; ++i) to[i] = sums[k][i];
      }
    }
  }
};

/// out[momentum][t][component] = sum of the sums with the functions of a momentum, in[slice][k_z][k_y][k_x][component]:
/// exp(-i p.x) is a product of a cosine - i times a sine for each direction.
struct MomentumKernel {
  static constexpr int block = on_device ? 1 : 16;  // components of a work item

  const Complex<double>* in;
  Complex<double>* out;
  const MomentumWaves* momenta;
  std::int64_t components, blocks;
  SlicePass pass;
  int functions[3];
  int first_time, times;  // relative to the source

  KOKKOS_FUNCTION void operator()(const std::int64_t number) const {
    const std::int64_t rest = number / blocks, begin = (number - rest * blocks) * block;
    const std::int64_t momentum = rest / pass.size(), slice = rest - momentum * pass.size();
    if (begin + block <= components) {
      add<block>(momentum, slice, begin);
    } else {
      for (std::int64_t i = begin; i < components; ++i) add<1>(momentum, slice, i);
    }
  }

 private:
  template <int Count>
  KOKKOS_FORCEINLINE_FUNCTION void add(std::int64_t momentum, std::int64_t slice, std::int64_t begin) const {
    const MomentumWaves p = momenta[momentum];
    double re[Count] = {}, im[Count] = {};
    KAON_UNROLL
    for (int sines = 0; sines < 8; ++sines) {
      Complex<double> factor{1.0, 0.0};
      std::int64_t place = slice;
      KAON_UNROLL
      for (int mu = 2; mu >= 0; --mu) {
        const int is_sine = sines >> mu & 1;
        if (is_sine) factor = p.sign[mu] * Complex<double>{factor.im, -factor.re};
        place = place * functions[mu] + p.function[mu][is_sine];
      }
      if (factor.re == 0.0 && factor.im == 0.0) continue;
      for (int i = 0; i < Count; ++i) {
        const Complex<double> value = load_number(reinterpret_cast<const double*>(in + place * components + begin + i));
        re[i] += factor.re * value.re - factor.im * value.im;
        im[i] += factor.re * value.im + factor.im * value.re;
      }
    }
    const int time = (first_time + pass.time(static_cast<int>(slice))) % times;
    Complex<double>* const to = out + (momentum * times + time) * components + begin;
    for (int i = 0; i < Count; ++i) to[i] = {re[i], im[i]};
  }
};

Waves waves_of(std::size_t direction, const ContractionParameters& parameters, int length) {
  Waves waves;
  for (const SpatialMomentum& n : parameters.momenta) waves.modes.push_back(std::abs(n[direction]));
  std::ranges::sort(waves.modes);
  const auto rest = std::ranges::unique(waves.modes);
  waves.modes.erase(rest.begin(), rest.end());
  for (const int mode : waves.modes) {
    for (const bool sine : {false, true}) {
      if (mode == 0 && sine) continue;
      std::vector<double>& values = waves.values.emplace_back();
      for (int x = 0; x < length; ++x) {
        const auto turns = static_cast<std::int64_t>(mode) * (x - parameters.source_site[direction]) % length;
        const double angle = 2.0 * std::numbers::pi * static_cast<double>(turns) / length;
        values.push_back(sine ? std::sin(angle) : std::cos(angle));
      }
    }
  }
  return waves;
}

}  // namespace

int Waves::cosine(int n) const {
  const auto place = std::ranges::find(modes, std::abs(n)) - modes.begin();
  return static_cast<int>(modes.front() == 0 ? std::max<std::ptrdiff_t>(2 * place - 1, 0) : 2 * place);
}

int Waves::sine(int n) const { return n == 0 ? -1 : cosine(n) + 1; }

LatticeMemory::LatticeMemory(const Lattice& lattice, std::size_t numbers)
    : lattice_(lattice), memory_(lattice.workspace().take<double>(2 * numbers)) {}
LatticeMemory::~LatticeMemory() { lattice_.workspace().give_back(memory_); }

/// Memory in which kernels and the host see the same numbers.
struct MomentumSums::SharedNumbers {
#if defined(KOKKOS_ENABLE_CUDA)
  using Space = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
#else
  using Space = std::conditional_t<on_device, Kokkos::SharedSpace, Kokkos::HostSpace>;
#endif
  Kokkos::View<double*, Space> numbers;

  Complex<double>* data() const { return reinterpret_cast<Complex<double>*>(numbers.data()); }

  /// Unused memory for so many reals. The lattice retains it, since pinned memory is slow to allocate.
  static std::shared_ptr<SharedNumbers> take(const Lattice& lattice, std::size_t size) {
    using Pool = std::vector<std::shared_ptr<SharedNumbers>>;
    std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(Pool), 0);
    if (kept == nullptr) kept = std::make_shared<Pool>();
    Pool& pool = *static_cast<Pool*>(kept.get());
    const auto is_free = [](const auto& each) { return each.use_count() == 1; };
    auto found =
        std::ranges::find_if(pool, [&](const auto& each) { return is_free(each) && each->numbers.size() >= size; });
    if (found != pool.end()) return *found;
    found = std::ranges::find_if(pool, is_free);
    const std::shared_ptr<SharedNumbers> memory =
        found != pool.end() ? *found : pool.emplace_back(std::make_shared<SharedNumbers>());
    memory->numbers = {};
    memory->numbers =
        Kokkos::View<double*, Space>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::momentum_sums"), size);
    return memory;
  }
};

int slices_of_pass(std::size_t numbers, int slices) {
  constexpr std::size_t most = (std::size_t{on_device ? 512 : 8} << 20) / sizeof(Complex<double>);
  const int count = static_cast<int>(
      std::clamp<std::size_t>(most / std::max<std::size_t>(numbers, 1), 1, static_cast<std::size_t>(slices)));
  if (!on_device) return count;
  const int passes = (slices + count - 1) / count;
  return (slices + passes - 1) / passes;  // alike in all passes
}

void require_momentum(const SpatialMomentum& momentum, const Coordinates& extents) {
  SpatialMomentum alias = momentum;
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const std::int64_t n = momentum[mu], length = extents[mu];
    if (std::abs(2 * n) <= length) continue;
    const std::int64_t rest = (n % length + length) % length;
    alias[mu] = static_cast<int>(2 * rest > length ? rest - length : rest);
  }
  require(alias == momentum, [&] {
    return fmt::format("momentum ({}) is the same as ({}) on {}x{}x{} sites: give numbers up to half of the extents",
                       fmt::join(momentum, ", "), fmt::join(alias, ", "), extents[0], extents[1], extents[2]);
  });
}

MomentumSums::MomentumSums(const Lattice& lattice, const ContractionParameters& parameters, std::size_t components,
                           int parts)
    : lattice_(lattice), parameters_(parameters), components_(components) {
  require(!parameters.momenta.empty(), "a correlator needs one momentum at least");
  for (const SpatialMomentum& momentum : parameters.momenta) require_momentum(momentum, lattice.extents());
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int place = parameters.source_site[mu], length = lattice.extents()[mu];
    require(place >= 0 && place < length, [&] {
      return fmt::format("correlator source {} = {}: the lattice has 0 to {}", "xyzt"[mu], place, length - 1);
    });
    if (mu < 3) waves_[mu] = waves_of(mu, parameters, length);
  }
  const std::size_t reals = 2 * parameters.momenta.size() * times() * components;
  sums_ = SharedNumbers::take(lattice, reals);
  // Other processes have the other times.
  if (lattice.local_extents()[3] < lattice.extents()[3]) std::fill_n(sums_->numbers.data(), reals, 0.0);
  store_tables(parts);
}

void MomentumSums::store_tables(int parts) {
  static_assert(sizeof(MomentumWaves) % sizeof(double) == 0);
  const std::size_t momenta = parameters_.momenta.size();
  std::size_t size = momenta * sizeof(MomentumWaves) / sizeof(double), first[3], lengths[3];
  for (std::size_t mu = 0; mu < 3; ++mu) {
    lengths[mu] = static_cast<std::size_t>(lattice_.local_extents()[mu] * (mu == 1 ? parts : 1));
    first[mu] = size;
    size += waves_[mu].values.size() * lengths[mu];
  }
  host_tables_ = SharedNumbers::take(lattice_, size);
  double* const host = host_tables_->numbers.data();
  auto* const of_momenta = reinterpret_cast<MomentumWaves*>(host);
  for (std::size_t p = 0; p < momenta; ++p) {
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const int n = parameters_.momenta[p][mu];
      of_momenta[p].function[mu][0] = waves_[mu].cosine(n);
      of_momenta[p].function[mu][1] = std::max(waves_[mu].sine(n), 0);
      of_momenta[p].sign[mu] = n == 0 ? 0.0 : n > 0 ? 1.0 : -1.0;
    }
  }
  tables_ = std::make_unique<LatticeMemory>(lattice_, (size + 1) / 2);
  auto* const in_kernels = reinterpret_cast<double*>(tables_->data());
  momenta_ = reinterpret_cast<const MomentumWaves*>(in_kernels);
  for (std::size_t mu = 0; mu < 3; ++mu) {
    const std::size_t functions = waves_[mu].values.size(), in_parts = mu == 1 ? static_cast<std::size_t>(parts) : 1;
    for (std::size_t k = 0; k < functions; ++k) {
      const double* const values = waves_[mu].values[k].data() + lattice_.origin()[mu];
      for (std::size_t n = 0; n < lengths[mu]; ++n) host[first[mu] + k * lengths[mu] + n] = values[n / in_parts];
    }
    local_waves_[mu] = WaveValues(in_kernels + first[mu], functions, lengths[mu]);
  }
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(lattice_.execution(), Kokkos::View<double*, Memory, Unmanaged>(in_kernels, size),
                    Kokkos::View<const double*, SharedNumbers::Space, Unmanaged>(host, size));
}

void MomentumSums::sum_axis(std::unique_ptr<LatticeMemory>& sums, const Complex<double>* values,
                            const WaveValues& waves, std::size_t outer, std::size_t inner) const {
  const std::size_t numbers = outer * waves.extent(0) * inner;
  if (sums == nullptr || sums->size() < numbers) sums = std::make_unique<LatticeMemory>(lattice_, numbers);
  const auto reals = static_cast<std::int64_t>(2 * inner);
  const std::int64_t blocks = (reals + AxisSumKernel::block - 1) / AxisSumKernel::block;
  Kokkos::parallel_for("kaon::sum_axis", LongRange(lattice_.execution(), 0, static_cast<std::int64_t>(outer) * blocks),
                       AxisSumKernel{reinterpret_cast<const double*>(values), reinterpret_cast<double*>(sums->data()),
                                     waves, reals, blocks});
}

void MomentumSums::add_sites(const SlicePass& pass, const Complex<double>* values) {
  const Coordinates& extents = lattice_.local_extents();
  sum_axis(of_rows_, values, local_waves(0), static_cast<std::size_t>(extents[1] * extents[2] * pass.size()),
           components_);
  add_rows(pass, of_rows_->data());
}

void MomentumSums::add_rows(const SlicePass& pass, const Complex<double>* rows) {
  const auto slices = static_cast<std::size_t>(pass.size()), functions_x = waves_[0].values.size(),
             functions_y = waves_[1].values.size();
  sum_axis(of_planes_, rows, local_waves(1), static_cast<std::size_t>(lattice_.local_extents()[2]) * slices,
           functions_x * components_);
  sum_axis(of_slices_, of_planes_->data(), local_waves(2), slices, functions_y * functions_x * components_);
  const auto components = static_cast<std::int64_t>(components_);
  const std::int64_t blocks = (components + MomentumKernel::block - 1) / MomentumKernel::block;
  const auto items = static_cast<std::int64_t>(parameters_.momenta.size()) * pass.size() * blocks;
  const int length = lattice_.extents()[3];
  const int first_time = (lattice_.origin()[3] - parameters_.source_site[3] + length) % length;
  Kokkos::parallel_for("kaon::sum_momenta", LongRange(lattice_.execution(), 0, items),
                       MomentumKernel{.in = of_slices_->data(),
                                      .out = sums_->data(),
                                      .momenta = momenta_,
                                      .components = components,
                                      .blocks = blocks,
                                      .pass = pass,
                                      .functions = {waves_[0].count(), waves_[1].count(), waves_[2].count()},
                                      .first_time = first_time,
                                      .times = length});
}

SpatialSums MomentumSums::result() const {
  lattice_.execution().fence("kaon::sum_momenta");
  const std::size_t size = parameters_.momenta.size() * times() * components_;
  lattice_.communicator().sum(std::span(sums_->numbers.data(), 2 * size));
  return {.momenta = parameters_.momenta.size(),
          .times = times(),
          .components = components_,
          .values = {reinterpret_cast<std::complex<double>*>(sums_->numbers.data()), size},
          .memory = sums_};
}

}  // namespace kaon::detail
