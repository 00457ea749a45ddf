// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "momentum_sums.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace kaon::detail {
namespace {

using LongRange = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::int64_t>>;

/// out[outer][k][inner] = sum_n waves(k, n) in[outer][n][inner].
struct AxisSumKernel {
  static constexpr int at_once = 8;  // functions, whose sums are in registers

  const Complex<double>* in;
  Complex<double>* out;
  WaveValues waves;
  std::int64_t inner;

  KOKKOS_FUNCTION void operator()(const std::int64_t number) const {
    const std::int64_t outer = number / inner, i = number - outer * inner;
    const int functions = static_cast<int>(waves.extent(0)), length = static_cast<int>(waves.extent(1));
    for (int first = 0; first < functions; first += at_once) {
      Complex<double> sums[at_once] = {};
      for (int n = 0; n < length; ++n) {
        const Complex<double> value = in[(outer * length + n) * inner + i];
        for (int k = 0; k < at_once; ++k) {
          if (first + k < functions) sums[k] += waves(first + k, n) * value;
        }
      }
      for (int k = 0; k < at_once; ++k) {
        if (first + k < functions) out[(outer * functions + first + k) * inner + i] = sums[k];
      }
    }
  }
};

/// Numbers of the functions of a momentum, the cosine first; signs of the sines, 0 without one.
struct MomentumWaves {
  int function[3][2];
  double sign[3];
};

/// out[momentum][slice][component] = sum_z exp(-i p_z z) sum of the sums over x and y
/// in[slice][z][k_y][k_x][component].
struct MomentumKernel {
  const Complex<double>* in;
  Complex<double>* out;
  Kokkos::View<MomentumWaves*, Memory> momenta;
  WaveValues waves;
  std::int64_t components, slices;
  int functions_x, functions_y;

  KOKKOS_FUNCTION void operator()(const std::int64_t number) const {
    std::int64_t rest = number / components;
    const std::int64_t component = number - rest * components;
    const std::int64_t slice = rest % slices;
    const MomentumWaves p = momenta(static_cast<std::size_t>(rest / slices));
    const int length = static_cast<int>(waves.extent(1));
    Complex<double> sum = {};
    for (int z = 0; z < length; ++z) {
      const Complex<double>* plane = in + (slice * length + z) * functions_y * functions_x * components + component;
      Complex<double> of_plane = {};
      for (int sine_y = 0; sine_y < 2; ++sine_y) {
        Complex<double> of_row = {};
        for (int sine_x = 0; sine_x < 2; ++sine_x) {
          const int function = p.function[1][sine_y] * functions_x + p.function[0][sine_x];
          add(of_row, sine_x ? p.sign[0] : 1.0, plane[function * components], sine_x);
        }
        add(of_plane, sine_y ? p.sign[1] : 1.0, of_row, sine_y);
      }
      for (int sine_z = 0; sine_z < 2; ++sine_z) {
        add(sum, (sine_z ? p.sign[2] : 1.0) * waves(p.function[2][sine_z], z), of_plane, sine_z);
      }
    }
    out[number] = sum;
  }

 private:
  /// sum += factor value, times -i for sines
  KOKKOS_FUNCTION static void add(Complex<double>& sum, double factor, const Complex<double>& value, int sine) {
    if (sine) {
      sum += factor * Complex<double>{value.im, -value.re};
    } else {
      sum += factor * value;
    }
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

std::vector<int> slices_of_nodes(int first, int count, int slices, int nodes) {
  std::vector<int> times;
  for (int node = 0; node < nodes; ++node) {
    for (int t = first; t < first + count; ++t) times.push_back(node * slices + t);
  }
  return times;
}

int slices_of_pass(std::size_t numbers, int slices) {
  constexpr std::size_t most = (std::size_t{on_device ? 64 : 8} << 20) / sizeof(Complex<double>);
  return static_cast<int>(
      std::clamp<std::size_t>(most / std::max<std::size_t>(numbers, 1), 1, static_cast<std::size_t>(slices)));
}

MomentumSums::MomentumSums(const Lattice& lattice, const ContractionParameters& parameters, std::size_t components)
    : lattice_(lattice), parameters_(parameters), components_(components) {
  require(!parameters.momenta.empty(), "a correlator needs one momentum at least");
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int place = parameters.source_site[mu], length = lattice.extents()[mu];
    require(place >= 0 && place < length, [&] {
      return fmt::format("correlator source {} = {}: the lattice has 0 to {}", "xyzt"[mu], place, length - 1);
    });
    if (mu < 3) waves_[mu] = waves_of(mu, parameters, length);
  }
  sums_.momenta = parameters.momenta.size();
  sums_.times = static_cast<std::size_t>(lattice.extents()[3]);
  sums_.components = components;
  sums_.values.resize(sums_.momenta * sums_.times * components);
}

WaveValues MomentumSums::local_waves(std::size_t direction, int parts) const {
  const Waves& waves = waves_[direction];
  const int length = lattice_.local_extents()[direction], origin = lattice_.origin()[direction];
  const WaveValues values("kaon::waves", static_cast<std::size_t>(waves.count()),
                          static_cast<std::size_t>(length * parts));
  const auto host = Kokkos::create_mirror_view(values);
  for (std::size_t k = 0; k < host.extent(0); ++k) {
    for (int n = 0; n < length * parts; ++n) {
      host(k, static_cast<std::size_t>(n)) = waves.values[k][static_cast<std::size_t>(origin + n / parts)];
    }
  }
  Kokkos::deep_copy(values, host);
  return values;
}

namespace {

/// Room for so many numbers, which an earlier pass may have left.
void make_room(ComplexValues& values, const Execution& execution, std::size_t numbers) {
  if (values.size() >= numbers) return;
  values = {};
  values = ComplexValues(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "kaon::momentum_sums"), numbers);
}

}  // namespace

void MomentumSums::sum_axis(ComplexValues& sums, const ComplexValues& values, const WaveValues& waves,
                            std::size_t outer, std::size_t inner) const {
  make_room(sums, lattice_.execution(), outer * waves.extent(0) * inner);
  Kokkos::parallel_for("kaon::sum_axis", LongRange(lattice_.execution(), 0, static_cast<std::int64_t>(outer * inner)),
                       AxisSumKernel{values.data(), sums.data(), waves, static_cast<std::int64_t>(inner)});
}

void MomentumSums::add_sites(const std::vector<int>& times, const ComplexValues& values) {
  const auto rows = static_cast<std::size_t>(lattice_.local_extents()[1]) *
                    static_cast<std::size_t>(lattice_.local_extents()[2]) * times.size();
  sum_axis(of_rows_, values, local_waves(0, 1), rows, components_);
  add_rows(times, 1, of_rows_);
}

void MomentumSums::add_rows(const std::vector<int>& times, int parts, const ComplexValues& rows) {
  const auto functions_x = static_cast<std::size_t>(waves_[0].count());
  const auto planes = static_cast<std::size_t>(lattice_.local_extents()[2]) * times.size();
  sum_axis(of_planes_, rows, local_waves(1, parts), planes, functions_x * components_);

  const Kokkos::View<MomentumWaves*, Memory> momenta("kaon::momenta", sums_.momenta);
  const auto host_momenta = Kokkos::create_mirror_view(momenta);
  for (std::size_t p = 0; p < sums_.momenta; ++p) {
    for (std::size_t mu = 0; mu < 3; ++mu) {
      const int n = parameters_.momenta[p][mu];
      host_momenta(p).function[mu][0] = waves_[mu].cosine(n);
      host_momenta(p).function[mu][1] = std::max(waves_[mu].sine(n), 0);
      host_momenta(p).sign[mu] = n == 0 ? 0.0 : n > 0 ? 1.0 : -1.0;
    }
  }
  Kokkos::deep_copy(momenta, host_momenta);
  const std::size_t numbers = sums_.momenta * times.size() * components_;
  make_room(of_slices_, lattice_.execution(), numbers);
  Kokkos::parallel_for("kaon::sum_momenta", LongRange(lattice_.execution(), 0, static_cast<std::int64_t>(numbers)),
                       MomentumKernel{of_planes_.data(), of_slices_.data(), momenta, local_waves(2, 1),
                                      static_cast<std::int64_t>(components_), static_cast<std::int64_t>(times.size()),
                                      static_cast<int>(functions_x), waves_[1].count()});
  const auto filled = Kokkos::subview(of_slices_, std::pair<std::size_t, std::size_t>(0, numbers));
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), filled);
  Kokkos::deep_copy(lattice_.execution(), host, filled);
  lattice_.execution().fence("kaon::sum_momenta");
  for (std::size_t p = 0; p < sums_.momenta; ++p) {
    for (std::size_t slice = 0; slice < times.size(); ++slice) {
      const auto t = static_cast<std::size_t>(lattice_.origin()[3] + times[slice]);
      const Complex<double>* from = host.data() + (p * times.size() + slice) * components_;
      std::complex<double>* to = sums_.values.data() + (p * sums_.times + t) * components_;
      for (std::size_t i = 0; i < components_; ++i) to[i] += std::complex<double>(from[i].re, from[i].im);
    }
  }
}

SpatialSums MomentumSums::result() const {
  SpatialSums sums = sums_;
  // std::complex<double> is an array of two doubles.
  lattice_.communicator().sum(std::span(reinterpret_cast<double*>(sums.values.data()), 2 * sums.values.size()));
  const auto of_momentum = static_cast<std::ptrdiff_t>(sums.times * components_);
  const auto turn = static_cast<std::ptrdiff_t>(components_) * parameters_.source_site[3];
  for (std::size_t p = 0; p < sums.momenta; ++p) {
    const auto begin = sums.values.begin() + static_cast<std::ptrdiff_t>(p) * of_momentum;
    std::rotate(begin, begin + turn, begin + of_momentum);
  }
  return sums;
}

}  // namespace kaon::detail
