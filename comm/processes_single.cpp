// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// A kaon that was built without a message-passing library.
#include "comm/processes.hpp"

#include <kaon/comm/fortran_communicator.hpp>
#include <kaon/core/error.hpp>

#include <cstdlib>

namespace kaon::detail {

Processes::Processes(int*, char***) { warn_without_mpi(); }
Processes::~Processes() = default;

bool Processes::meet(double) const { return true; }

void Processes::stop_at_exit() {}

void Processes::abort(int exit_code) const { std::_Exit(exit_code); }

const NodeShare& node_share() {
  static const NodeShare share{.cores = available_cores(), .bound = threads_are_bound()};
  return share;
}

std::string message_passing_library() { return "none"; }

}  // namespace kaon::detail

namespace kaon {

Communicator make_communicator_of_fortran(int) {
  throw Error("this kaon was built without MPI: it takes no communicator");
}

}  // namespace kaon
