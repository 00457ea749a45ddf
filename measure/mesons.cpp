// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/right_hand_sides.hpp"
#include "gamma_matrices.hpp"
#include "meson_tiles.hpp"
#include "momentum_sums.hpp"
#include "operators/stencil/host_sum.hpp"
#include "propagator_checks.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

namespace kaon {
namespace {

using detail::color_pairs;
using detail::Complex;
using detail::numbers_of_w;
using detail::spin_pairs;

/// Sums of W over rows in x with the functions of x:
///
///   rows[row][function][ac][bd] = sum_x f(x) sum_colours S_ac(x) conj(S'_bd(x)).
///
/// The numbers of some sites are copied side by side; W is a product of matrices with 9 colour pairs, in tiles that fit
/// into registers. A single function multiplies S, so that a tile is summed over sites in registers; otherwise the
/// tiles of the sites are multiplied by each function. Lanes are sites of several rows of the lattice. V are lanes in
/// double. Pairs of spins are 4 * sink + source, pairs of colours 3 * sink + source. Hosts use this, and devices
/// `MesonTiles`.
template <class T, class V, int Functions>
struct MesonRows {
  static constexpr int lanes = detail::lane_count<V>;
  static constexpr int tile_a = 2, tile_b = 4, tile_size = tile_a * tile_b;
  static constexpr int tiles_a = spin_pairs / tile_a, tiles_b = spin_pairs / tile_b, tiles = tiles_a * tiles_b;
  static constexpr int sites_at_once = 4;
  static constexpr int site_size = color_pairs * spin_pairs;
  using Numbers = detail::RightHandSides<T>;

  detail::MesonOperands<T> of;

  /// Numbers of a row in a virtual node, and the place of its sums for a lane.
  struct Row {
    int y, z, slice;
  };
  KOKKOS_FORCEINLINE_FUNCTION Row row_of(int number) const {
    const auto& extent = of.inner.extent;
    return {number % extent[1], number / extent[1] % extent[2], number / (extent[1] * extent[2])};
  }
  KOKKOS_FORCEINLINE_FUNCTION Complex<double>* sums_of(const Row& row, int lane) const {
    const auto& grid = of.grid;
    const int part = lane % grid[0], y = lane / grid[0] % grid[1], z = lane / (grid[0] * grid[1]) % grid[2],
              t = lane / (grid[0] * grid[1] * grid[2]);
    const int slice = t * of.count + row.slice;
    const int plane = (slice * grid[2] + z) * of.inner.extent[2] + row.z;
    return of.sums_of(((plane * grid[1] + y) * of.inner.extent[1] + row.y) * grid[0] + part);
  }
  KOKKOS_FORCEINLINE_FUNCTION int index_of(const Row& row, int x) const {
    const auto& extent = of.inner.extent;
    return (x + extent[0] * (row.y + extent[1] * (row.z + extent[2] * (of.first + row.slice)))) / 2;
  }
  KOKKOS_FORCEINLINE_FUNCTION int parity_of(const Row& row, int x) const {
    return (x + row.y + row.z + of.first + row.slice) & 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION V wave(int function, int x, int lane) const {
    return detail::load_lanes<V>(of.waves + ((of.first_function + function) * of.inner.extent[0] + x) * of.lanes +
                                 lane);
  }

  /// The place of a copied number of a site: [spin pair / width][colour pair][spin pair % width].
  template <int width>
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int place_of(int spin_pair, int color_pair) {
    return (spin_pair / width * color_pairs + color_pair) * width + spin_pair % width;
  }

  /// Copies f times the numbers of a site: those of a right-hand side, in sequence.
  template <int width>
  KOKKOS_FUNCTION static void copy_site(Complex<V>* to, const Numbers& from, int parity, int index, int lane,
                                        const V& f) {
    for (int rhs = 0; rhs < 12; ++rhs) {
      Complex<V>* const column = to + place_of<width>(rhs / 3, rhs % 3);
      KAON_UNROLL
      for (int component = 0; component < 12; ++component) {
        column[place_of<width>(4 * (component / 3), 3 * (component % 3))] =
            f * from.template load<V>(parity, index, lane, component, rhs);
      }
    }
  }

  /// Prefetches a right-hand side of the sites that are copied next: those of the next row follow in memory.
  KOKKOS_FORCEINLINE_FUNCTION static void prefetch_sites(int index, const Numbers& from, int right_hand_side) {
    for (int parity = 0; parity < 2; ++parity) {
      from.template prefetch<V>(parity, index, sites_at_once / 2, right_hand_side);
    }
  }

  /// w += the tile of a site, or of several sites that lie one after another.
  KOKKOS_FORCEINLINE_FUNCTION static void add_tile(Complex<V>* w, const Complex<V>* left, const Complex<V>* right,
                                                   int sites) {
    Complex<V> sum[tile_size];
    KAON_UNROLL
    for (int n = 0; n < tile_size; ++n) sum[n] = w[n];
    for (int site = 0; site < sites; ++site) {
      const Complex<V>*a = left + site * site_size, *b = right + site * site_size;
      for (int color = 0; color < color_pairs; ++color) {
        KAON_UNROLL
        for (int n = 0; n < tile_b; ++n) {
          Complex<V> factor = b[color * tile_b + n];
          detail::hold(factor);
          KAON_UNROLL
          for (int m = 0; m < tile_a; ++m) {
            detail::conj_multiply_add(sum[m * tile_b + n], factor, a[color * tile_a + m]);
          }
        }
      }
    }
    KAON_UNROLL
    for (int n = 0; n < tile_size; ++n) w[n] = sum[n];
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_products(Complex<V>* sums, const Complex<V> (*products)[tile_size], int function,
                                                int begin, int sites, int lane) const {
    Complex<V> sum[tile_size];
    KAON_UNROLL
    for (int n = 0; n < tile_size; ++n) sum[n] = sums[n];
    for (int x = 0; x < sites; ++x) {
      const V f = wave(function, begin + x, lane);
      KAON_UNROLL
      for (int n = 0; n < tile_size; ++n) sum[n] += f * products[x][n];
    }
    KAON_UNROLL
    for (int n = 0; n < tile_size; ++n) sums[n] = sum[n];
  }

  KOKKOS_FUNCTION void operator()(const int number) const {
    const Row row = row_of(number);
    for (int lane = 0; lane < of.lanes; lane += lanes) {
      Complex<V> sums[tiles][Functions][tile_size] = {};
      Complex<V> left[sites_at_once * site_size], right[sites_at_once * site_size];
      for (int begin = 0; begin < of.inner.extent[0]; begin += sites_at_once) {
        const int rest = of.inner.extent[0] - begin, sites = rest < sites_at_once ? rest : sites_at_once;
        for (int x = 0; x < sites; ++x) {
          const int index = index_of(row, begin + x), parity = parity_of(row, begin + x);
          const V f = Functions == 1 ? wave(0, begin + x, lane) : V(1.0);
          copy_site<tile_a>(left + x * site_size, of.s, parity, index, lane, f);
          copy_site<tile_b>(right + x * site_size, of.other, parity, index, lane, V(1.0));
        }
        for (int tile = 0; tile < tiles; ++tile) {
          if (tile < 2 * 12) {
            prefetch_sites(index_of(row, begin + sites_at_once), tile % 2 == 0 ? of.s : of.other, tile / 2);
          }
          const Complex<V>* a = left + tile / tiles_b * color_pairs * tile_a;
          const Complex<V>* b = right + tile % tiles_b * color_pairs * tile_b;
          if constexpr (Functions == 1) {
            add_tile(sums[tile][0], a, b, sites);
          } else {
            Complex<V> products[sites_at_once][tile_size] = {};
            for (int x = 0; x < sites; ++x) add_tile(products[x], a + x * site_size, b + x * site_size, 1);
            for (int function = 0; function < of.used; ++function) {
              add_products(sums[tile][function], products, function, begin, sites, lane);
            }
          }
        }
      }
      Complex<double>* to[lanes];
      for (int l = 0; l < lanes; ++l) to[l] = sums_of(row, lane + l);
      for (int function = 0; function < of.used; ++function) {
        for (int tile = 0; tile < tiles; ++tile) {
          const int first = function * numbers_of_w + tile / tiles_b * tile_a * spin_pairs + tile % tiles_b * tile_b;
          for (int n = 0; n < tile_size; ++n) {
            const auto* re = reinterpret_cast<const double*>(&sums[tile][function][n].re);
            const auto* im = reinterpret_cast<const double*>(&sums[tile][function][n].im);
            for (int l = 0; l < lanes; ++l) to[l][first + n / tile_b * spin_pairs + n % tile_b] = {re[l], im[l]};
          }
        }
      }
    }
  }
};

template <class T, class V>
SpatialSums sum_rows(const SpinorField<T>& quark, const SpinorField<T>& antiquark,
                     const ContractionParameters& parameters) {
  constexpr const char* label = "kaon::meson_spin_sums";
  const Lattice& lattice = quark.lattice();
  const detail::SiteMap map = detail::SiteMap::of<T>(lattice);
  const Coordinates& grid = lattice.lane_grid<T>();
  const int lanes = lattice.lane_count<T>();
  detail::MomentumSums sums(lattice, parameters, numbers_of_w, grid[0]);
  const detail::Waves& functions = sums.waves(0);

  // Hosts load them as packs, devices have one lane.
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> of_lanes;
  if constexpr (!on_device) {
    of_lanes = decltype(of_lanes)("kaon::waves", static_cast<std::size_t>(functions.count()),
                                  static_cast<std::size_t>(map.inner[0]), static_cast<std::size_t>(lanes));
    for (std::size_t k = 0; k < of_lanes.extent(0); ++k) {
      for (std::size_t x = 0; x < of_lanes.extent(1); ++x) {
        for (std::size_t lane = 0; lane < of_lanes.extent(2); ++lane) {
          const std::size_t outer = lane % static_cast<std::size_t>(grid[0]) * of_lanes.extent(1);
          of_lanes(k, x, lane) = functions.values[k][static_cast<std::size_t>(map.origin[0]) + outer + x];
        }
      }
    }
  }
  const double* const waves = on_device ? sums.local_waves(0).data() : of_lanes.data();

  const int slices = map.inner[3];
  const std::size_t of_slice = static_cast<std::size_t>(lattice.local_volume()) /
                               static_cast<std::size_t>(map.inner[0] * slices) *
                               static_cast<std::size_t>(functions.count()) * numbers_of_w;
  const int most = detail::slices_of_pass(of_slice, slices);
  const detail::LatticeMemory rows(lattice, of_slice * static_cast<std::size_t>(most));
  for (int first = 0; first < slices; first += most) {
    const int count = std::min(most, slices - first);
    const auto add = [&]<int Functions>(int first_function, int used) {
      const detail::MesonOperands<T> operands{.s = detail::RightHandSides<T>::of(quark),
                                              .other = detail::RightHandSides<T>::of(antiquark),
                                              .inner = detail::SubLattice(lattice.local_extents(), grid),
                                              .grid = {grid[0], grid[1], grid[2], grid[3]},
                                              .lanes = lanes,
                                              .first = first,
                                              .count = count,
                                              .waves = waves,
                                              .functions = functions.count(),
                                              .first_function = first_function,
                                              .used = used,
                                              .rows = rows.data()};
      const int row_count = map.inner[1] * map.inner[2] * count;
      if constexpr (on_device) {
        const detail::MesonTiles<T, Functions> tiles{operands, row_count};
        detail::launch_teams(label, lattice.execution(), tiles.teams(), tiles.max_team_size, tiles);
      } else {
        Kokkos::parallel_for(label, Kokkos::RangePolicy<Execution>(lattice.execution(), 0, row_count),
                             MesonRows<T, V, Functions>{operands});
      }
    };
    for (int function = 0; function < functions.count();) {
      const int used = std::min(functions.count() - function, 5);
      if (used == 1) {
        add.template operator()<1>(function, used);
      } else if (used <= 3) {
        add.template operator()<on_device ? 3 : 5>(function, used);
      } else {
        add.template operator()<5>(function, used);
      }
      function += used;
    }
    sums.add_rows({first, count, slices, grid[3]}, rows.data());
  }
  return sums.result();
}

}  // namespace

template <class T>
SpatialSums meson_spin_sums(const SpinorField<T>& quark, const SpinorField<T>& antiquark,
                            const ContractionParameters& parameters) {
  detail::require_propagators(quark, antiquark, 4);
  return detail::with_double_lanes<T>(quark.lattice(),
                                      [&]<class V>() { return sum_rows<T, V>(quark, antiquark, parameters); });
}

MesonChannel meson_channel(std::string_view words) {
  const std::size_t colon = words.find(':');
  if (colon == std::string_view::npos) return {gamma_matrix(words), gamma_matrix(words)};
  return {gamma_matrix(words.substr(0, colon)), gamma_matrix(words.substr(colon + 1))};
}

namespace {

/// tr[A S B S'^dag] = sum A_{ba} S_{ac} B_{cd} conj(S'_{bd}) as a sum over numbers of W, without the zeros of A and B,
/// which are most of the entries of gamma matrices.
class SpinTrace {
 public:
  SpinTrace(const SpinMatrix& a, const SpinMatrix& b) {
    for (std::size_t ac = 0; ac < spin_pairs; ++ac) {
      for (std::size_t bd = 0; bd < spin_pairs; ++bd) {
        const std::complex<double> value = a[bd / 4][ac / 4] * b[ac % 4][bd % 4];
        if (value != 0.0) factors_.push_back({ac * spin_pairs + bd, {value.real(), value.imag()}});
      }
    }
  }

  std::complex<double> of(std::span<const std::complex<double>, numbers_of_w> w) const {
    Complex<double> trace{0.0, 0.0};
    for (const Factor& factor : factors_) {
      const std::complex<double>& number = w[factor.number];
      multiply_add(trace, factor.value, {number.real(), number.imag()});
    }
    return {trace.re, trace.im};
  }

 private:
  struct Factor {
    std::size_t number;
    Complex<double> value;
  };
  std::vector<Factor> factors_;
};

/// [momentum][trace][t], by all threads of the host: 256 traces of a few momenta are millions of products.
std::vector<std::complex<double>> traces_of(const SpatialSums& w, const std::vector<SpinTrace>& traces) {
  require(w.components == numbers_of_w,
          [&] { return fmt::format("sums of mesons have 256 components, not {}", w.components); });
  std::vector<std::complex<double>> values(w.momenta * traces.size() * w.times);
  const auto of_momentum_and_time = [&](std::size_t place) {
    const std::size_t p = place / w.times, t = place % w.times;
    const std::span<const std::complex<double>, numbers_of_w> numbers(w.at(p, t), numbers_of_w);
    for (std::size_t n = 0; n < traces.size(); ++n) {
      values[(p * traces.size() + n) * w.times + t] = traces[n].of(numbers);
    }
  };
  using OnHost = Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("kaon::meson_traces", OnHost(0, w.momenta * w.times), of_momentum_and_time);
  return values;
}

}  // namespace

std::vector<std::complex<double>> meson_traces(const SpatialSums& w, const SpinMatrix& a, const SpinMatrix& b) {
  return traces_of(w, {SpinTrace(a, b)});
}

std::vector<std::complex<double>> meson_correlators(const SpatialSums& w, std::span<const MesonChannel> channels) {
  using detail::spin_product;
  const SpinMatrix g5 = gamma_product(15), gt = gamma_product(8);
  const SpinMatrix minus_g5 = detail::add_scaled(-1.0, g5, {});
  std::vector<SpinTrace> traces;
  for (const MesonChannel& channel : channels) {
    const SpinMatrix source = spin_product(spin_product(gt, detail::adjoint(channel.source)), gt);
    traces.emplace_back(spin_product(minus_g5, channel.sink), spin_product(source, g5));
  }
  return traces_of(w, traces);
}

std::vector<SpatialMomentum> momenta_up_to(int squared) {
  require(squared >= 0, [&] { return fmt::format("momenta up to n^2 = {}: it is negative", squared); });
  std::vector<SpatialMomentum> momenta;
  const auto norm2 = [](const SpatialMomentum& n) { return n[0] * n[0] + n[1] * n[1] + n[2] * n[2]; };
  int most = 0;
  while ((most + 1) * (most + 1) <= squared) ++most;
  for (int x = -most; x <= most; ++x) {
    for (int y = -most; y <= most; ++y) {
      for (int z = -most; z <= most; ++z) {
        if (norm2({x, y, z}) <= squared) momenta.push_back({x, y, z});
      }
    }
  }
  std::ranges::stable_sort(momenta, {}, norm2);
  return momenta;
}

template SpatialSums meson_spin_sums(const SpinorField<double>&, const SpinorField<double>&,
                                     const ContractionParameters&);
template SpatialSums meson_spin_sums(const SpinorField<float>&, const SpinorField<float>&,
                                     const ContractionParameters&);

}  // namespace kaon
