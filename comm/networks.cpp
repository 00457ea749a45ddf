// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/network.hpp"
#include "core/base/number_of.hpp"
#include "core/reductions/process_sums.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration duration(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Sleeping takes longer than most delays.
void spin_until(Clock::time_point time) {
  while (Clock::now() < time) {
  }
}

/// The link of this process, which its messages share.
struct Link {
  Network network;
  Clock::time_point free{};
};

/// Messages that may be read when an emulated link has carried them. Received ones come in the order in which they are
/// named, as long after this process's start as they are after their sender's.
class EmulatedExchange final : public Exchange {
 public:
  EmulatedExchange(std::shared_ptr<Link> link, std::unique_ptr<Exchange> inner, std::span<const Message> receives)
      : link_(std::move(link)), inner_(std::move(inner)), arrivals_(receives.size()) {
    for (const Message& message : receives) bytes_.push_back(static_cast<double>(message.bytes));
  }

  void start() override {
    link_->free = std::max(link_->free, Clock::now());
    for (std::size_t k = 0; k < bytes_.size(); ++k) {
      link_->free += duration(bytes_[k] / link_->network.bandwidth);
      arrivals_[k] = link_->free + duration(link_->network.latency);
    }
    inner_->start();
  }
  int next() override {
    const int index = inner_->next();
    if (index >= 0) spin_until(arrivals_[static_cast<std::size_t>(index)]);
    return index;
  }
  std::shared_ptr<const Network> network() const { return {link_, &link_->network}; }

 private:
  std::shared_ptr<Link> link_;
  std::unique_ptr<Exchange> inner_;
  std::vector<double> bytes_;
  std::vector<Clock::time_point> arrivals_;
};

/// Whether any were made: `network_of` is asked at every hop.
std::atomic<bool> emulated_any = false;

/// Kernels that sum over the processes of `inner`, if there are several, and take as long as the network does.
class EmulatedSums final : public KernelSums {
 public:
  EmulatedSums(std::shared_ptr<KernelSums> inner, double seconds)
      : inner_(std::move(inner)), cycles_(cycles_of(seconds)) {}

  ProcessSums next_generation() override {
    ProcessSums sums;
    if (inner_ != nullptr) sums = inner_->next_generation();
    sums.cycles = cycles_;
    return sums;
  }

 private:
  std::shared_ptr<KernelSums> inner_;
  std::int64_t cycles_;
};

class EmulatedProcesses final : public Communicator::Backend {
 public:
  EmulatedProcesses(const Communicator& inner, const Network& network)
      : inner_(inner), link_(std::make_shared<Link>(Link{network})) {}

  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  /// A sum of nothing is for one that kernels of a single process make and use without its delay (`PendingSums`).
  /// If hosts of several processes would make it, it waits for the kernels before.
  void sum(std::span<double> values) const override {
    if (values.empty()) {
      if (link_->network.kernels_sum) return stall(Execution(), link_->network.sum_seconds());
      Kokkos::fence("kaon::emulated sum");
    }
    const Clock::time_point end = end_of_sum();
    inner_.sum(values);
    spin_until(end);
  }
  void maximum(std::span<double> values) const override {
    const Clock::time_point end = end_of_sum();
    inner_.maximum(values);
    spin_until(end);
  }
  void broadcast(void* data, std::size_t bytes, int root) const override { inner_.broadcast(data, bytes, root); }
  void barrier() const override { inner_.barrier(); }
  void exclusive_or(std::span<std::uint64_t> values) const override { inner_.exclusive_or(values); }
  std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends,
                                          std::span<const Message> receives) const override {
    return std::make_unique<EmulatedExchange>(link_, inner_.make_exchange(sends, receives), receives);
  }
  std::shared_ptr<KernelSums> make_kernel_sums(const Lattice& lattice) const override {
    if (!link_->network.kernels_sum) return nullptr;
    std::shared_ptr<KernelSums> inner = inner_.make_kernel_sums(lattice);
    if (inner == nullptr && inner_.size() > 1) return nullptr;
    return std::make_shared<EmulatedSums>(std::move(inner), link_->network.sum_seconds());
  }
  bool sends_device_memory() const override { return inner_.sends_device_memory(); }
  std::string name() const override {
    const Network& network = link_->network;
    return fmt::format("{}, emulating {} between {} process{}", inner_.name(), network.name, network.processes,
                       network.processes == 1 ? "" : "es");
  }

 private:
  Clock::time_point end_of_sum() const { return Clock::now() + duration(link_->network.sum_seconds()); }

  Communicator inner_;
  std::shared_ptr<Link> link_;
};

}  // namespace

Communicator emulate(const Communicator& processes, const Network& network) {
  emulated_any = true;
  return Communicator(std::make_shared<EmulatedProcesses>(processes, network));
}

std::shared_ptr<const Network> network_of(const Communicator& processes) {
  if (!emulated_any.load(std::memory_order_relaxed)) return nullptr;
  const std::unique_ptr<Exchange> of_nothing = processes.make_exchange({}, {});
  const auto* const emulated = dynamic_cast<const EmulatedExchange*>(of_nothing.get());
  return emulated == nullptr ? nullptr : emulated->network();
}

namespace {

/// Numbers are those of one process, with one GPU.
const NetworkPreset presets[] = {
    {{.name = "nvlink", .latency = 1.0e-6, .bandwidth = 450e9, .sum_latency = 0.85e-6, .kernels_sum = true},
     "two H200 by `peer` within kernels: tools/compare-predictions measures 0.97 us, 466 GB/s and 0.84 us; the wires "
     "have 450 GB/s each way"},
    {{.name = "ndr", .latency = 3.0e-6, .bandwidth = 48e9, .sum_latency = 2.0e-6},
     "nodes of four GPUs with a rail of 400 Gb/s each (NDR InfiniBand), 96 % of 50 GB/s; latencies are estimates"},
    {{.name = "hdr", .latency = 3.5e-6, .bandwidth = 6.0e9, .sum_latency = 2.5e-6},
     "nodes of four GPUs that share one rail of 200 Gb/s (HDR InfiniBand), 96 % of 25 GB/s; latencies are estimates"},
    {{.name = "qdr", .latency = 25e-6, .bandwidth = 1.6e9, .sum_latency = 3.0e-6},
     "arXiv:1011.0024 and arXiv:1109.2935: nodes of two GPUs that share QDR InfiniBand, 32 Gb/s of data, of which 80 "
     "% are had; copies to host memory and back are in the latency; an estimate"},
    {{.name = "gemini", .latency = 20e-6, .bandwidth = 5.0e9, .sum_latency = 2.5e-6},
     "arXiv:1612.07873: Cray XK7 (Titan), a GPU on each node; copies to host memory and back are in the latency; an "
     "estimate"},
};

/// Longest setting of KAON_TRANSPORT, with its end.
constexpr std::size_t setting_size = 128;

std::vector<std::string_view> words(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (;;) {
    const std::size_t end = text.find(separator);
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

[[noreturn]] void refuse(std::string_view text) {
  std::string names;
  for (const NetworkPreset& preset : presets) names += preset.network.name + ", ";
  throw Error(fmt::format(
      "'{}' is no network to emulate: name one of {}or give microseconds and GB/s of messages, such as "
      "2,25; after a name may come the number of processes that sums run over, after numbers the "
      "microseconds of a stage of a sum and that number: ndr,64 or 2,25,1.5,64; then 'kernels', if they sum",
      text, names));
}

}  // namespace

double Network::sum_seconds() const {
  if (kernels_sum) return processes > 1 ? sum_latency : 0.0;
  return sum_latency * std::ceil(std::log2(static_cast<double>(processes)));
}

std::span<const NetworkPreset> network_presets() { return presets; }

Network parse_network(std::string_view text, int processes) {
  const std::vector<std::string_view> given = words(text, ',');
  const auto preset =
      std::ranges::find_if(presets, [&](const NetworkPreset& one) { return one.network.name == given.front(); });
  const bool named = preset != std::end(presets);
  Network network = named ? preset->network : Network{};
  network.processes = processes;
  const auto read_processes = [&](std::string_view word) {
    const auto count = number_of<int>(word);
    if (!count || *count < 1) refuse(text);
    network.processes = *count;
  };
  if (named) {
    if (given.size() > 2) refuse(text);
    if (given.size() == 2) read_processes(given[1]);
    return network;
  }
  if (given.size() < 2 || given.size() > 5) refuse(text);
  const auto seconds = [&](std::string_view word) {
    const auto microseconds = number_of<double>(word);
    // Within an hour: a clock counts nanoseconds.
    if (!microseconds || !(*microseconds >= 0.0 && *microseconds <= 3.6e9)) refuse(text);
    return 1e-6 * *microseconds;
  };
  network.latency = seconds(given[0]);
  const auto gigabytes = number_of<double>(given[1]);
  if (!gigabytes || !std::isfinite(*gigabytes) || *gigabytes < 1e-6) refuse(text);
  network.bandwidth = 1e9 * *gigabytes;
  if (given.size() > 2) network.sum_latency = seconds(given[2]);
  if (given.size() > 3) read_processes(given[3]);
  if (given.size() > 4 && given[4] != "kernels") refuse(text);
  network.kernels_sum = given.size() > 4;
  network.name = fmt::format("{}us_{}GB/s", given[0], given[1]);
  return network;
}

TransportSetting transport_setting(const Communicator& processes) {
  // The first process's variable counts: all must choose alike.
  std::array<char, setting_size> asked_by_first{};
  if (const char* text = std::getenv("KAON_TRANSPORT")) std::strncpy(asked_by_first.data(), text, setting_size - 1);
  processes.broadcast(asked_by_first.data(), asked_by_first.size());
  const std::string_view asked(asked_by_first.data());
  const std::vector<std::string_view> parts = words(asked, ':');
  if (parts.front() != "emulated") return {std::string(asked), {}};
  require(parts.size() == 2 || parts.size() == 3, [&] {
    return fmt::format(
        "KAON_TRANSPORT={}: a network to emulate is written emulated:NETWORK or "
        "emulated:NETWORK:TRANSPORT, such as emulated:ndr,64 or emulated:2,25:nccl",
        asked);
  });
  const std::string transport(parts.size() == 3 ? parts[2] : std::string_view());
  try {
    return {transport, parse_network(parts[1], processes.size())};
  } catch (const Error& error) {
    throw Error(fmt::format("KAON_TRANSPORT={}: {}", asked, error.what()));
  }
}

Communicator emulate_by_setting(const Communicator& processes) {
  const TransportSetting setting = transport_setting(processes);
  return setting.network ? emulate(processes, *setting.network) : processes;
}

}  // namespace kaon::detail
