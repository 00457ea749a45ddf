// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace kaon::detail {

class Mpi;

/// Which of the processes on a node this one is.
struct NodeShare {
  int rank = 0;
  int size = 1;
  int cores = 1;       ///< that this process may use
  int sharing = 1;     ///< processes that may use exactly these
  bool bound = false;  ///< OpenMP binds each thread to one of these by its number
};

/// Whether a session starts MPI: by the environment variable KAON_MPI (`on` or `1`, `off` or `0`), and if it is not
/// set, or empty, whether a launcher of parallel programs has left its variables in the environment. Throws `Error` for
/// another KAON_MPI.
bool is_launched();

/// The rank of this process that the launcher states in the environment; 0 without one. It can be called before a
/// session.
int rank_of_launcher();

/// Checks of a session of a kaon without MPI, where `is_launched`. Throws `Error` if KAON_MPI requests MPI. Warns
/// where a launcher has started several processes, each of which works alone: in the first of them, if the launcher
/// numbers them.
void warn_without_mpi();

/// The processes of the run, as the message-passing library that kaon was built with knows them. One of the files
/// processes_mpi.cpp and processes_single.cpp defines this class.
class Processes {
 public:
  /// Starts the library if `is_launched` is true, unless it runs already. The arguments may be null.
  Processes(int* argc, char*** argv);
  /// Stops it if this object started it.
  ~Processes();
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  const Communicator& all() const { return all_; }

  /// Waits until all processes have called it: true. False after `seconds`; the processes then have nothing left to do
  /// but `abort`. Once in the life of the object.
  bool meet(double seconds) const;

  /// Leaves the library running until the program ends, if this object started it. The launcher ends all processes
  /// when one leaves with an error, which a process must not do before another has written its message: stopping the
  /// library waits for all.
  void stop_at_exit();

  /// Ends all processes at once.
  [[noreturn]] void abort(int exit_code) const;

 private:
  bool started_ = false;
  std::shared_ptr<const Mpi> mpi_;
  Communicator all_;
};

/// Whether OpenMP binds threads to places (OMP_PROC_BIND, OMP_PLACES).
bool threads_are_bound();

/// Number of hardware threads that this process may use.
int available_cores();

/// Which these are: strings of one length, equal where the sets are.
std::string core_mask();

/// A number that is the same for processes of one node, which share its running operating system.
std::uint64_t node_number();

/// The node and the cores of a process. Processes of one node have the same `node`; if they may also use the same
/// cores, they have the same `cores`.
struct ProcessPlace {
  std::uint64_t node, cores;
};
/// The share of process `rank`, which may use so many cores, with threads that are not bound.
NodeShare share_of(std::span<const ProcessPlace> places, std::size_t rank, int cores);

/// A warning where processes of `threads` threads each have more threads than cores, or the same cores for threads
/// that are bound to them; otherwise empty.
std::string crowded_cores(int threads, const NodeShare& share);

/// Among all processes of the run. The first call is collective and that of the first `Processes`.
const NodeShare& node_share();

/// Name and version of the library, or "none".
std::string message_passing_library();

}  // namespace kaon::detail
