// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning.hpp"
#include "operators/stencil/stencil_halo.hpp"

#include <kaon/comm/transport.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace kaon::detail {

/// How a stencil gets its halos: it waits for them, and then is one kernel, which takes sites at the edges last or
/// among the others, or it has one kernel beside the exchange and one after it.
struct HaloWay {
  bool first = false;
  bool edges_last = false;
};

/// Runs the callback on every candidate launch, with the given launch shape.
using HaloRehearsal = std::function<void(const std::function<void(const ShapedLaunch&)>&, const LaunchShape&)>;

/// The fastest way, found on first use with kernels in the shape that `best_shape()` returns. Collective.
HaloWay halo_way(StencilHalo& halo, const Lattice& lattice, const TuningKey& key,
                 const std::function<LaunchShape()>& best_shape, const HaloRehearsal& rehearse);

/// Label under which the way of halos is tuned: the kernel, the transport and the directions that are cut. Lives as
/// long as the program.
std::string_view halo_label(const Lattice& lattice, Transport transport, const std::string& kernel);

}  // namespace kaon::detail
