// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/at_once.hpp"

#include <kaon/core/error.hpp>

#include <algorithm>
#include <memory>
#include <typeinfo>

namespace kaon::detail {

namespace {

/// Made when a lattice first needs it, and kept with it.
struct LatticeSums {
  std::shared_ptr<KernelSums> kernels;
};

KernelSums* kernel_sums(const Lattice& lattice) {
  if (!on_device || lattice.communicator().size() == 1) return nullptr;
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(LatticeSums), 0);
  if (!kept) kept = std::make_shared<LatticeSums>(lattice.communicator().make_kernel_sums(lattice));
  return static_cast<const LatticeSums*>(kept.get())->kernels.get();
}

}  // namespace

bool kernels_sum_over_processes(const Lattice& lattice) { return kernel_sums(lattice) != nullptr; }

SumsInFlight::SumsInFlight(const Lattice& lattice, int slot, int right_hand_sides, int sums, int coefficients)
    : lattice_(lattice),
      slot_(slot),
      right_hand_sides_(right_hand_sides),
      sums_(sums),
      told_(numbers_told(sums, coefficients)),
      values_(index(right_hand_sides)) {
  Workspace& workspace = lattice_.workspace();
  static_assert(blas_batch <= ProcessSums::most_right_hand_sides);
  if (sums > 0 && sums <= ProcessSums::most_sums && right_hand_sides <= ProcessSums::most_right_hand_sides) {
    if (KernelSums* kernels = kernel_sums(lattice)) processes_ = kernels->take_turn();
  }
  require(coefficients == 0 || processes_.processes == lattice.communicator().size(),
          "rules cannot be applied to sums of one process of several");
  results_ = values_.data();
  if (!values_.empty()) {
    turn_ = workspace.take_turn(slot);
    if (on_device) results_ = workspace.expect_results(lattice_.execution(), values_.size(), slot);
  }
  coefficients_ = workspace.coefficients(static_cast<std::size_t>(right_hand_sides * coefficients), slot);
}

void SumsInFlight::wait() {
  require(lattice_.workspace().turn(slot_) == turn_, "sums were made while others were still being waited for");
  if constexpr (on_device) {
    lattice_.workspace().wait_for_results(lattice_.execution(), values_.data(), values_.size(), slot_);
  }
  if (processes_.processes == 1) lattice_.communicator().sum(values_);
}

std::vector<double> SumsInFlight::sums() const {
  std::vector<double> all;
  for (int rhs = 0; rhs < right_hand_sides_; ++rhs) {
    for (int k = 0; k < sums_; ++k) all.push_back(sum(rhs, k));
  }
  return all;
}

std::vector<bool> SumsInFlight::done() const {
  std::vector<bool> which;
  for (int rhs = 0; rhs < right_hand_sides_; ++rhs) which.push_back(told_ > sums_ && sum(rhs, sums_) == 1.0);
  return which;
}

void PartsOfSums::add_on_host(int stride) {
  lattice_.execution().fence("kaon::add_parts");
  for (int rhs = 0; rhs < right_hand_sides_; ++rhs) {
    double* const of_rhs = flight_->results() + rhs * stride;
    std::fill_n(of_rhs, site_sums, 0.0);
    for (int number = 0; number < sums_.parts; ++number) {
      for (int k = 0; k < site_sums; ++k) of_rhs[k] += sums_.of_part(rhs, number)[k];
    }
  }
}

}  // namespace kaon::detail
