// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/ending_signals.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string_view>

namespace kaon::detail {
namespace {

struct NamedSignal {
  int number;
  const char* name;
};
constexpr NamedSignal ending_signals[] = {{SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGTERM, "SIGTERM"},
                                          {SIGXCPU, "SIGXCPU"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"}};

// The handler reads the following objects. It neither allocates memory nor waits for a lock.

struct NamedPlace {
  std::atomic<bool> taken{false};
  std::atomic<bool> holds_name{false};
  char name[PATH_MAX];
};
std::array<NamedPlace, 64> places;

struct SignalReport {
  char program[64], deferred[512], ended[4096];
};
std::array<SignalReport, 2> reports{};  // one is changed while the handler may read the other
std::atomic<int> current_report{0};

std::atomic<int> deferrals{0};
std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_time{0};  // nanoseconds
std::atomic<int> signal_at_exit{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler must not wait");

std::int64_t nanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

template <std::size_t n>
void copy_cut(char (&out)[n], std::string_view text) {
  const std::size_t length = std::min(text.size(), n - 1);
  std::copy_n(text.data(), length, out);
  out[length] = '\0';
}

/// Writes "program: SIGTERM: text" and the end of the line.
void write_report(const char* program, int signal, const char* text) {
  if (text[0] == '\0') return;
  char line[sizeof(SignalReport) + 32];
  std::size_t length = 0;
  for (const char* part : {program, ": ", name_of_signal(signal), ": ", text, "\n"}) {
    const std::size_t size = std::min(std::strlen(part), sizeof line - length);
    std::memcpy(line + length, part, size);
    length += size;
  }
  static_cast<void>(::write(STDERR_FILENO, line, length) > 0);
}

/// Ends the process without a core file, which is of no use here and has the size of the fields.
[[noreturn]] void end_by_signal(int signal) {
  const struct rlimit none {};
  ::setrlimit(RLIMIT_CORE, &none);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  ::sigaction(signal, &usual, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

extern "C" void on_ending_signal(int signal) {
  const int error = errno;
  const SignalReport& report = reports[static_cast<std::size_t>(current_report.load())];
  if (deferrals > 0) {
    constexpr std::int64_t one_sending = 500'000'000;
    std::int64_t none = 0;
    const std::int64_t now = nanoseconds();
    if (first_time.compare_exchange_strong(none, now)) {
      first_signal = signal;
      write_report(report.program, signal, report.deferred);
      errno = error;
      return;
    }
    if (signal == SIGXCPU || now - none < one_sending) {
      errno = error;
      return;
    }
  }
  for (const NamedPlace& place : places) {
    if (place.holds_name) ::unlink(place.name);
  }
  write_report(report.program, signal, report.ended);
  end_by_signal(signal);
}

extern "C" void on_exit_by_signal() {
  if (const int signal = signal_at_exit) end_by_signal(signal);
}

}  // namespace

void handle_ending_signals() {
  std::atexit(on_exit_by_signal);
  struct sigaction action {};
  action.sa_handler = on_ending_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const NamedSignal& signal : ending_signals) sigaddset(&action.sa_mask, signal.number);
  for (const NamedSignal& signal : ending_signals) {
    struct sigaction old {};
    if (::sigaction(signal.number, nullptr, &old) != 0 || old.sa_handler == SIG_IGN) continue;  // "nohup"
    ::sigaction(signal.number, &action, nullptr);
  }
}

RemovedBySignals::RemovedBySignals(const std::filesystem::path& file) : place_(-1) {
  const std::string_view name = file.native();
  if (name.size() >= PATH_MAX) return;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (places[k].taken.exchange(true)) continue;
    copy_cut(places[k].name, name);
    places[k].holds_name = true;
    place_ = static_cast<int>(k);
    return;
  }
}

RemovedBySignals::~RemovedBySignals() {
  if (place_ < 0) return;
  NamedPlace& own = places[static_cast<std::size_t>(place_)];
  own.holds_name = false;
  own.taken = false;
}

SignalDeferral::SignalDeferral() { ++deferrals; }
SignalDeferral::~SignalDeferral() { --deferrals; }

int deferred_signal() noexcept { return first_signal; }

void report_ending_signals(const std::string& program, const std::string& deferred, const std::string& ended) {
  const int other = 1 - current_report;
  SignalReport& report = reports[static_cast<std::size_t>(other)];
  copy_cut(report.program, program);
  copy_cut(report.deferred, deferred);
  copy_cut(report.ended, ended);
  current_report = other;
}

void end_by_signal_at_exit(int signal) noexcept { signal_at_exit = signal; }

const char* name_of_signal(int signal) noexcept {
  for (const NamedSignal& known : ending_signals) {
    if (known.number == signal) return known.name;
  }
  return "signal";
}

}  // namespace kaon::detail
