// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/stencil_list.hpp"

namespace kaon::detail {

// Means of tests alone, each in force while it lives. One at a time, and alike on all processes.

/// Stencils over processes wait for their halos before they begin, or add them afterwards.
class ForcedHaloOrder {
 public:
  explicit ForcedHaloOrder(bool halo_first);
  ~ForcedHaloOrder();
  ForcedHaloOrder(const ForcedHaloOrder&) = delete;
  ForcedHaloOrder& operator=(const ForcedHaloOrder&) = delete;
};

/// `compiled_stencils` are the given ones.
class PretendedStencils {
 public:
  explicit PretendedStencils(StencilList list);
  ~PretendedStencils();
  PretendedStencils(const PretendedStencils&) = delete;
  PretendedStencils& operator=(const PretendedStencils&) = delete;

 private:
  StencilList all_;
};

}  // namespace kaon::detail
