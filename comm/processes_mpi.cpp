// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/halo_backend.hpp"
#include "comm/network.hpp"
#include "comm/processes.hpp"

#include <kaon/comm/fortran_communicator.hpp>
#include <kaon/comm/mpi.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

namespace kaon::detail {

// The error handler of kaon's communicators ends all processes with a message, so return codes need no look.

namespace {

bool mpi_is_running() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized;
}

}  // namespace

/// Persistent requests, receives first: they must be posted before their messages come.
class MpiExchange final : public Exchange {
 public:
  MpiExchange(MPI_Comm communicator, std::span<const Message> sends, std::span<const Message> receives)
      : receives_(static_cast<int>(receives.size())) {
    for (const Message& message : receives) {
      MPI_Recv_init(message.data, count(message), MPI_BYTE, message.peer, message.tag, communicator, add());
    }
    for (const Message& message : sends) {
      MPI_Send_init(message.data, count(message), MPI_BYTE, message.peer, message.tag, communicator, add());
    }
  }
  ~MpiExchange() override {
    if (!mpi_is_running()) return;
    if (active_) {  // an exception passes by: nothing may arrive in memory that is freed next
      for (int k = 0; k < receives_; ++k) {
        MPI_Cancel(&requests_[static_cast<std::size_t>(k)]);
        MPI_Wait(&requests_[static_cast<std::size_t>(k)], MPI_STATUS_IGNORE);
      }
    }
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  void start() override {
    if (!requests_.empty()) MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
    active_ = true;
  }
  int next() override {
    int index = MPI_UNDEFINED;
    MPI_Waitany(receives_, requests_.data(), &index, MPI_STATUS_IGNORE);
    if (index != MPI_UNDEFINED) return index;
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    active_ = false;
    return -1;
  }

 private:
  static int count(const Message& message) {
    require(message.bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
            [&] { return fmt::format("a message of {} bytes is too long: use more processes", message.bytes); });
    return static_cast<int>(message.bytes);
  }
  MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  std::vector<MPI_Request> requests_;
  int receives_;
  bool active_ = false;
};

/// Some processes, on communicators of kaon's own: other messages of the application cannot match ours.
class Mpi final : public Communicator::Backend {
 public:
  explicit Mpi(MPI_Comm application) {
    MPI_Comm_dup(application, &communicator_);
    MPI_Comm_dup(application, &meeting_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(meeting_, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
  }
  ~Mpi() override {
    if (!mpi_is_running()) return;
    MPI_Comm_free(&communicator_);
    MPI_Comm_free(&meeting_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  /// Every process gathers all values and adds them by rank. MPI_Allreduce leaves the order to the library, which may
  /// choose another at every run; sums of kaon are few numbers, for which both cost a latency.
  void sum(std::span<double> values) const override {
    combine(values, [](double a, double b) { return a + b; });
  }

  /// MPI_MAX may lose a NaN with Open MPI, and processes receive different results with MPICH.
  void maximum(std::span<double> values) const override {
    combine(values, [](double a, double b) { return a >= b || std::isnan(a) ? a : b; });
  }

  template <class Operation>
  void combine(std::span<double> values, const Operation& operation) const {
    if (size_ == 1) return;
    constexpr std::size_t most = std::size_t{1} << 16;  // at a time: what is gathered has the size of all processes
    for (; values.size() > most; values = values.subspan(most)) combine_piece(values.first(most), operation);
    if (!values.empty()) combine_piece(values, operation);
  }
  template <class Operation>
  void combine_piece(std::span<double> values, const Operation& operation) const {
    const std::size_t count = values.size();
    std::vector<double> gathered(count * static_cast<std::size_t>(size_));
    MPI_Allgather(values.data(), static_cast<int>(count), MPI_DOUBLE, gathered.data(), static_cast<int>(count),
                  MPI_DOUBLE, communicator_);
    for (std::size_t i = 0; i < count; ++i) {
      double total = gathered[i];
      for (std::size_t process = 1; process < static_cast<std::size_t>(size_); ++process) {
        total = operation(total, gathered[process * count + i]);
      }
      values[i] = total;
    }
  }

  void broadcast(void* data, std::size_t bytes, int root) const override {
    constexpr std::size_t largest = std::size_t{1} << 30;  // MPI counts in int
    auto* next = static_cast<char*>(data);
    while (size_ > 1 && bytes > 0) {
      const std::size_t part = std::min(bytes, largest);
      MPI_Bcast(next, static_cast<int>(part), MPI_BYTE, root, communicator_);
      next += part;
      bytes -= part;
    }
  }

  void barrier() const override { MPI_Barrier(communicator_); }

  void exclusive_or(std::span<std::uint64_t> values) const override {
    if (size_ == 1 || values.empty()) return;
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_UINT64_T, MPI_BXOR, communicator_);
  }

  std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends,
                                          std::span<const Message> receives) const override {
    return std::make_unique<MpiExchange>(communicator_, sends, receives);
  }

  std::shared_ptr<KernelSums> make_kernel_sums(const Lattice& lattice) const override {
    return make_peer_sums(lattice);
  }

  bool sends_device_memory() const override {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
  }

  std::string name() const override { return message_passing_library(); }

  bool meet(double seconds) const {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(meeting_, &request);
    for (;;) {
      int complete = 0;
      MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
      if (complete) return true;
      if (Clock::now() >= end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
  MPI_Comm meeting_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

namespace {

void start_mpi(int* argc, char*** argv) {
#if defined(OPEN_MPI)
  // A program started without mpirun needs no daemon beside it: Open MPI's needs ssh to be installed.
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
#endif
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Error(fmt::format("{} does not offer MPI_THREAD_FUNNELED, which kaon needs", message_passing_library()));
  }
}

}  // namespace

Processes::Processes(int* argc, char*** argv) {
  if (!mpi_is_running()) {
    // A program that runs alone needs no MPI: starting it takes longer than many a subcommand.
    if (!is_launched()) return;
    int finalized = 0;
    MPI_Finalized(&finalized);
    require(!finalized, "MPI has been stopped and cannot be started again: make one Session for the whole program");
    start_mpi(argc, argv);
    started_ = true;
  }
  mpi_ = std::make_shared<Mpi>(MPI_COMM_WORLD);
  all_ = Communicator(mpi_);
  (void)node_share();
}

Processes::~Processes() {
  all_ = Communicator();
  mpi_.reset();
  if (started_ && mpi_is_running()) MPI_Finalize();
}

bool Processes::meet(double seconds) const { return all_.size() == 1 || mpi_->meet(seconds); }

void Processes::stop_at_exit() {
  if (!started_) return;
  started_ = false;
  std::atexit([] {
    if (mpi_is_running()) MPI_Finalize();
  });
}

void Processes::abort(int exit_code) const {
  if (mpi_) {
    // MPICH's launcher drops messages that it has not read when a process aborts.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
  std::_Exit(exit_code);
}

namespace {

NodeShare find_node_share() {
  if (!mpi_is_running()) return {.cores = available_cores(), .bound = threads_are_bound()};
  // MPI_Comm_split_type for shared memory makes groups of one process each with MPICH 5.0.
  char name[MPI_MAX_PROCESSOR_NAME];
  int length = 0, rank = 0, size = 1;
  MPI_Get_processor_name(name, &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::hash<std::string> hash;
  const ProcessPlace mine{hash(std::string(name, name + length)) ^ node_number(), hash(core_mask())};
  std::vector<ProcessPlace> places(static_cast<std::size_t>(size));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  NodeShare share = share_of(places, static_cast<std::size_t>(rank), available_cores());
  share.bound = threads_are_bound();
  return share;
}

}  // namespace

const NodeShare& node_share() {
  static const NodeShare share = find_node_share();
  return share;
}

std::string message_passing_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<std::size_t>(length));
  return std::string(all.substr(0, all.find_first_of(",\n")));
}

}  // namespace kaon::detail

namespace kaon {

Communicator make_communicator(MPI_Comm processes) {
  require(detail::mpi_is_running(), "MPI does not run: start it, or make a Session, before a communicator");
  require(processes != MPI_COMM_NULL, "this process is in none of the groups: MPI_COMM_NULL makes no communicator");
  return detail::emulate_by_setting(Communicator(std::make_shared<detail::Mpi>(processes)));
}

Communicator make_communicator_of_fortran(int processes) {
  require(detail::mpi_is_running(), "MPI does not run: start it, or make a Session, before a communicator");
  return make_communicator(MPI_Comm_f2c(static_cast<MPI_Fint>(processes)));
}

}  // namespace kaon
