// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/columns.hpp"
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
  kaon::detail::columns_from_host<T>(field, propagator.values);
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
  kaon::detail::columns_to_host<T>(host.values, propagator);
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
