// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "capi/handles.hpp"

#include <kaon/comm/fortran_communicator.hpp>

#include <algorithm>

namespace kaon::capi {

// The communicator is not compared: its number is that of the calling process, and it says which processes compare.
std::vector<Argument> members(const kaon_lattice_options& o) {
  // Other numbers of ranks are refused for each grid.
  const auto session = running_session();
  const int size = session != nullptr && o.use_communicator == 0 ? session->communicator().size() : 0;
  const bool fits = std::ranges::all_of(o.grid, [&](int n) { return n > 0 && n <= size; }) &&
                    volume_of({o.grid[0], o.grid[1], o.grid[2], o.grid[3]}) == size;
  return {{"extents", o.extents, 4}, {"grid", o.grid, 4}, {"ranks", o.ranks, fits ? size : 0}, {"reach", o.reach}};
}

Communicator communicator_of(const kaon_lattice_options* options) {
  const bool is_own = options != nullptr && options->size == sizeof *options && options->use_communicator != 0;
  if (!is_own) return session()->communicator();
  add_own_communicator();
  return make_communicator_of_fortran(options->communicator);
}

LatticeParameters lattice_parameters(const kaon_lattice_options& options, int size) {
  LatticeParameters parameters;
  std::copy_n(options.extents, 4, parameters.extents.begin());
  std::copy_n(options.grid, 4, parameters.process_grid.begin());
  if (options.reach != 0) parameters.reach = options.reach;
  if (options.ranks != nullptr) {
    const Coordinates& grid = parameters.process_grid;
    require(std::all_of(grid.begin(), grid.end(), [](int processes) { return processes > 0; }),
            "ranks are given without the grid that they belong to: set grid, too");
    int rest = size;
    for (const int processes : grid) rest = rest % processes == 0 ? rest / processes : 0;
    require(rest == 1, [&] {
      return fmt::format("ranks are given for a grid of {} processes, but there are {}", to_string(grid), size);
    });
    parameters.ranks.assign(options.ranks, options.ranks + size);
  }
  return parameters;
}

ArrayView view(const kaon_array* array) {
  const kaon_array& given = checked(needed(array, "array"));
  return {.data = given.data,
          .parts = {given.parts[0], given.parts[1], given.parts[2], given.parts[3]},
          .element = choice<ArrayElement>(given.element, 2, "element of an array"),
          .sites = choice<SiteOrder>(given.sites, 3, "sites of an array"),
          .inside = choice<InsideOrder>(given.inside, 7, "inside of an array"),
          .site_bytes = given.site_bytes,
          .memory = choice<ArrayMemory>(given.memory, 3, "memory of an array")};
}

}  // namespace kaon::capi

using namespace kaon::capi;

extern "C" {

void kaon_array_init(kaon_array* array) { clear(array); }
void kaon_lattice_options_init(kaon_lattice_options* options) { clear(options); }
void kaon_lattice_info_init(kaon_lattice_info* info) { clear(info); }

kaon_status kaon_lattice_create(const kaon_lattice_options* options, kaon_lattice** lattice) {
  return plain_call(__func__, {{"options", options}, {"lattice", lattice}}, [&](const Call& call) {
    const auto session = kaon::capi::session();
    const kaon::Communicator processes = communicator_of(options);
    call.compare(processes);
    call.require_given();
    const kaon_lattice_options& given = checked(*options);
    *lattice = new kaon_lattice{Place{session, processes},
                                kaon::Lattice(processes, lattice_parameters(given, processes.size()))};
  });
}

kaon_status kaon_lattice_get(const kaon_lattice* lattice, kaon_lattice_info* info) {
  return call(__func__, {{"lattice", lattice}}, [&] {
    const kaon::Lattice& of = lattice->lattice;
    checked(needed(info, "info"));
    for (std::size_t mu = 0; mu < 4; ++mu) {
      info->extents[mu] = of.extents()[mu];
      info->local_extents[mu] = of.local_extents()[mu];
      info->origin[mu] = of.origin()[mu];
      info->grid[mu] = of.process_grid()[mu];
      info->partitioned[mu] = of.is_partitioned(mu) ? 1 : 0;
    }
    info->rank = of.communicator().rank();
    info->processes = of.communicator().size();
  });
}

kaon_status kaon_lattice_sum(const kaon_lattice* lattice, size_t count, double* values) {
  return collective(__func__, {{"lattice", lattice}, {"count", count}, Argument::optional({"values", values})}, [&] {
    const kaon::Lattice& of = lattice->lattice;
    if (count > 0) of.communicator().sum({&needed(values, "values"), count});
  });
}

kaon_status kaon_lattice_compare(const kaon_lattice* lattice, const char* call, const char* arguments) {
  const char* const name = call != nullptr ? call : __func__;
  Text text;
  return plain_call(name, {{"lattice", lattice}, {"", text}}, [&](const Call& made) {
    text.append(fmt::format("arguments = {}\n", arguments != nullptr ? arguments : "NULL"));
    made.compare();
    needed(call, "call");
    needed(arguments, "arguments");
  });
}

void kaon_lattice_destroy(kaon_lattice** lattice) { destroy(lattice); }
}
