// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/processes.hpp"

#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

namespace kaon {
namespace {

/// How long a process that fails waits for the others to fail likewise. Later ranks wait a little longer, so that one
/// of several reports.
double patience(const Communicator& communicator) { return 1.0 + 0.1 * std::min(communicator.rank(), 20); }

void start_kokkos(int* argc, char*** argv) {
  require(!Kokkos::is_finalized(),
          "Kokkos has been stopped and cannot be started again: make one Session for the whole program");
  // What an unset variable means to OpenMP, said aloud: Kokkos warns where it is unset.
  setenv("OMP_PROC_BIND", "false", 0);
  if (argc != nullptr) {
    Kokkos::initialize(*argc, *argv);
  } else {
    Kokkos::initialize();
  }
}

void report(const std::string& text) {
  std::fflush(stdout);
  fmt::print(stderr, "{}\n", text);
  std::fflush(stderr);
}

}  // namespace

Session::Session() : Session(nullptr, nullptr) {}

Session::Session(int& argc, char** argv) : Session(&argc, &argv) {}

Session::Session(int* argc, char*** argv)
    : processes_(std::make_unique<detail::Processes>(argc, argv)),
      communicator_(processes_->all()),
      exceptions_(std::uncaught_exceptions()) {
  if (!Kokkos::is_initialized()) {
    start_kokkos(argc, argv);
    started_kokkos_ = true;
  }
}

Session::~Session() {
  if (std::uncaught_exceptions() > exceptions_ && !processes_->meet(patience(communicator_))) {
    report(fmt::format("kaon: process {} of {} leaves its session by an exception while others go on: ending all",
                       communicator_.rank(), communicator_.size()));
    processes_->abort(1);
  }
  if (started_kokkos_ && Kokkos::is_initialized()) Kokkos::finalize();
}

int Session::fail(const std::string& message, int exit_code) const {
  if (processes_->meet(patience(communicator_))) {
    if (communicator_.rank() == 0) report(message);
    return exit_code;
  }
  report(fmt::format("{} (on process {} of {})", message, communicator_.rank(), communicator_.size()));
  processes_->abort(exit_code);
}

int run_program(int& argc, char** argv, const std::function<int(const Session&)>& body) {
  const Session session(argc, argv);
  try {
    return body(session);
  } catch (const std::exception& error) {
    return session.fail(fmt::format("error: {}", error.what()));
  }
}

}  // namespace kaon
