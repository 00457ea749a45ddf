// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <memory>
#include <type_traits>

namespace kaon::detail {

/// The numbers of small fields of all processes, on each process: [right-hand side][process][numbers]. On one process
/// a copy.
class GatheredField {
 public:
  /// For `right_hand_sides` of `numbers` reals each, the same number on every process. Collective.
  GatheredField(const Lattice& lattice, std::size_t numbers, int right_hand_sides);

  /// Gathers a field whose right-hand sides are contiguous. Collective. The host waits for the field and for messages.
  void gather(const SpinorField<float>& field);

  int right_hand_sides() const { return right_hand_sides_; }
  /// Distance between right-hand sides: the reals of all processes.
  std::size_t stride() const { return stride_; }
  /// The numbers in the memory of kernels, valid until the next call of `gather`.
  const float* data() const { return gathered_.data(); }

 private:
  using HostMemory = std::conditional_t<on_device, Kokkos::SharedHostPinnedSpace, Kokkos::HostSpace>;
  using HostNumbers = Kokkos::View<float*, HostMemory>;

  Lattice lattice_;
  std::size_t numbers_, stride_;
  int right_hand_sides_;
  Kokkos::View<float*, Memory> mine_;      // [right-hand side][number]
  HostNumbers incoming_;                   // [process][right-hand side][number]
  Kokkos::View<float*, Memory> gathered_;  // [right-hand side][process][number]
  HostNumbers host_gathered_;              // the same memory on hosts
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace kaon::detail
