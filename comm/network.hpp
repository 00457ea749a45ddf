// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>
#include <kaon/core/execution.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kaon::detail {

/// A network between processes, as an emulation of it delays messages and sums. Times are in seconds.
///
/// A process has one link, which its messages share in the order in which they are sent, in all directions: the
/// k-th of messages that start together arrives after
///
///   max(start, link free) + latency + (bytes_1 + ... + bytes_k) / bandwidth,
///
/// and the link receives and sends at the same time. A global sum takes `sum_latency` log2(processes), rounded up; one
/// by kernels, which exchange with all others at once (`ProcessSums`), takes `sum_latency`.
struct Network {
  std::string name;
  double latency = 0.0;      ///< from the end of packing until the halo may be read
  double bandwidth = 0.0;    ///< bytes per second that a process sends, and as many that it receives
  double sum_latency = 0.0;  ///< of one of the stages of a global sum
  bool kernels_sum = false;  ///< GPUs add up among themselves, and the host does not wait
  int processes = 1;         ///< that sums run over; messages do not depend on it

  double message_seconds(double bytes) const { return latency + bytes / bandwidth; }
  double sum_seconds() const;
};

/// A network that has a name, and where its numbers are from.
struct NetworkPreset {
  Network network;
  const char* source;
};
std::span<const NetworkPreset> network_presets();

/// "hdr", "hdr,64", "2,25", "2,25,1.5,64" or "2,25,1.5,64,kernels": a preset or microseconds and GB/s of messages, then
/// microseconds of a stage of a sum and the number of processes, which is otherwise `processes`; at last whether
/// kernels sum. Throws `Error` for other texts.
Network parse_network(std::string_view text, int processes);

/// These processes, with messages and sums that take as long as `network` says, and not less than they take here.
/// Other work does not wait for them. Results are the same to the last bit.
Communicator emulate(const Communicator& processes, const Network& network);

/// The network that the processes emulate; null where they emulate none.
std::shared_ptr<const Network> network_of(const Communicator& processes);

/// The setting KAON_TRANSPORT of the first process: a transport, empty where kaon chooses, and a network to emulate.
/// Collective. Throws `Error` in all processes for a network that has no meaning.
struct TransportSetting {
  std::string transport;
  std::optional<Network> network;
};
TransportSetting transport_setting(const Communicator& processes);

/// The processes with the network that KAON_TRANSPORT names, if it names one. Collective, and throws as
/// `transport_setting`.
Communicator emulate_by_setting(const Communicator& processes);

/// Work on `execution` from now on comes `seconds` after what it has been given: a GPU's stream waits, or the host.
void stall(const Execution& execution, double seconds);
/// The clock of a multiprocessor counts as many cycles in that time at most; of a host 0.
std::int64_t cycles_of(double seconds);

}  // namespace kaon::detail
