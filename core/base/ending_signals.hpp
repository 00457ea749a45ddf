// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>

namespace kaon::detail {

// Signals that end a program: hang-up, interrupt, termination, too much processor time, and the two of users, which
// batch systems send before the time of a job is over.

/// Handles these signals, except ignored ones. A signal removes the files of `RemovedBySignals`, writes the
/// report of `report_ending_signals` to standard error, and ends the process as it would have done without a handler.
/// For programs: a library leaves signals to them. Called once, before all other work.
void handle_ending_signals();

/// A file that a signal removes when it ends the process, as long as this object exists. The file need not exist yet.
/// The object holds one of 64 places; a file beyond them remains.
class RemovedBySignals {
 public:
  explicit RemovedBySignals(const std::filesystem::path& file);
  ~RemovedBySignals();
  RemovedBySignals(const RemovedBySignals&) = delete;
  RemovedBySignals& operator=(const RemovedBySignals&) = delete;

 private:
  int place_;
};

/// Defers the first signal while this object exists: it does not end the process, `deferred_signal` returns it, and the
/// program decides when to stop. A second signal ends the process. It is ignored within half a second of the first,
/// since some senders signal a process and then its group, and SIGXCPU is ignored always, since the system repeats it
/// each second.
class SignalDeferral {
 public:
  SignalDeferral();
  ~SignalDeferral();
  SignalDeferral(const SignalDeferral&) = delete;
  SignalDeferral& operator=(const SignalDeferral&) = delete;
};

/// The signal that was deferred in this process, or 0.
int deferred_signal() noexcept;

/// Sets the lines "`program`: SIGTERM: `text`" that signals write to standard error: `deferred` when a signal is
/// deferred, `ended` when a signal ends the process. An empty text writes nothing. Long texts are cut.
void report_ending_signals(const std::string& program, const std::string& deferred, const std::string& ended);

/// The process ends by the signal when it exits, after all that `exit` does. The shell then reports 128 + signal,
/// and ends its script at an interrupt.
void end_by_signal_at_exit(int signal) noexcept;

/// "SIGTERM"
const char* name_of_signal(int signal) noexcept;

}  // namespace kaon::detail
