// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/lattice.hpp>

#include <Kokkos_Core.hpp>

// What somebody else's program looks like: it succeeds when kaon can be included, linked and called.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const kaon::Lattice lattice({.extents = {4, 4, 4, 8}});
  return lattice.volume() == 512 ? 0 : 1;
}
