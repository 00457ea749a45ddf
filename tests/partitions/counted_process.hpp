// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace kaon::test {

/// One process whose sums and exchanges of halos are counted.
class CountedProcess final : public Communicator::Backend {
 public:
  struct Counts {
    int sums = 0, exchanges = 0;
  };
  explicit CountedProcess(std::shared_ptr<Counts> counts) : counts_(std::move(counts)) {}
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void sum(std::span<double>) const override { ++counts_->sums; }
  void maximum(std::span<double>) const override {}
  void broadcast(void*, std::size_t, int) const override {}
  void barrier() const override {}
  void exclusive_or(std::span<std::uint64_t>) const override {}
  std::unique_ptr<Exchange> make_exchange(std::span<const Message> sends,
                                          std::span<const Message> receives) const override {
    class Counted final : public Exchange {
     public:
      Counted(std::shared_ptr<Counts> counts, std::unique_ptr<Exchange> inner)
          : counts_(std::move(counts)), inner_(std::move(inner)) {}
      void start() override {
        ++counts_->exchanges;
        inner_->start();
      }
      int next() override { return inner_->next(); }

     private:
      std::shared_ptr<Counts> counts_;
      std::unique_ptr<Exchange> inner_;
    };
    return std::make_unique<Counted>(counts_, Communicator().make_exchange(sends, receives));
  }
  std::string name() const override { return "counted"; }

 private:
  std::shared_ptr<Counts> counts_;
};

}  // namespace kaon::test
