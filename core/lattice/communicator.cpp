// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/communicator.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

namespace kaon {
namespace {

/// Messages of a process to itself.
class SelfExchange final : public Exchange {
 public:
  SelfExchange(std::span<const Message> sends, std::span<const Message> receives)
      : sends_(sends.begin(), sends.end()), receives_(receives.begin(), receives.end()) {
    for (const Message& send : sends_) (void)partner(send);
    require(sends_.size() == receives_.size(), "as many messages must be received as are sent");
  }
  void start() override {
    for (const Message& send : sends_) std::memcpy(partner(send).data, send.data, send.bytes);
    next_ = 0;
  }
  int next() override { return next_ < receives_.size() ? static_cast<int>(next_++) : -1; }

 private:
  const Message& partner(const Message& send) const {
    const auto found = std::find_if(receives_.begin(), receives_.end(), [&](const Message& receive) {
      return receive.tag == send.tag && receive.bytes == send.bytes && receive.peer == 0 && send.peer == 0;
    });
    require(found != receives_.end(), [&] {
      return fmt::format("message {} of {} bytes to process {} is received by nobody", send.tag, send.bytes, send.peer);
    });
    return *found;
  }

  std::vector<Message> sends_, receives_;
  std::size_t next_ = 0;
};

class SingleProcess final : public Communicator::Backend {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<double>) const override {}
  void maximum(std::span<double>) const override {}
  void broadcast(void*, std::size_t, int) const override {}
  void barrier() const override {}
  void exclusive_or(std::span<std::uint64_t>) const override {}
  std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends,
                                          std::span<const Message> receives) const override {
    return std::make_unique<SelfExchange>(sends, receives);
  }
  std::string name() const override { return "single process"; }
};

}  // namespace

Communicator::Communicator() : backend_(std::make_shared<SingleProcess>()) {}

Communicator::Communicator(std::shared_ptr<const Backend> backend) : backend_(std::move(backend)) {
  static std::atomic<int> groups = 0;
  if (backend_->size() > 1) group_ = ++groups;
}

}  // namespace kaon
