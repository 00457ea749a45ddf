// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT

// Input of the test `naming`: all public headers, and a private one of each kind.
#if defined(__clang__) && __clang_major__ < 15
#include "tests/style/source_location.hpp"
#endif

#include "comm/halo_exchange.hpp"
#include "core/blas/fused_updates.hpp"
#include "core/fields/ghost_box.hpp"
#include "gauge/hmc/heatbath_kernels.hpp"
#include "gauge/jacobi_svd.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/smoothing/projected_kernels.hpp"
#include "gauge/staggered/fat_link_kernels.hpp"
#include "io/lime.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/coarse/coarse_part_kernel.hpp"
#include "operators/staggered/staggered_stencil.hpp"
#include "operators/stencil/stencil_launch.hpp"
#include "operators/wilson/wilson_hop.hpp"
#include "solvers/contract/solve_state.hpp"

#include <kaon/kaon.hpp>
