// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <functional>
#include <memory>
#include <string>

namespace kaon {

namespace detail {
class Processes;
}

/// Starts MPI and Kokkos if they are not running, and stops what it started when it is destroyed.
///
/// The first thing in `main`, since fields must not outlive it. An application that has started either itself also
/// stops it: kaon leaves it running. MPI is started with MPI_THREAD_FUNNELED; kaon calls it from one thread. A
/// program that no launcher of parallel programs has started runs alone, without MPI: the launcher is recognised by its
/// environment variables, and KAON_MPI, `on` or `off`, overrules that. Whether kernels are tuned is the first process'
/// setting. Each process takes the device of its rank within the node, and as many threads as it may use cores, an
/// equal share of them where other processes on the node may use the same ones. Both may be chosen by Kokkos' and
/// OpenMP's own environment variables (KOKKOS_DEVICE_ID, OMP_NUM_THREADS) and options (`--kokkos-device-id=1`).
/// `run_info` reports. A process that cannot start throws `Error` if none can, and otherwise reports it and ends them
/// all; processes that run different builds of kaon throw `Error` together. MPI then runs until the program's exit,
/// which waits for the message of every process.
///
///     int main(int argc, char** argv) {
///       const kaon::Session session(argc, argv);
///       const kaon::Lattice lattice(session.communicator(), {.extents = {8, 8, 8, 16}});
///     }
class Session {
 public:
  Session();
  /// Starts a session; MPI and Kokkos remove the arguments that are theirs out of the list.
  Session(int& argc, char** argv);
  /// Stops what this object started. While an exception passes through one process and others continue, it ends them
  /// all with exit code 1, because they would wait for this one forever.
  ~Session();

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// All processes of the run.
  const Communicator& communicator() const { return communicator_; }

  /// Ends a run that failed, to be called where `main` has caught what was thrown: `return session.fail(error.what())`.
  ///
  /// When every process comes here, the first writes the message to standard error and all return `exit_code`. When
  /// one fails alone, it writes the message and its rank after about a second, and ends all processes with `exit_code`.
  int fail(const std::string& message, int exit_code = 1) const;

 private:
  Session(int* argc, char*** argv);

  std::unique_ptr<detail::Processes> processes_;
  Communicator communicator_;
  bool started_kokkos_ = false;
  int exceptions_ = 0;
};

/// A whole `main`: starts a session, runs `body` with it and returns its exit code; what `body` throws ends all
/// processes with one message and exit code 1.
int run_program(int& argc, char** argv, const std::function<int(const Session&)>& body);

}  // namespace kaon
