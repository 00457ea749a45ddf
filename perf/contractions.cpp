// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/measure.hpp"

#include <kaon/measure/contractions.hpp>

#include <string>

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
    add_benchmark("nucleon/" + variant + "/" + to_string(lattice.extents()),
                  [&suite, &lattice, momenta](benchmark::State& state) {
                    const auto up = propagator<T>(lattice, 0), down = propagator<T>(lattice, 1);
                    const BaryonOperator nucleon = baryon_operator("nucleon");
                    const SpinorField<T>* quarks[] = {&up, &down};
                    BaryonParameters parameters;
                    parameters.momenta = momenta;
                    measure(state, suite, {0.0, propagator_bytes(up, 2.0)}, [&] {
                      benchmark::DoNotOptimize(baryon_spin_sums<T>(nucleon, nucleon, quarks, parameters));
                    });
                  });
  }
}

}  // namespace

void register_contractions(Suite& suite, const Lattice& lattice) {
  add_contractions<double>(suite, lattice, "double");
  add_contractions<float>(suite, lattice, "single");
}

}  // namespace kaon::perf
