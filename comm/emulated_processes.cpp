// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "comm/network.hpp"
#include "core/reductions/process_sums.hpp"

#include <fmt/format.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
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

}  // namespace kaon::detail
