// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/describe.hpp"
#include "quda/call.hpp"
#include "quda/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon::quda {
namespace {

/// The storage of links in iterations; unset: as kaon chooses.
LinkStorage storage_of(QudaReconstructType given) {
  switch (given) {
    case QUDA_RECONSTRUCT_12:
      return LinkStorage::two_rows;
    case QUDA_RECONSTRUCT_8:
      return LinkStorage::minimal;
    case QUDA_RECONSTRUCT_13:
      return LinkStorage::two_rows_and_determinant;
    case QUDA_RECONSTRUCT_9:
      return LinkStorage::minimal_and_determinant;
    default:
      return LinkStorage::full;
  }
}

Dslash dslash_of(QudaDslashType given) {
  switch (needed(given, "dslash_type")) {
    case QUDA_WILSON_DSLASH:
      return Dslash::wilson;
    case QUDA_CLOVER_WILSON_DSLASH:
      return Dslash::clover;
    case QUDA_TWISTED_MASS_DSLASH:
      return Dslash::twisted_mass;
    case QUDA_TWISTED_CLOVER_DSLASH:
      return Dslash::twisted_clover;
    case QUDA_STAGGERED_DSLASH:
      return Dslash::staggered;
    case QUDA_ASQTAD_DSLASH:
      return Dslash::asqtad;
    default:
      refuse("dslash_type", given,
             "QUDA_WILSON_DSLASH, QUDA_CLOVER_WILSON_DSLASH, QUDA_TWISTED_MASS_DSLASH, QUDA_TWISTED_CLOVER_DSLASH, "
             "QUDA_STAGGERED_DSLASH and QUDA_ASQTAD_DSLASH; in some calls QUDA_COVDEV_DSLASH and "
             "QUDA_LAPLACE_DSLASH");
  }
}

SpinBasis basis_of(QudaGammaBasis given) {
  switch (given) {
    case QUDA_DEGRAND_ROSSI_GAMMA_BASIS:
      return SpinBasis::degrand_rossi;
    case QUDA_UKQCD_GAMMA_BASIS:
      return SpinBasis::ukqcd;
    case QUDA_CHIRAL_GAMMA_BASIS:
      return SpinBasis::chiral;
    case QUDA_DIRAC_PAULI_GAMMA_BASIS:
      return SpinBasis::dirac_pauli;
    default:
      throw Error("parameter gamma_basis is not set");
  }
}

Normalization normalization_of(QudaMassNormalization given) {
  switch (needed(given, "mass_normalization")) {
    case QUDA_KAPPA_NORMALIZATION:
      return Normalization::kappa;
    case QUDA_MASS_NORMALIZATION:
      return Normalization::mass;
    case QUDA_ASYMMETRIC_MASS_NORMALIZATION:
      return Normalization::asymmetric_mass;
    default:
      refuse("mass_normalization", given, "QUDA's three normalisations");
  }
}

KrylovMethod method_of(const QudaInvertParam& given, bool staggered) {
  if (staggered) return KrylovMethod::cg;
  switch (needed(given.inv_type, "inv_type")) {
    case QUDA_BICGSTAB_INVERTER:
    case QUDA_BICGSTABL_INVERTER:
    case QUDA_MR_INVERTER:
    case QUDA_SD_INVERTER:
      return KrylovMethod::bicgstab;
    case QUDA_GCR_INVERTER:
    case QUDA_CA_GCR_INVERTER:
      return KrylovMethod::automatic;
    case QUDA_CGNE_INVERTER:
    case QUDA_CA_CGNE_INVERTER:
    case QUDA_CG3NE_INVERTER:
      return KrylovMethod::cgne;
    default:
      return KrylovMethod::cgnr;
  }
}

/// The precision of iterations, when solutions are in single or double precision.
InnerPrecision inner_of(QudaPrecision outer, QudaPrecision sloppy) {
  if (is_unset(sloppy) || sloppy == outer) return InnerPrecision::outer;
  require(sloppy < outer, [&] {
    return fmt::format("cuda_prec_sloppy = {} is above cuda_prec = {}", static_cast<long>(sloppy),
                       static_cast<long>(outer));
  });
  return sloppy == QUDA_SINGLE_PRECISION ? InnerPrecision::single : InnerPrecision::half;
}

/// Whether a solution in single precision is enough.
bool is_single(QudaPrecision precision) {
  switch (needed(precision, "cuda_prec")) {
    case QUDA_DOUBLE_PRECISION:
      return false;
    case QUDA_SINGLE_PRECISION:
      return true;
    default:
      refuse("cuda_prec", precision,
             "QUDA_DOUBLE_PRECISION and QUDA_SINGLE_PRECISION (lower ones as cuda_prec_sloppy)");
  }
}

}  // namespace

void require_location(QudaFieldLocation location, const char* name) {
  if (location == QUDA_CPU_FIELD_LOCATION) return;
  require(location == QUDA_CUDA_FIELD_LOCATION, [&] { return fmt::format("parameter {} is not set", name); });
  require(on_device, [&] {
    return fmt::format(
        "{} = QUDA_CUDA_FIELD_LOCATION, but this kaon was built for hosts: pass host memory (PyQUDA: "
        "core.init(backend=\"numpy\"))",
        name);
  });
}

ArrayElement element_of(QudaPrecision precision, const char* name) {
  switch (needed(precision, name)) {
    case QUDA_DOUBLE_PRECISION:
      return ArrayElement::complex128;
    case QUDA_SINGLE_PRECISION:
      return ArrayElement::complex64;
    default:
      refuse(name, precision, "QUDA_DOUBLE_PRECISION and QUDA_SINGLE_PRECISION");
  }
}

Links links_of(QudaLinkType type) {
  switch (needed(type, "type")) {
    case QUDA_WILSON_LINKS:
      return Links::wilson;
    case QUDA_ASQTAD_FAT_LINKS:
      return Links::fat;
    case QUDA_ASQTAD_LONG_LINKS:
      return Links::long_links;
    case QUDA_SMEARED_LINKS:
      return Links::smeared;
    default:
      refuse("type of links", type,
             "QUDA_WILSON_LINKS, QUDA_ASQTAD_FAT_LINKS, QUDA_ASQTAD_LONG_LINKS and QUDA_SMEARED_LINKS");
  }
}

PhaseConvention convention_of(QudaStaggeredPhase type) {
  switch (type) {
    case QUDA_STAGGERED_PHASE_MILC:
      return PhaseConvention::milc;
    case QUDA_STAGGERED_PHASE_CHROMA:
      return PhaseConvention::chroma;
    case QUDA_STAGGERED_PHASE_TIFR:
      return PhaseConvention::tifr;
    default:
      refuse("staggered_phase_type", type,
             "QUDA_STAGGERED_PHASE_MILC, QUDA_STAGGERED_PHASE_CHROMA and QUDA_STAGGERED_PHASE_TIFR");
  }
}

GaugeDescription describe(const QudaGaugeParam& given) {
  require_same_size(given, "QudaGaugeParam");
  GaugeDescription links;
  links.kind = links_of(given.type);
  for (std::size_t mu = 0; mu < 4; ++mu) links.local_extents[mu] = needed(given.X[mu], "X");
  links.element = element_of(given.cpu_prec, "cpu_prec");
  require_location(given.location, "location");
  const double anisotropy = is_unset(given.anisotropy) ? 1.0 : given.anisotropy;
  switch (needed(given.gauge_order, "gauge_order")) {
    case QUDA_QDP_GAUGE_ORDER:
      links.one_array_per_direction = true;
      break;
    case QUDA_MILC_GAUGE_ORDER:
      break;
    case QUDA_MILC_SITE_GAUGE_ORDER:
      links.site_bytes = static_cast<std::ptrdiff_t>(given.site_size);
      links.offset_bytes = static_cast<std::ptrdiff_t>(given.gauge_offset);
      require(links.site_bytes > 0, "gauge_order = QUDA_MILC_SITE_GAUGE_ORDER, but site_size is not set");
      break;
    default:
      refuse("gauge_order", given.gauge_order,
             "QUDA_QDP_GAUGE_ORDER, QUDA_MILC_GAUGE_ORDER and QUDA_MILC_SITE_GAUGE_ORDER");
  }
  const bool antiperiodic = given.t_boundary == QUDA_ANTI_PERIODIC_T;
  const bool improved = links.kind == Links::fat || links.kind == Links::long_links;
  const bool phases = given.staggered_phase_applied != 0 || improved;
  if (phases) {
    const bool foreign = given.staggered_phase_type == QUDA_STAGGERED_PHASE_CHROMA ||
                         given.staggered_phase_type == QUDA_STAGGERED_PHASE_TIFR;
    links.factors = {
        .antiperiodic = antiperiodic,
        .staggered_phases = true,
        .convention = foreign && !improved ? convention_of(given.staggered_phase_type) : PhaseConvention::milc,
        .steps = links.kind == Links::long_links ? 3 : 1};
  } else {
    links.factors = {.antiperiodic = antiperiodic, .spatial = 1.0 / anisotropy};
  }
  links.sloppy = storage_of(is_unset(given.reconstruct_sloppy) ? given.reconstruct : given.reconstruct_sloppy);
  links.single = given.cuda_prec == QUDA_SINGLE_PRECISION;
  return links;
}

GaugeDescription describe_thin(QudaGaugeParam given) {
  given.type = QUDA_WILSON_LINKS;
  return describe(given);
}

OperatorDescription describe_operator(const QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  OperatorDescription described{.dslash = dslash_of(given.dslash_type)};
  if (described.is_staggered()) {
    described.mass = needed(given.mass, "mass");
    described.kappa = is_unset(given.kappa) || given.kappa == 0.0 ? 0.5 : given.kappa;
    return described;
  }
  described.kappa = needed(given.kappa, "kappa");
  require(described.kappa > 0.0, [&] { return fmt::format("kappa = {} is not positive", described.kappa); });
  if (described.is_twisted_family()) {
    described.mu = needed(given.mu, "mu");
    require(given.twist_flavor == QUDA_TWIST_SINGLET, [&] {
      return fmt::format("twist_flavor = {} is not supported; supported: QUDA_TWIST_SINGLET",
                         static_cast<long>(given.twist_flavor));
    });
  }
  return described;
}

SpinorDescription describe_spinors(const QudaInvertParam& given) {
  require_location(given.input_location, "input_location");
  require_location(given.output_location, "output_location");
  SpinorDescription spinors{.element = element_of(given.cpu_prec, "cpu_prec")};
  switch (needed(given.dirac_order, "dirac_order")) {
    case QUDA_DIRAC_ORDER:
      break;
    case QUDA_QDP_DIRAC_ORDER:
      spinors.inside = InsideOrder::color_spin;
      break;
    case QUDA_CPS_WILSON_DIRAC_ORDER:
      spinors.sites = SiteOrder::odd_even;
      break;
    default:
      refuse("dirac_order", given.dirac_order, "QUDA_DIRAC_ORDER, QUDA_QDP_DIRAC_ORDER, QUDA_CPS_WILSON_DIRAC_ORDER");
  }
  // Covariant shifts are the same in every basis.
  if (!is_covariant(given) && !describe_operator(given).is_staggered()) spinors.basis = basis_of(given.gamma_basis);
  return spinors;
}

SpinorDescription describe_plain_spinors(QudaInvertParam given) {
  require_same_size(given, "QudaInvertParam");
  given.dslash_type = QUDA_COVDEV_DSLASH;
  return describe_spinors(given);
}

int spins_of(const QudaInvertParam& given) {
  const QudaDslashType type = needed(given.dslash_type, "dslash_type");
  return type == QUDA_STAGGERED_DSLASH || type == QUDA_ASQTAD_DSLASH || type == QUDA_LAPLACE_DSLASH ? 1 : 4;
}

bool is_covariant(const QudaInvertParam& given) {
  return given.dslash_type == QUDA_COVDEV_DSLASH || given.dslash_type == QUDA_LAPLACE_DSLASH;
}

CovariantSum describe_shift(int direction, const char* name) {
  require(direction >= 0 && direction < 8, [&] {
    return fmt::format("{} = {} is none of 0 to 3 (forward in x to t) and 4 to 7 (backward)", name, direction);
  });
  CovariantSum sum;
  (direction < 4 ? sum.forward : sum.backward)[static_cast<std::size_t>(direction % 4)] = true;
  return sum;
}

CovariantDescription describe_covariant(const QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  CovariantDescription described;
  if (given.dslash_type == QUDA_COVDEV_DSLASH) {
    const int direction = needed(given.covdev_mu, "covdev_mu");
    described.sum = describe_shift(direction, "covdev_mu");
    described.adjoint = describe_shift((direction + 4) % 8, "covdev_mu");
  } else {
    const int dimensions = needed(given.laplace3D, "laplace3D");
    require(dimensions == 3 || dimensions == 4, [&] {
      return fmt::format("laplace3D = {}: 3 (in space) and 4 (in space and time) are supported", dimensions);
    });
    const std::array<bool, 4> directions{true, true, true, dimensions == 4};
    described.sum = {
        .forward = directions, .backward = directions, .weight = -needed(given.kappa, "kappa"), .center = 1.0};
    described.adjoint = described.sum;
    described.spins = 1;
    described.dimensions = dimensions;
    described.kappa = given.kappa;
  }
  if (normalization_of(given.mass_normalization) != Normalization::kappa) {
    described.factor = 0.5 / needed(given.kappa, "kappa");
  }
  return described;
}

MatrixDescription describe_matrix(const QudaInvertParam& given) {
  MatrixDescription matrix{.of = describe_operator(given)};
  switch (needed(given.solution_type, "solution_type")) {
    case QUDA_MAT_SOLUTION:
      break;
    case QUDA_MATDAG_MAT_SOLUTION:
      matrix.normal = true;
      break;
    case QUDA_MATPC_SOLUTION:
      matrix.one_parity = true;
      break;
    case QUDA_MATPCDAG_MATPC_SOLUTION:
      matrix.one_parity = matrix.normal = true;
      break;
    default:
      refuse("solution_type", given.solution_type,
             "QUDA_MAT_SOLUTION, QUDA_MATDAG_MAT_SOLUTION, QUDA_MATPC_SOLUTION and QUDA_MATPCDAG_MATPC_SOLUTION");
  }
  matrix.dagger = given.dagger == QUDA_DAG_YES;
  const QudaMatPCType type = matrix.one_parity ? needed(given.matpc_type, "matpc_type") : given.matpc_type;
  const bool odd = type == QUDA_MATPC_ODD_ODD || type == QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  matrix.parity = odd ? Parity::odd : Parity::even;
  const bool asymmetric = type == QUDA_MATPC_EVEN_EVEN_ASYMMETRIC || type == QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  matrix.form = asymmetric ? SchurForm::asymmetric : SchurForm::symmetric;
  matrix.normalization = normalization_of(given.mass_normalization);
  if (is_unset(given.tm_rho) || given.tm_rho == 0.0 || !matrix.of.is_twisted_family()) return matrix;
  require(matrix.of.dslash == Dslash::twisted_clover && matrix.one_parity && asymmetric, [&] {
    return fmt::format(
        "tm_rho = {} acts on QUDA_TWISTED_CLOVER_DSLASH with solution_type QUDA_MATPC_SOLUTION or "
        "QUDA_MATPCDAG_MATPC_SOLUTION and an asymmetric matpc_type only: set it to 0 for others",
        given.tm_rho);
  });
  matrix.of.rho = given.tm_rho;
  matrix.of.rho_parity = matrix.parity;
  return matrix;
}

SolveDescription describe_solve(const QudaInvertParam& given) {
  SolveDescription solve{.matrix = {}, .spinors = describe_spinors(given)};
  if (!is_covariant(given)) solve.matrix = describe_matrix(given);
  const bool staggered = is_covariant(given) || solve.matrix.of.is_staggered();
  solve.right_hand_sides = given.num_src;
  require(given.num_src >= 1 && given.num_src <= QUDA_MAX_MULTI_SRC,
          [&] { return fmt::format("num_src = {}: 1 to {} are possible", given.num_src, QUDA_MAX_MULTI_SRC); });
  solve.single = is_single(given.cuda_prec);
  solve.solver.method = method_of(given, staggered);
  solve.solver.inner = inner_of(given.cuda_prec, given.cuda_prec_sloppy);
  solve.solver.max_iterations = needed(given.maxiter, "maxiter");
  if (staggered) solve.solver.parity = solve.matrix.parity;  // others have the same solution by either
  if (!is_unset(given.reliable_delta) && given.reliable_delta > 1e-4 && given.reliable_delta < 1.0) {
    solve.solver.reliable_delta = given.reliable_delta;
  }
  const auto residuals = static_cast<unsigned>(given.residual_type);
  solve.absolute = (residuals & QUDA_L2_ABSOLUTE_RESIDUAL) != 0;
  if (solve.absolute || (residuals & QUDA_L2_RELATIVE_RESIDUAL) != 0) solve.tolerance = needed(given.tol, "tol");
  if ((residuals & QUDA_HEAVY_QUARK_RESIDUAL) != 0) solve.heavy_quark = needed(given.tol_hq, "tol_hq");
  // With a chronology, x holds nothing that a client has set.
  solve.initial_guess = given.use_init_guess == QUDA_USE_INIT_GUESS_YES && given.chrono_use_resident == 0;
  if (given.inv_type_precondition == QUDA_MG_INVERTER) {
    solve.multigrid = given.preconditioner;
    require(solve.multigrid != nullptr, "inv_type_precondition = QUDA_MG_INVERTER, but preconditioner is NULL");
  }
  require(given.num_offset >= 0 && given.num_offset <= QUDA_MAX_MULTI_SHIFT, [&] {
    return fmt::format("num_offset = {}: at most {} are possible", given.num_offset, QUDA_MAX_MULTI_SHIFT);
  });
  for (int i = 0; i < given.num_offset; ++i) {
    solve.shifts.push_back(given.offset[i]);
    solve.tolerances.push_back(given.tol_offset[i]);
    const double heavy_quark = given.tol_hq_offset[i];
    const bool counts = solve.heavy_quark > 0.0 && heavy_quark > 0.0 && !is_unset(heavy_quark);
    solve.heavy_quark_tolerances.push_back(counts ? heavy_quark : solve.heavy_quark);
  }
  if (given.chrono_use_resident != 0) {
    say_once("kaon: chrono_use_resident is not used: it would improve the first guess only");
  }
  return solve;
}

}  // namespace kaon::quda
