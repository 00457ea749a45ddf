// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/communicator.hpp>

#include <utility>

namespace kaon {
namespace {

class SingleProcess final : public Communicator::Backend {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<double>) const override {}
  void maximum(std::span<double>) const override {}
  void broadcast(void*, std::size_t, int) const override {}
  void barrier() const override {}
  std::string name() const override { return "single process"; }
};

}  // namespace

Communicator::Communicator() : backend_(std::make_shared<SingleProcess>()) {}

Communicator::Communicator(std::shared_ptr<const Backend> backend) : backend_(std::move(backend)) {}

bool Communicator::any(bool condition) const {
  double value = condition ? 1.0 : 0.0;
  maximum(std::span(&value, 1));
  return value > 0.0;
}

}  // namespace kaon
