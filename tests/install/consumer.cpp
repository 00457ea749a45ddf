// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/comm/session.hpp>
#include <kaon/core/lattice.hpp>

// A program of another project: it succeeds when kaon can be included, linked and called.
int main(int argc, char** argv) {
  const kaon::Session session(argc, argv);
  const kaon::Lattice lattice(session.communicator(), {.extents = {4, 4, 4, 8}});
  return lattice.volume() == 512 ? 0 : 1;
}
