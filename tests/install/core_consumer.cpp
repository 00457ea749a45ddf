// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/lattice.hpp>
#include <kaon/core/spinor_field.hpp>

// A program of another project that uses core/ alone.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const kaon::Lattice lattice({.extents = {4, 4, 4, 8}});
  const kaon::SpinorField<double> field(lattice);
  return field.components() == 12 && lattice.volume() == 512 ? 0 : 1;
}
