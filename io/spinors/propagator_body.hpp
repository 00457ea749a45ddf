// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/bytes.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator_file.hpp>

#include <fmt/format.h>

#include <string_view>

namespace kaon::io {

// One site of a propagator in a file: [sink spin][source spin][sink colour][source colour], big endian.

inline std::size_t propagator_site_bytes(std::size_t values_per_site, int bits) {
  return values_per_site * 2 * static_cast<std::size_t>(bits / 8);
}

/// Throws `Error`, which starts with `failing`, unless there are as many values as the shape has.
inline void require_whole(const HostPropagator& propagator, std::string_view failing) {
  const auto wanted = static_cast<std::size_t>(volume_of(propagator.extents)) * propagator.values_per_site();
  require(propagator.values.size() == wanted, [&] {
    return fmt::format("{}: {} numbers are not a propagator on {} ({})", failing, propagator.values.size(),
                       kaon::to_string(propagator.extents), wanted);
  });
}

/// Calls visit(place in a site's values, place in a site's bytes) for every complex number of a site.
template <class Visit>
void for_each_propagator_value(const HostPropagator& shape, int bits, Visit&& visit) {
  const auto step = static_cast<std::size_t>(2 * bits / 8);
  std::size_t at = 0;
  for (int sink_spin = 0; sink_spin < shape.spins; ++sink_spin) {
    for (int source_spin = 0; source_spin < shape.spins; ++source_spin) {
      for (int sink_color = 0; sink_color < shape.colors; ++sink_color) {
        for (int source_color = 0; source_color < shape.colors; ++source_color, at += step) {
          visit(shape.index(0, sink_spin, sink_color, source_spin, source_color), at);
        }
      }
    }
  }
}

/// `shape`: a propagator with the same spins and colours.
inline void encode_propagator_site(std::byte* to, const std::complex<double>* values, const HostPropagator& shape,
                                   int bits) {
  for_each_propagator_value(shape, bits, [&](std::size_t value, std::size_t at) {
    store_real(to + at, values[value].real(), bits, ByteOrder::big);
    store_real(to + at + static_cast<std::size_t>(bits / 8), values[value].imag(), bits, ByteOrder::big);
  });
}

inline void decode_propagator_site(std::complex<double>* values, const std::byte* from, const HostPropagator& shape,
                                   int bits) {
  for_each_propagator_value(shape, bits, [&](std::size_t value, std::size_t at) {
    values[value] = {load_real(from + at, bits, ByteOrder::big),
                     load_real(from + at + static_cast<std::size_t>(bits / 8), bits, ByteOrder::big)};
  });
}

}  // namespace kaon::io
