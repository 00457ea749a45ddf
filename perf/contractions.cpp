// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/measure/contractions.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kaon::perf {
namespace {

/// 16 x 16 spins, 9 colours, 8 flops.
constexpr double meson_flops = 18432.0;

template <class T>
SpinorField<T> propagator(const Lattice& lattice, std::uint32_t stream) {
  SpinorField<T> field(lattice, {.right_hand_sides = 12});
  fill(field, stream);
  return field;
}

/// Bytes of propagators that are read once.
template <class T>
double propagator_bytes(const SpinorField<T>& field, double count) {
  return count * 12.0 * vector_bytes(field);
}

/// The correlators of all pairs of gamma matrices from sums with open spins: work of a host.
void add_channels(Suite& suite, const Lattice& lattice) {
  add_benchmark("meson_channels/momenta:7/" + to_string(lattice.extents()),
                [&suite, &lattice](benchmark::State& state) {
                  const auto quark = propagator<double>(lattice, 0);
                  const SpatialSums sums = meson_spin_sums(quark, quark, {.momenta = momenta_up_to(1)});
                  std::vector<MesonChannel> channels;
                  for (const std::string_view sink : gamma_words) {
                    for (const std::string_view source : gamma_words) {
                      channels.push_back({gamma_matrix(sink), gamma_matrix(source)});
                    }
                  }
                  measure(state, suite, {}, [&] { benchmark::DoNotOptimize(meson_correlators(sums, channels)); });
                });
}

template <class T>
void add_contractions(Suite& suite, const Lattice& lattice, const char* precision) {
  const auto sites = static_cast<double>(lattice.volume());
  for (const int squared : {0, 4}) {
    const auto momenta = momenta_up_to(squared);
    const std::string variant = std::string(precision) + "/momenta:" + std::to_string(momenta.size());
    add_benchmark("mesons/" + variant + "/" + to_string(lattice.extents()),
                  [&suite, &lattice, sites, momenta](benchmark::State& state) {
                    const auto quark = propagator<T>(lattice, 0), antiquark = propagator<T>(lattice, 1);
                    measure(state, suite, {sites * meson_flops, propagator_bytes(quark, 2.0)},
                            [&] { benchmark::DoNotOptimize(meson_spin_sums(quark, antiquark, {.momenta = momenta})); });
                  });
    for (const char* const name : {"nucleon", "delta_x", "lambda"}) {
      add_benchmark(
          std::string(name) + "/" + variant + "/" + to_string(lattice.extents()),
          [&suite, &lattice, momenta, name](benchmark::State& state) {
            const BaryonOperator baryon = baryon_operator(name);
            // The u and d quarks of a lambda have one propagator.
            const auto light = propagator<T>(lattice, 0), other = propagator<T>(lattice, 1);
            std::vector<const SpinorField<T>*> quarks(static_cast<std::size_t>(baryon_quarks(baryon)), &light);
            if (quarks.size() > 1) quarks.back() = &other;
            BaryonParameters parameters;
            parameters.momenta = momenta;
            measure(state, suite, {0.0, propagator_bytes(light, quarks.size() > 1 ? 2.0 : 1.0)},
                    [&] { benchmark::DoNotOptimize(baryon_spin_sums<T>(baryon, baryon, quarks, parameters)); });
          });
    }
  }
}

}  // namespace

void register_contractions(Suite& suite, const Lattice& lattice) {
  add_contractions<double>(suite, lattice, "double");
  add_contractions<float>(suite, lattice, "single");
  add_channels(suite, lattice);
}

}  // namespace kaon::perf
