// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"
#include "io/host_threads.hpp"
#include "io/site_body.hpp"
#include "io/spinors/propagator_parts.hpp"

#include <kaon/core/error.hpp>
#include <kaon/io/propagator.hpp>

#include <fmt/format.h>

namespace kaon::io {
namespace {

SpinorParameters field_parameters(int spins, int colors) {
  return {.spins = spins, .colors = colors, .subset = Subset::full, .right_hand_sides = spins * colors};
}

/// Calls visit(place in the propagator, place in a host spinor) for all numbers of the right-hand side, on the threads
/// of the host.
template <class Visit>
void for_each_value(const HostPropagator& shape, int right_hand_side, const Visit& visit) {
  const int source_spin = right_hand_side / shape.colors, source_color = right_hand_side % shape.colors;
  const auto columns = static_cast<std::size_t>(shape.columns());
  for_each_range_on_threads(
      static_cast<std::size_t>(volume_of(shape.extents)), 1 << 9, [&](std::size_t begin, std::size_t end) {
        for (std::size_t site = begin; site < end; ++site) {
          std::size_t in_spinor = site * columns;
          for (int spin = 0; spin < shape.spins; ++spin) {
            for (int color = 0; color < shape.colors; ++color) {
              visit(shape.index(static_cast<std::ptrdiff_t>(site), spin, color, source_spin, source_color),
                    in_spinor++);
            }
          }
        }
      });
}

}  // namespace

template <class T>
SpinorField<T> to_spinor_field(const Lattice& lattice, const HostPropagator& propagator) {
  require_whole(propagator, "cannot make a field");
  if (propagator.extents != lattice.local_extents()) {
    HostPropagator own({}, propagator.spins, propagator.colors);
    own.extents = lattice.local_extents();
    own.values = own_values(lattice, propagator.extents, propagator.values);
    return to_spinor_field<T>(lattice, own);
  }
  SpinorField<T> field(lattice, field_parameters(propagator.spins, propagator.colors));
  std::vector<std::complex<double>> values =
      kaon::detail::host_zeros(propagator.values.size() / static_cast<std::size_t>(propagator.columns()));
  for (int rhs = 0; rhs < propagator.columns(); ++rhs) {
    for_each_value(propagator, rhs, [&](std::size_t from, std::size_t to) { values[to] = propagator.values[from]; });
    field.from_host(values, rhs);
  }
  return field;
}

template <class T>
HostPropagator to_host_propagator(const SpinorField<T>& propagator) {
  const SpinorParameters& given = propagator.parameters();
  require(given == field_parameters(given.spins, given.colors), [&] {
    return fmt::format(
        "a propagator of {} spins and {} colours has both parities, one slice and {} right-hand sides, not {}, {} and "
        "{}",
        given.spins, given.colors, given.components(), propagator.parities(), given.slices, given.right_hand_sides);
  });
  HostPropagator host(propagator.lattice().local_extents(), given.spins, given.colors);
  for (int rhs = 0; rhs < given.right_hand_sides; ++rhs) {
    const auto values = propagator.to_host(rhs);
    for_each_value(host, rhs, [&](std::size_t to, std::size_t from) { host.values[to] = values[from]; });
  }
  return host;
}

template <class T>
SpinorField<T> read_propagator(const Lattice& lattice, const std::filesystem::path& path,
                               PropagatorReadOptions options) {
  if (!options.extents) options.extents = lattice.extents();
  const auto file = read_propagator_parts(lattice.communicator(), path, options,
                                          [&](const Coordinates&) { return part_of(lattice); });
  require_representable<T>(path, lattice.communicator(), file.propagator.values);
  return to_spinor_field<T>(lattice, file.propagator);
}

template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const PropagatorWriteOptions& options) {
  write_propagator_parts(path, part_of(propagator.lattice()), to_host_propagator(propagator), nullptr, options);
}

template <class T>
void write_propagator(const std::filesystem::path& path, const SpinorField<T>& propagator,
                      const SpinorField<T>& sources, const PropagatorWriteOptions& options) {
  require(propagator.lattice() == sources.lattice(),
          [&] { return fmt::format("cannot write {}: sources and propagator lie on two lattices", path.string()); });
  const HostPropagator host_sources = to_host_propagator(sources);
  write_propagator_parts(path, part_of(propagator.lattice()), to_host_propagator(propagator), &host_sources,
                         with_sources(options));
}

#define KAON_INSTANTIATE(T)                                                                                           \
  template SpinorField<T> to_spinor_field(const Lattice&, const HostPropagator&);                                     \
  template HostPropagator to_host_propagator(const SpinorField<T>&);                                                  \
  template SpinorField<T> read_propagator(const Lattice&, const std::filesystem::path&, PropagatorReadOptions);       \
  template void write_propagator(const std::filesystem::path&, const SpinorField<T>&, const PropagatorWriteOptions&); \
  template void write_propagator(const std::filesystem::path&, const SpinorField<T>&, const SpinorField<T>&,          \
                                 const PropagatorWriteOptions&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::io
