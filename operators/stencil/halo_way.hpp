// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning.hpp"
#include "operators/stencil/stencil_halo.hpp"

#include <kaon/comm/transport.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kaon::detail {

/// How a stencil gets its halos, which is tuned with its shape: it waits for them, and then is one kernel, which takes
/// sites at the edges last or among the others (`halo_first`, `edges_last`), or it has one kernel beside the exchange
/// and one after it. The processes exchange in the same way in each launch.
class HaloWays {
 public:
  /// Null: there are no halos, or only the second way.
  explicit HaloWays(StencilHalo* halo) : exists_(halo != nullptr) {
    if (exists_) waits_ = halo->exchange().works_within_kernels();
  }

  /// `shape` in the way that is used without tuning.
  LaunchShape in_standard(LaunchShape shape) const {
    shape.halo_first = waits_;
    return shape;
  }
  /// `shape` in the way that a test forces.
  LaunchShape as_forced(LaunchShape shape) const;

  /// A stage of tuning: that of the ways comes after stage 0 of the kernel, for which `of_kernel(stage)` is called.
  template <class OfKernel>
  std::vector<LaunchShape> shapes(int stage, const LaunchShape& best, const OfKernel& of_kernel) const {
    if (!exists_) return of_kernel(stage);
    if (stage == 1) return ways(best);
    std::vector<LaunchShape> shapes = of_kernel(stage == 0 ? 0 : stage - 1);
    if (stage == 0) {
      for (LaunchShape& shape : shapes) shape = in_standard(shape);
    }
    return shapes;
  }

 private:
  static std::vector<LaunchShape> ways(const LaunchShape& shape);

  bool exists_;
  bool waits_ = false;
};

/// Label under which the way of halos is tuned: the kernel, the transport and the directions that are cut. Lives as
/// long as the program.
std::string_view halo_label(const Lattice& lattice, Transport transport, const std::string& kernel);

}  // namespace kaon::detail
