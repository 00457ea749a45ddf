// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_sums.hpp"

#include <kaon/core/error.hpp>

#include <typeinfo>
#include <utility>

namespace kaon::detail {

namespace {

/// Made when a lattice first needs it, and owned by the lattice.
struct LatticeSums {
  std::shared_ptr<KernelSums> kernels;
};

KernelSums* kernel_sums(const Lattice& lattice) {
  if (!teams_have_warps) return nullptr;
  std::shared_ptr<void>& kept = lattice.workspace().kept(typeid(LatticeSums), 0);
  if (!kept) kept = std::make_shared<LatticeSums>(lattice.communicator().make_kernel_sums(lattice));
  return static_cast<const LatticeSums*>(kept.get())->kernels.get();
}

}  // namespace

bool kernels_sum_over_processes(const Lattice& lattice) { return kernel_sums(lattice) != nullptr; }

PendingSums::PendingSums(const Lattice& lattice, int right_hand_sides, int sums, int scalars, AppliedBy applied_by)
    : lattice_(lattice),
      right_hand_sides_(right_hand_sides),
      count_(sums),
      stride_(static_cast<std::size_t>(sums + 2 * scalars)) {
  Workspace& workspace = lattice_.workspace();
  static_assert(blas_batch <= ProcessSums::most_right_hand_sides);
  if (sums > 0 && sums <= ProcessSums::most_sums && right_hand_sides <= ProcessSums::most_right_hand_sides) {
    if (KernelSums* kernels = kernel_sums(lattice)) processes_ = kernels->next_generation();
  }
  const auto rows = static_cast<std::size_t>(right_hand_sides);
  if (scalars > 0 && applied_by != AppliedBy::host) {
    require(processes_.processes == lattice.communicator().size(),
            "kernels cannot apply functions to sums of one process of several");
    // A single process has nothing to add; one that emulates several takes their time, unless kernels do.
    if (is_alone()) lattice.communicator().sum(std::span<double>());
    scalars_ = std::make_shared<ScalarState>(ScalarState{.right_hand_sides = right_hand_sides, .count = scalars});
    scalars_->memory = workspace.take_scalar_memory(rows * static_cast<std::size_t>(scalars));
  }
  const bool attended = scalars_ == nullptr || applied_by == AppliedBy::kernels;
  if (sums == 0 || (on_device && !attended)) return;
  slot_ = workspace.take_result_slot();
  results_ = slot_->expect(lattice_.execution(), rows * stride_);
  if (scalars_ == nullptr || !attended) return;
  scalars_->slot = slot_;
  scalars_->first = static_cast<std::size_t>(sums);
  scalars_->stride = stride_;
  scalars_->execution = lattice_.execution();
}

PendingSums::PendingSums(const Lattice& lattice, int right_hand_sides, std::vector<double> known)
    : lattice_(lattice),
      right_hand_sides_(right_hand_sides),
      count_(static_cast<int>(known.size()) / right_hand_sides),
      sums_(std::move(known)) {}

const std::vector<double>& PendingSums::wait() {
  if (slot_ == nullptr) return sums_;
  const auto sums = static_cast<std::size_t>(count_);
  sums_.resize(static_cast<std::size_t>(right_hand_sides_) * sums);
  for (std::size_t k = 0; k < static_cast<std::size_t>(right_hand_sides_); ++k) {
    slot_->wait(lattice_.execution(), k * stride_, sums, sums_.data() + k * sums);
  }
  if (scalars_ != nullptr) scalars_->wait();
  slot_->release();
  slot_ = nullptr;
  results_ = nullptr;
  if (is_alone() && scalars_ == nullptr) lattice_.communicator().sum(sums_);
  return sums_;
}

}  // namespace kaon::detail
