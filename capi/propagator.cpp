// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/io/propagator.hpp>
#include <kaon/propagators/correlator.hpp>

#include <algorithm>

using kaon::capi::guard;
using kaon::capi::needed;

extern "C" {

void kaon_correlator_options_init(kaon_correlator_options* options) {
  if (options != nullptr) *options = {sizeof(kaon_correlator_options), {0, 0, 0, 0}, 3};
}

kaon_status kaon_propagator_write(const kaon_spinor* propagator, const char* path) {
  const kaon_status arguments = guard(__func__, [&] {
    needed(propagator, "propagator");
    needed(path, "path");
  });
  if (arguments != KAON_OK) return arguments;
  const auto write = [&]<class T>(const kaon::SpinorField<T>& field) {
    kaon::io::write_propagator(path, field, {.bits = 8 * static_cast<int>(sizeof(T))});
  };
  return guard(
      __func__, [&] { std::visit(write, propagator->field); }, KAON_FILE);
}

kaon_status kaon_propagator_read(const char* path, const kaon_lattice* lattice, kaon_precision precision,
                                 kaon_spinor** propagator) {
  const kaon_status arguments = guard(__func__, [&] {
    kaon::capi::result(propagator, "propagator");
    needed(path, "path");
    needed(lattice, "lattice");
    kaon::capi::choice<kaon_precision>(precision, 2, "precision");
  });
  if (arguments != KAON_OK) return arguments;
  const auto read = [&]<class T>(T) {
    *propagator = new kaon_spinor{lattice->session, kaon::io::read_propagator<T>(lattice->lattice, path)};
  };
  return guard(
      __func__, [&] { kaon::capi::with_precision(precision, read); }, KAON_FILE);
}

kaon_status kaon_pion_correlator(const kaon_spinor* propagator, const kaon_correlator_options* options, int length,
                                 double* correlator) {
  return guard(__func__, [&] {
    needed(correlator, "correlator");
    const kaon_correlator_options given =
        kaon::capi::options_or_defaults(options, kaon_correlator_options_init, "kaon_correlator_options");
    kaon::CorrelatorParameters parameters{.direction = given.direction};
    std::copy_n(given.source_site, 4, parameters.source_site.begin());
    const auto measure = [&](const auto& field) { return kaon::pion_correlator(field, parameters); };
    const std::vector<double> values = std::visit(measure, needed(propagator, "propagator").field);
    kaon::require(static_cast<std::size_t>(length) == values.size(), [&] {
      return fmt::format("length = {}, but the lattice has {} sites in direction {}", length, values.size(),
                         given.direction);
    });
    std::copy(values.begin(), values.end(), correlator);
  });
}
}
