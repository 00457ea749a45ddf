// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace kaon {

/// The processes that share a lattice. A small value: copies refer to the same processes.
///
/// A default-constructed communicator is this process alone. `Session::communicator()` is all processes of the run; how
/// they talk is known to the comm layer only, through `Backend`.
class Communicator {
 public:
  /// What a message-passing library must provide. All calls are collective.
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
    /// "single process" or the library's name and version.
    virtual std::string name() const = 0;
  };

  Communicator();
  explicit Communicator(std::shared_ptr<const Backend> backend);

  int rank() const { return backend_->rank(); }
  int size() const { return backend_->size(); }
  void sum(std::span<double> values) const { backend_->sum(values); }
  void maximum(std::span<double> values) const { backend_->maximum(values); }
  void broadcast(void* data, std::size_t bytes, int root = 0) const { backend_->broadcast(data, bytes, root); }
  void barrier() const { backend_->barrier(); }
  std::string name() const { return backend_->name(); }

  /// True on every process when `condition` holds on at least one: the way to throw together.
  bool any(bool condition) const;

 private:
  std::shared_ptr<const Backend> backend_;
};

}  // namespace kaon
