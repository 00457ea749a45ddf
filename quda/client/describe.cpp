// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <fmt/format.h>

#include <array>

namespace kaon::quda {
namespace {

constexpr Known<QudaGammaBasis, SpinBasis> bases[] = {
    KAON_KNOWN(QUDA_DEGRAND_ROSSI_GAMMA_BASIS, SpinBasis::degrand_rossi),
    KAON_KNOWN(QUDA_UKQCD_GAMMA_BASIS, SpinBasis::ukqcd),
    KAON_KNOWN(QUDA_CHIRAL_GAMMA_BASIS, SpinBasis::chiral),
    KAON_KNOWN(QUDA_DIRAC_PAULI_GAMMA_BASIS, SpinBasis::dirac_pauli),
};

constexpr Known<QudaMassNormalization, Normalization> normalizations[] = {
    KAON_KNOWN(QUDA_KAPPA_NORMALIZATION, Normalization::kappa),
    KAON_KNOWN(QUDA_MASS_NORMALIZATION, Normalization::mass),
    KAON_KNOWN(QUDA_ASYMMETRIC_MASS_NORMALIZATION, Normalization::asymmetric_mass),
};

constexpr Known<QudaPrecision, ArrayElement> elements[] = {
    KAON_KNOWN(QUDA_DOUBLE_PRECISION, ArrayElement::complex128),
    KAON_KNOWN(QUDA_SINGLE_PRECISION, ArrayElement::complex64),
};

struct SpinorOrder {
  SiteOrder sites = SiteOrder::even_odd;
  InsideOrder inside = InsideOrder::spin_color;
  bool planes = false;
};
constexpr Known<QudaDiracFieldOrder, SpinorOrder> spinor_orders[] = {
    KAON_KNOWN(QUDA_DIRAC_ORDER, {}),
    KAON_KNOWN(QUDA_QDP_DIRAC_ORDER, {.inside = InsideOrder::color_spin}),
    KAON_KNOWN(QUDA_CPS_WILSON_DIRAC_ORDER, {.sites = SiteOrder::odd_even}),
    KAON_KNOWN(QUDA_QDPJIT_DIRAC_ORDER, SpinorOrder(SiteOrder::even_odd, InsideOrder::color_spin, true)),
};

struct SolutionForm {
  bool one_parity = false;
  bool normal = false;
};
constexpr Known<QudaSolutionType, SolutionForm> solutions[] = {
    KAON_KNOWN(QUDA_MAT_SOLUTION, {}),
    KAON_KNOWN(QUDA_MATDAG_MAT_SOLUTION, {.normal = true}),
    KAON_KNOWN(QUDA_MATPC_SOLUTION, {.one_parity = true}),
    KAON_KNOWN(QUDA_MATPCDAG_MATPC_SOLUTION, SolutionForm(true, true)),
};

constexpr Known<QudaFieldLocation, bool> are_on_device[] = {
    KAON_KNOWN(QUDA_CPU_FIELD_LOCATION, false),
    KAON_KNOWN(QUDA_CUDA_FIELD_LOCATION, true),
};

constexpr Known<QudaDagType, bool> are_daggered[] = {
    KAON_KNOWN(QUDA_DAG_NO, false),
    KAON_KNOWN(QUDA_DAG_YES, true),
};

struct PreconditionedForm {
  Parity parity = Parity::even;
  SchurForm form = SchurForm::symmetric;
};
constexpr Known<QudaMatPCType, PreconditionedForm> preconditioned_forms[] = {
    KAON_KNOWN(QUDA_MATPC_EVEN_EVEN, {}),
    KAON_KNOWN(QUDA_MATPC_ODD_ODD, {.parity = Parity::odd}),
    KAON_KNOWN(QUDA_MATPC_EVEN_EVEN_ASYMMETRIC, {.form = SchurForm::asymmetric}),
    KAON_KNOWN(QUDA_MATPC_ODD_ODD_ASYMMETRIC, PreconditionedForm(Parity::odd, SchurForm::asymmetric)),
};

}  // namespace

void require_location(QudaFieldLocation location, const char* name) {
  require(on_device || !meaning_of(are_on_device, location, name), [&] {
    return fmt::format(
        "{} = QUDA_CUDA_FIELD_LOCATION, but this kaon was built for hosts: pass host memory (PyQUDA: "
        "core.init(backend=\"numpy\"))",
        name);
  });
}

ArrayElement element_of(QudaPrecision precision, const char* name) { return meaning_of(elements, precision, name); }

SpinorDescription describe_spinors(const QudaInvertParam& given) {
  require_location(given.input_location, "input_location");
  require_location(given.output_location, "output_location");
  const SpinorOrder order = meaning_of(spinor_orders, given.dirac_order, "dirac_order");
  SpinorDescription spinors{.element = element_of(given.cpu_prec, "cpu_prec"),
                            .sites = order.sites,
                            .inside = order.inside,
                            .planes = order.planes};
  // Covariant shifts are the same in every basis.
  if (!is_covariant(given) && describe_operator(given).conventions().reads_basis) {
    spinors.basis = meaning_of(bases, given.gamma_basis, "gamma_basis");
  }
  spinors.slices_alternate = given.dslash_type == QUDA_DOMAIN_WALL_DSLASH;
  return spinors;
}

SpinorDescription describe_plain_spinors(QudaInvertParam given) {
  require_same_size(given, "QudaInvertParam");
  given.dslash_type = QUDA_COVDEV_DSLASH;
  return describe_spinors(given);
}

SpinorDescription describe_four_spins(QudaInvertParam given) {
  SpinorDescription spinors = describe_plain_spinors(given);
  spinors.basis = meaning_of(bases, given.gamma_basis, "gamma_basis");
  return spinors;
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
  if (meaning_of(normalizations, given.mass_normalization, "mass_normalization") != Normalization::kappa) {
    described.factor = 0.5 / needed(given.kappa, "kappa");
  }
  return described;
}

void require_parity_of_four_dimensions(const QudaInvertParam& given) {
  require(given.dslash_type != QUDA_DOMAIN_WALL_DSLASH,
          "QUDA_DOMAIN_WALL_DSLASH on one parity, that of x + y + z + t + s, is not supported: take "
          "QUDA_DOMAIN_WALL_4D_DSLASH, or QUDA_MAT_SOLUTION or QUDA_MATDAG_MAT_SOLUTION");
}

MatrixDescription describe_matrix(const QudaInvertParam& given) {
  const SolutionForm form = meaning_of(solutions, given.solution_type, "solution_type");
  MatrixDescription matrix{.of = describe_operator(given), .one_parity = form.one_parity, .normal = form.normal};
  matrix.dagger = meaning_or(false, are_daggered, given.dagger, "dagger");
  if (matrix.one_parity) require_parity_of_four_dimensions(given);
  if (matrix.one_parity) needed(given.matpc_type, "matpc_type");
  const auto [parity, schur] = meaning_or({}, preconditioned_forms, given.matpc_type, "matpc_type");
  matrix.parity = parity;
  matrix.form = schur;
  matrix.normalization = meaning_of(normalizations, given.mass_normalization, "mass_normalization");
  const Conventions& conventions = matrix.of.conventions();
  if (conventions.hermitian_on_one_parity) matrix.form = SchurForm::asymmetric;  // no term in front
  if (is_unset(given.tm_rho) || given.tm_rho == 0.0 || conventions.rho == RhoUse::ignored) return matrix;
  require(conventions.rho == RhoUse::added && matrix.one_parity && matrix.form == SchurForm::asymmetric, [&] {
    return fmt::format(
        "tm_rho = {} acts on QUDA_TWISTED_CLOVER_DSLASH with solution_type QUDA_MATPC_SOLUTION or "
        "QUDA_MATPCDAG_MATPC_SOLUTION and an asymmetric matpc_type only, on one flavour: set it to 0 for others",
        given.tm_rho);
  });
  matrix.of.rho[matrix.parity == Parity::even ? 0 : 1] = given.tm_rho;
  return matrix;
}

}  // namespace kaon::quda
