// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace kaon {

class Lattice;
namespace detail {
class KernelSums;
}

/// Memory that goes to, or comes from, another process. Messages between two processes are distinguished by their tags.
struct Message {
  void* data = nullptr;  ///< on the host; on a device only where `Communicator::sends_device_memory`
  std::size_t bytes = 0;
  int peer = 0;  ///< rank of the other process, which may be this one
  int tag = 0;
};

/// A set of messages that is sent again and again from and to the same memory.
class Exchange {
 public:
  virtual ~Exchange() = default;
  /// Starts to send and receive all messages.
  virtual void start() = 0;
  /// Waits for the messages that are to be received, in the order in which they come: the index of the next one, or
  /// -1 when all have come and what was sent may be overwritten.
  virtual int next() = 0;
  /// Waits for all.
  void finish() {
    while (next() >= 0) {
    }
  }
};

/// The processes that share a lattice. A small value: copies refer to the same processes.
///
/// A default-constructed communicator is this process alone. `Session::communicator()` is all processes of the run; how
/// they talk is known to the comm layer only, through `Backend`.
class Communicator {
 public:
  /// Interface to a message-passing library. All calls are collective but those that report it.
  class Backend {
   public:
    virtual ~Backend() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Replaces each value by its sum over processes, added in an order fixed by the number of processes.
    virtual void sum(std::span<double> values) const = 0;
    /// Replaces each value by its maximum over processes.
    virtual void maximum(std::span<double> values) const = 0;
    /// Copies `bytes` bytes from process `root` to all others.
    virtual void broadcast(void* data, std::size_t bytes, int root) const = 0;
    virtual void barrier() const = 0;
    /// Replaces each value by the exclusive or of those of all processes.
    virtual void exclusive_or(std::span<std::uint64_t> values) const = 0;
    /// Not collective. Every send must have its receive, with the same number of bytes and tag, on the other process.
    virtual std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends,
                                                    std::span<const Message> receives) const = 0;
    /// State with which kernels add up numbers over the processes of a lattice, those of this communicator; null
    /// where they cannot.
    virtual std::shared_ptr<detail::KernelSums> make_kernel_sums(const Lattice&) const { return nullptr; }
    /// True if messages may lie in the memory of a GPU. Not collective.
    virtual bool sends_device_memory() const { return false; }
    /// "single process" or the library's name and version.
    virtual std::string name() const = 0;
  };

  Communicator();
  explicit Communicator(std::shared_ptr<const Backend> backend);

  int rank() const { return backend_->rank(); }
  int size() const { return backend_->size(); }
  /// Identifies the group in this process; 0 for a single process. Copies share the number; other processes may
  /// number the same group differently.
  int group() const { return group_; }
  void sum(std::span<double> values) const { backend_->sum(values); }
  void maximum(std::span<double> values) const { backend_->maximum(values); }
  /// The sum and the maximum of one number.
  double sum(double value) const {
    sum(std::span(&value, 1));
    return value;
  }
  double maximum(double value) const {
    maximum(std::span(&value, 1));
    return value;
  }
  void broadcast(void* data, std::size_t bytes, int root = 0) const { backend_->broadcast(data, bytes, root); }
  void barrier() const { backend_->barrier(); }
  void exclusive_or(std::span<std::uint64_t> values) const { backend_->exclusive_or(values); }
  std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends, std::span<const Message> receives) const {
    return backend_->make_exchange(sends, receives);
  }
  std::shared_ptr<detail::KernelSums> make_kernel_sums(const Lattice& lattice) const {
    return backend_->make_kernel_sums(lattice);
  }
  bool sends_device_memory() const { return backend_->sends_device_memory(); }
  std::string name() const { return backend_->name(); }

  /// True on every process when `condition` holds on at least one, so that all can throw together.
  bool any(bool condition) const { return maximum(condition ? 1.0 : 0.0) > 0.0; }
  /// The first process on which `condition` holds; none if it holds on no process.
  std::optional<int> first(bool condition) const {
    const double last = maximum(condition ? size() - rank() : 0.0);
    return last > 0.0 ? std::optional(size() - static_cast<int>(last)) : std::nullopt;
  }

 private:
  std::shared_ptr<const Backend> backend_;
  int group_ = 0;
};

}  // namespace kaon
