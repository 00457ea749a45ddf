// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <fmt/format.h>

// A client's solves: methods, precisions and tolerances.

namespace kaon::quda {
namespace {

constexpr Known<QudaInverterType, KrylovMethod> inverters[] = {
    KAON_KNOWN(QUDA_CG_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CGNR_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CG3_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CG3NR_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CA_CG_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CA_CGNR_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_PCG_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_EIGCG_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_INC_EIGCG_INVERTER, KrylovMethod::cgnr),
    KAON_KNOWN(QUDA_CGNE_INVERTER, KrylovMethod::cgne),
    KAON_KNOWN(QUDA_CG3NE_INVERTER, KrylovMethod::cgne),
    KAON_KNOWN(QUDA_CA_CGNE_INVERTER, KrylovMethod::cgne),
    KAON_KNOWN(QUDA_BICGSTAB_INVERTER, KrylovMethod::bicgstab),
    KAON_KNOWN(QUDA_BICGSTABL_INVERTER, KrylovMethod::bicgstab),
    KAON_KNOWN(QUDA_MR_INVERTER, KrylovMethod::bicgstab),
    KAON_KNOWN(QUDA_SD_INVERTER, KrylovMethod::bicgstab),
    KAON_KNOWN(QUDA_GCR_INVERTER, KrylovMethod::automatic),
    KAON_KNOWN(QUDA_CA_GCR_INVERTER, KrylovMethod::automatic),
};

constexpr Known<QudaPrecision, bool> is_single[] = {
    KAON_KNOWN(QUDA_DOUBLE_PRECISION, false),
    KAON_KNOWN(QUDA_SINGLE_PRECISION, true),
    KAON_KNOWN(QUDA_HALF_PRECISION, true),
};

constexpr Known<QudaPrecision, InnerPrecision> sloppy_precisions[] = {
    KAON_KNOWN(QUDA_DOUBLE_PRECISION, InnerPrecision::outer),
    KAON_KNOWN(QUDA_SINGLE_PRECISION, InnerPrecision::single),
    KAON_KNOWN(QUDA_HALF_PRECISION, InnerPrecision::half),
    KAON_KNOWN(QUDA_QUARTER_PRECISION, InnerPrecision::half),
};

/// Returns the client's method if it is among `methods`, which converge, and else the first of these. If there is one
/// only, the client need not set it.
KrylovMethod method_of(const QudaInvertParam& given, const std::vector<KrylovMethod>& methods) {
  if (methods.size() == 1 && is_unset(given.inv_type)) return methods[0];
  const KrylovMethod method = meaning_of(inverters, given.inv_type, "inv_type");
  return methods.empty() || std::ranges::find(methods, method) != methods.end() ? method : methods[0];
}

/// The precision of iterations, when solutions are in single or double precision.
InnerPrecision inner_of(QudaPrecision outer, QudaPrecision sloppy) {
  if (outer == QUDA_HALF_PRECISION) return InnerPrecision::half;
  if (is_unset(sloppy) || sloppy == outer) return InnerPrecision::outer;
  const InnerPrecision inner = meaning_of(sloppy_precisions, sloppy, "cuda_prec_sloppy");
  require(sloppy < outer, [&] {
    return fmt::format("cuda_prec_sloppy = {} is above cuda_prec = {}", static_cast<long>(sloppy),
                       static_cast<long>(outer));
  });
  return inner;
}

}  // namespace

SolveDescription describe_solve(const QudaInvertParam& given) {
  SolveDescription solve{.matrix = {}, .spinors = describe_spinors(given)};
  if (!is_covariant(given)) solve.matrix = describe_matrix(given);
  const Conventions& conventions = solve.matrix.of.conventions();
  solve.right_hand_sides = given.num_src;
  require(given.num_src >= 1 && given.num_src <= QUDA_MAX_MULTI_SRC,
          [&] { return fmt::format("num_src = {}: 1 to {} are possible", given.num_src, QUDA_MAX_MULTI_SRC); });
  if (meaning_of(is_single, given.cuda_prec, "cuda_prec", " (lower ones as cuda_prec_sloppy)")) {
    solve.solver.outer = OuterPrecision::single;
  }
  if (given.cuda_prec == QUDA_HALF_PRECISION) {
    say_once("kaon: cuda_prec = QUDA_HALF_PRECISION: solutions are in single precision, and iterations in half");
  }
  solve.solver.method = method_of(given, is_covariant(given) ? std::vector{KrylovMethod::cg} : conventions.methods);
  if (const auto schur = family_of(conventions.action).schur) solve.solver.schur = schur;
  solve.solver.inner = inner_of(given.cuda_prec, given.cuda_prec_sloppy);
  solve.solver.max_iterations = needed(given.maxiter, "maxiter");
  if (conventions.solves_on_parity) solve.solver.parity = solve.matrix.parity;
  if (!is_unset(given.reliable_delta) && given.reliable_delta > 1e-4 && given.reliable_delta < 1.0) {
    solve.solver.reliable_delta = given.reliable_delta;
  }
  const auto residuals = static_cast<unsigned>(needed(given.residual_type, "residual_type"));
  constexpr unsigned known = QUDA_L2_RELATIVE_RESIDUAL | QUDA_L2_ABSOLUTE_RESIDUAL | QUDA_HEAVY_QUARK_RESIDUAL;
  require(residuals != 0 && (residuals & ~known) == 0, [&] {
    return fmt::format(
        "residual_type = {} is no sum of QUDA_L2_RELATIVE_RESIDUAL, QUDA_L2_ABSOLUTE_RESIDUAL and "
        "QUDA_HEAVY_QUARK_RESIDUAL",
        residuals);
  });
  solve.absolute = (residuals & QUDA_L2_ABSOLUTE_RESIDUAL) != 0;
  if (solve.absolute || (residuals & QUDA_L2_RELATIVE_RESIDUAL) != 0) solve.tolerance = needed(given.tol, "tol");
  if ((residuals & QUDA_HEAVY_QUARK_RESIDUAL) != 0) {
    require(conventions.heavy_quark_residual,
            "residual_type = QUDA_HEAVY_QUARK_RESIDUAL is not supported for domain wall quarks and doublets");
    solve.heavy_quark = needed(given.tol_hq, "tol_hq");
  }
  // With a chronology, x holds nothing that a client has set.
  solve.initial_guess = given.use_init_guess == QUDA_USE_INIT_GUESS_YES && given.chrono_use_resident == 0;
  solve.keeps = given.make_resident_solution != 0;
  if (given.inv_type_precondition == QUDA_MG_INVERTER) {
    solve.multigrid = given.preconditioner;
    require(solve.multigrid != nullptr, "inv_type_precondition = QUDA_MG_INVERTER, but preconditioner is NULL");
  }
  require(given.num_offset >= 0 && given.num_offset <= QUDA_MAX_MULTI_SHIFT, [&] {
    return fmt::format("num_offset = {}: at most {} are possible", given.num_offset, QUDA_MAX_MULTI_SHIFT);
  });
  for (int i = 0; i < given.num_offset; ++i) {
    solve.shifts.push_back(finite(given.offset[i], "offset"));
    solve.tolerances.push_back(finite(given.tol_offset[i], "tol_offset"));
    const double heavy_quark = given.tol_hq_offset[i];
    const bool counts = solve.heavy_quark > 0.0 && heavy_quark > 0.0 && !is_unset(heavy_quark);
    solve.heavy_quark_tolerances.push_back(counts ? heavy_quark : solve.heavy_quark);
  }
  say_ignored("QudaInvertParam", given);
  return solve;
}

}  // namespace kaon::quda
