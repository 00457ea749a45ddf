// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

// All of kaon's public interface.

#include <kaon/comm/build_info.hpp>
#include <kaon/comm/session.hpp>
#include <kaon/comm/transport.hpp>
#include <kaon/core/blas.hpp>
#include <kaon/core/clover_field.hpp>
#include <kaon/core/communicator.hpp>
#include <kaon/core/coordinates.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/core/lattice.hpp>
#include <kaon/core/precision.hpp>
#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/core/tuning.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/gauge/field_strength.hpp>
#include <kaon/gauge/gauge_transformation.hpp>
#include <kaon/gauge/heatbath.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/gauge/plaquette.hpp>
#include <kaon/gauge/unitarity.hpp>
#include <kaon/io/byte_order.hpp>
#include <kaon/io/checksum.hpp>
#include <kaon/io/gauge.hpp>
#include <kaon/io/gauge_file.hpp>
#include <kaon/io/gauge_writer.hpp>
#include <kaon/io/host_links.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/io/propagator_file.hpp>
#include <kaon/operators/correlator.hpp>
#include <kaon/operators/even_odd_operator.hpp>
#include <kaon/operators/kappa_normalization.hpp>
#include <kaon/operators/linear_operator.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/shifted.hpp>
#include <kaon/operators/smearing.hpp>
#include <kaon/operators/sources.hpp>
#include <kaon/operators/spin_basis.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/even_odd_solver.hpp>
#include <kaon/solvers/fallback.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/mixed_multi_shift_cg.hpp>
#include <kaon/solvers/mr.hpp>
#include <kaon/solvers/multi_shift_cg.hpp>
#include <kaon/solvers/schwarz.hpp>
#include <kaon/solvers/solver.hpp>
