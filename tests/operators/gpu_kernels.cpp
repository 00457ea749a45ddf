// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
/// Compiles kernels that only GPUs run, with numbers in place of packs, so that a build for hosts finds names that no
/// longer exist.

#include "operators/domain_wall/sliced_hop_launch.hpp"

namespace kaon::detail {
namespace {

using FullStencil = StencilTypes<double, double, WilsonStencil, LinkCodes<FullLinks>>;

}  // namespace

template struct SlicedHopKernel<StencilKernel<FullStencil, NoSiteTerm, NoExtras>>;
template struct SlicedHopKernel<StencilKernel<FullStencil, NoSiteTerm, StencilExtras<FullStencil>>>;

}  // namespace kaon::detail
