// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// Program of session_test.cpp: one way of starting and ending a session, named by the first argument. Exit code 0 and
// the line "good" when all was as it should be.
#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/core/tuning.hpp>

#include <sched.h>
#include <Kokkos_Core.hpp>
#if defined(KAON_TEST_MPI)
#include <mpi.h>
#endif

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <thread>

namespace {

bool mpi_runs() {
#if defined(KAON_TEST_MPI)
  int started = 0, stopped = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&stopped);
  return started && !stopped;
#else
  return Kokkos::is_initialized();  // no difference to be seen
#endif
}

/// A session starts MPI where it should, as the test says.
bool mpi_is_as_expected() {
#if defined(KAON_TEST_MPI)
  return mpi_runs() == (std::getenv("KAON_TEST_EXPECT_MPI") != nullptr);
#else
  return true;
#endif
}

bool all_run() { return Kokkos::is_initialized() && mpi_is_as_expected(); }
bool none_runs() { return !Kokkos::is_initialized() && !mpi_runs(); }

int good(bool condition) {
  if (condition) std::puts("good");
  return condition ? 0 : 1;
}

int with_arguments(int& argc, char** argv) {
  bool during = false;
  {
    const kaon::Session session(argc, argv);
    during = all_run() && session.communicator().size() >= 1;
  }
  return good(during && none_runs() && argc == 2);
}

int without_arguments(int&, char**) {
  bool during = false;
  {
    const kaon::Session session;
    during = all_run();
  }
  return good(during && none_runs());
}

int application_started(int& argc, char** argv) {
#if defined(KAON_TEST_MPI)
  MPI_Init(&argc, &argv);
#endif
  bool during = false, after = false;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    {
      const kaon::Session session(argc, argv);
      during = Kokkos::is_initialized() && mpi_runs();
    }
    after = Kokkos::is_initialized() && mpi_runs();
  }
#if defined(KAON_TEST_MPI)
  after = after && mpi_runs();
  MPI_Finalize();
#endif
  return good(during && after);
}

int nested(int& argc, char** argv) {
  bool after = false;
  {
    const kaon::Session outer(argc, argv);
    { const kaon::Session inner; }
    after = all_run();
  }
  return good(after && none_runs());
}

/// Kokkos can be started once: the second process has started it already when its session does.
int one_cannot_start(int& argc, char** argv) {
  bool is_second = false;
#if defined(KAON_TEST_MPI)
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  is_second = rank == 1;
#endif
  if (is_second) const Kokkos::ScopeGuard kokkos(argc, argv);
  return kaon::run_program(argc, argv, [](const kaon::Session& session) {
    session.communicator().barrier();
    return 0;
  });
}

int one_after_another(int& argc, char** argv) {
  { const kaon::Session first(argc, argv); }
  try {
    const kaon::Session second;
  } catch (const kaon::Error& error) {
    std::puts(error.what());
    return good(true);
  }
  return good(false);
}

int copy_survives(int& argc, char** argv) {
  std::optional<kaon::Communicator> copy;
  {
    const kaon::Session session(argc, argv);
    copy = session.communicator();
  }
  copy.reset();
  return good(true);
}

int sums(int& argc, char** argv) {
  const kaon::Session session(argc, argv);
  const kaon::Communicator& all = session.communicator();
  const double rank = all.rank(), size = all.size();
  double values[] = {rank + 1, 1e16, rank == 0 ? 1.0 : -1e16};
  all.sum(values);
  double largest[] = {rank, -rank};
  all.maximum(largest);
  bool right = true;
  for (int owner = 0; owner < all.size(); ++owner) {  // every process receives the NaN of one
    double with_nan[] = {all.rank() == owner ? std::numeric_limits<double>::quiet_NaN() : rank};
    all.maximum(with_nan);
    right = right && std::isnan(with_nan[0]);
  }
  std::string text = all.rank() == all.size() - 1 ? "from the last" : "             ";
  all.broadcast(text.data(), text.size(), all.size() - 1);
  all.barrier();
  right = right && values[0] == size * (size + 1) / 2 && values[1] == 1e16 * size && largest[0] == size - 1 &&
          largest[1] == 0 && text == "from the last";
  right = right && values[2] == (size == 1 ? 1.0 : 1.0 - 1e16);
  return good(!all.any(!right) && all.any(all.rank() == 0) && !all.any(false));
}

int one_throws(int& argc, char** argv) {
  return kaon::run_program(argc, argv, [](const kaon::Session& session) {
    if (session.communicator().rank() == session.communicator().size() - 1) throw kaon::Error("a broken link");
    session.communicator().barrier();
    return 0;
  });
}

/// The last process throws within a call, while the others wait for its message.
int one_throws_in_a_call(int& argc, char** argv) {
  return kaon::run_program(argc, argv, [](const kaon::Session& session) {
    const kaon::Communicator& all = session.communicator();
    const bool last = all.rank() == all.size() - 1;
    const kaon::Lattice lattice({.extents = {4, 4, 4, last ? 5 : 4}});
    double sent = 1.0, received = 0.0;
    const kaon::Message sends[] = {{&sent, sizeof sent, (all.rank() + 1) % all.size(), 0}};
    const kaon::Message receives[] = {{&received, sizeof received, (all.rank() + all.size() - 1) % all.size(), 0}};
    const auto exchange = all.make_exchange(sends, receives);
    exchange->start();
    exchange->finish();
    all.barrier();
    return 0;
  });
}

int all_throw(int& argc, char** argv) {
  return kaon::run_program(argc, argv, [](const kaon::Session&) -> int { throw kaon::Error("the same for everyone"); });
}

int fails_with_code(int& argc, char** argv) {
  const kaon::Session session(argc, argv);
  if (session.communicator().rank() == 0) return session.fail("the first fails", 7);
  session.communicator().barrier();
  return 0;
}

int leaves_by_exception(int& argc, char** argv) {
  try {
    const kaon::Session session(argc, argv);
    if (session.communicator().rank() == 0) throw kaon::Error("thrown through the session");
    session.communicator().barrier();
  } catch (const kaon::Error& error) {
    std::puts(error.what());
    return 1;
  }
  return 0;
}

int tuning(int& argc, char** argv) {
  return kaon::run_program(argc, argv, [](const kaon::Session&) {
    std::puts(kaon::tuning_is_on() ? "tuning on" : "tuning off");
    return 0;
  });
}

/// Sessions that cannot start; the first process, which alone has an environment variable of kaon, is slow to
/// report it.
int slow_message(int& argc, char** argv) {
  try {
    const kaon::Session session(argc, argv);
  } catch (const kaon::Error& error) {
    if (std::getenv("KAON_TUNE") == nullptr) return 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}

int threads(int& argc, char** argv) {
  const kaon::Session session(argc, argv);
  const kaon::RunInfo run = kaon::run_info(session.communicator());
  std::printf("process %d of %d: %d threads, %d share\n", run.node_rank, run.node_processes, run.host_threads,
              run.sharing_cores);
  return good(run.node_rank == session.communicator().rank() && run.node_processes == session.communicator().size());
}

/// Runs it on the first core that the process may use.
int one_core(int& argc, char** argv) {
  cpu_set_t mine, first;
  sched_getaffinity(0, sizeof mine, &mine);
  CPU_ZERO(&first);
  for (int core = 0; CPU_COUNT(&first) == 0; ++core) {
    if (CPU_ISSET(core, &mine)) CPU_SET(core, &first);
  }
  return sched_setaffinity(0, sizeof first, &first) == 0 ? threads(argc, argv) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, int (*)(int&, char**)> ways{{"with-arguments", with_arguments},
                                                          {"without-arguments", without_arguments},
                                                          {"application-started", application_started},
                                                          {"nested", nested},
                                                          {"one-after-another", one_after_another},
                                                          {"one-cannot-start", one_cannot_start},
                                                          {"copy-survives", copy_survives},
                                                          {"sums", sums},
                                                          {"threads", threads},
                                                          {"one-core", one_core},
                                                          {"tuning", tuning},
                                                          {"slow-message", slow_message},
                                                          {"one-throws", one_throws},
                                                          {"one-throws-in-a-call", one_throws_in_a_call},
                                                          {"all-throw", all_throw},
                                                          {"fails-with-code", fails_with_code},
                                                          {"leaves-by-exception", leaves_by_exception}};
  const auto way = argc > 1 ? ways.find(argv[1]) : ways.end();
  return way == ways.end() ? 100 : way->second(argc, argv);
}
