// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/gathered_field.hpp"

#include "core/device/allocate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kaon::detail {
namespace {

/// Tag of messages; halos use smaller ones.
constexpr int tag = 2 * directions;

/// Copies right-hand sides into consecutive memory.
struct CopyNumbers {
  float* to;
  const float* from;
  std::size_t numbers, stride;

  KOKKOS_FUNCTION void operator()(const std::size_t k) const {
    const std::size_t right_hand_side = k / numbers;
    to[k] = from[right_hand_side * stride + k % numbers];
  }
};

}  // namespace

GatheredField::GatheredField(const Lattice& lattice, std::size_t numbers, int right_hand_sides)
    : lattice_(lattice),
      numbers_(numbers),
      stride_(numbers * static_cast<std::size_t>(lattice.communicator().size())),
      right_hand_sides_(right_hand_sides),
      mine_(allocate<float>("kaon::GatheredField", numbers * static_cast<std::size_t>(right_hand_sides))),
      incoming_("kaon::GatheredField incoming", stride_ * static_cast<std::size_t>(right_hand_sides)),
      gathered_(allocate<float>("kaon::GatheredField", incoming_.size())),
      host_gathered_(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, HostMemory(), gathered_)) {
  const Communicator& communicator = lattice_.communicator();
  const std::size_t size = mine_.size(), bytes = size * sizeof(float);
  std::vector<Message> sends, receives;
  const auto of_process = [&](int process) { return incoming_.data() + static_cast<std::size_t>(process) * size; };
  for (int process = 0; process < communicator.size(); ++process) {
    if (process == communicator.rank()) continue;
    sends.push_back({of_process(communicator.rank()), bytes, process, tag});
    receives.push_back({of_process(process), bytes, process, tag});
  }
  if (!sends.empty()) exchange_ = communicator.make_exchange(sends, receives);
}

void GatheredField::gather(const SpinorField<float>& field) {
  const Execution& execution = lattice_.execution();
  const auto rank = static_cast<std::size_t>(lattice_.communicator().rank());
  Kokkos::parallel_for("kaon::gather_field",
                       Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>>(execution, 0, mine_.size()),
                       CopyNumbers{mine_.data(), field.data(), numbers_, field.right_hand_side_stride()});
  Kokkos::deep_copy(execution, Kokkos::subview(incoming_, std::pair(rank * mine_.size(), (rank + 1) * mine_.size())),
                    mine_);
  execution.fence("kaon::gather_field");
  if (exchange_) {
    exchange_->start();
    exchange_->finish();
  }
  const float* from = incoming_.data();
  for (std::size_t first = 0; first < stride_; first += numbers_) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(right_hand_sides_); ++r, from += numbers_) {
      std::copy_n(from, numbers_, host_gathered_.data() + r * stride_ + first);
    }
  }
  Kokkos::deep_copy(execution, gathered_, host_gathered_);
}

}  // namespace kaon::detail
