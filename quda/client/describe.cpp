// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>

namespace kaon::quda {
namespace {

constexpr Known<QudaDslashType, FermionAction> operators[] = {
    KAON_KNOWN(QUDA_WILSON_DSLASH, FermionAction::wilson),
    KAON_KNOWN(QUDA_CLOVER_WILSON_DSLASH, FermionAction::wilson_clover),
    KAON_KNOWN(QUDA_TWISTED_MASS_DSLASH, FermionAction::twisted_mass),
    KAON_KNOWN(QUDA_TWISTED_CLOVER_DSLASH, FermionAction::twisted_clover),
    KAON_KNOWN(QUDA_STAGGERED_DSLASH, FermionAction::staggered),
    KAON_KNOWN(QUDA_ASQTAD_DSLASH, FermionAction::improved),
    KAON_KNOWN(QUDA_DOMAIN_WALL_DSLASH, FermionAction::domain_wall),
    KAON_KNOWN(QUDA_DOMAIN_WALL_4D_DSLASH, FermionAction::domain_wall),
    KAON_KNOWN(QUDA_MOBIUS_DWF_DSLASH, FermionAction::domain_wall),
    KAON_KNOWN(QUDA_MOBIUS_DWF_EOFA_DSLASH, FermionAction::domain_wall),
};

/// Whether there are two flavours.
constexpr Known<QudaTwistFlavorType, bool> twist_flavors[] = {
    KAON_KNOWN(QUDA_TWIST_SINGLET, false),
    KAON_KNOWN(QUDA_TWIST_NONDEG_DOUBLET, true),
};

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

/// b or c of Moebius, which `QudaInvertParam` has for each slice.
std::vector<std::complex<double>> moebius_numbers(const void* of_slices, int slices) {
  std::vector<std::complex<double>> numbers(QUDA_MAX_DWF_LS);
  std::memcpy(numbers.data(), of_slices, numbers.size() * sizeof(numbers[0]));
  numbers.resize(static_cast<std::size_t>(slices));
  return numbers;
}
bool are_one_real_number(const std::vector<std::complex<double>>& numbers) {
  return std::ranges::all_of(numbers, [&](const auto& number) { return number == numbers[0].real(); });
}

/// The mass m' of one chirality in M that equals QUDA's term of the exact one-flavour action (arXiv:1706.05843).
/// QUDA takes the last slice (of the lower chirality the first) to slice s (L_s-1-s) with
///
///   2 tau (1 - alpha)^s / (alpha + 1)^(L_s+s+1),   alpha = b + c,   and m' does in M B with
///   2 alpha (m' - m) p/(p + m' r) (1 - alpha)^s / (alpha + 1)^(s+1),   p = (alpha + 1)^L_s,   r = (1 - alpha)^L_s.
double shifted_mass(const OperatorDescription& of, const QudaInvertParam& given) {
  const double alpha = of.quark.b + of.quark.c;
  const double p = std::pow(alpha + 1.0, of.quark.slices), q = std::pow(alpha - 1.0, of.quark.slices);
  const double r = std::pow(1.0 - alpha, of.quark.slices);
  const double mq1 = needed(given.mq1, "mq1"), mq2 = needed(given.mq2, "mq2"), mq3 = needed(given.mq3, "mq3");
  const double norm = alpha * (mq3 - mq2) * p * p / ((p + mq2 * q) * (p + mq3 * q));
  const double shift = needed(given.eofa_shift, "eofa_shift");
  const double tau = (given.eofa_pm != 0 ? 1.0 : -1.0) * shift * norm * (p + mq1 * q);
  return p * (alpha * of.b_mass * p + tau) / (alpha * p * p - tau * r);
}

void describe_domain_wall(OperatorDescription& described, const QudaInvertParam& given) {
  FermionParameters& quark = described.quark;
  quark.mass = described.b_mass = needed(given.mass, "mass");
  quark.slices = needed(given.Ls, "Ls");
  require(quark.slices >= 1 && quark.slices <= QUDA_MAX_DWF_LS,
          [&] { return fmt::format("Ls = {}: 1 to {} slices are possible", quark.slices, QUDA_MAX_DWF_LS); });
  quark.m5 = -needed(given.m5, "m5");
  require(quark.m5 > 0.0 && quark.m5 < 5.0, [&] {
    return fmt::format("m5 = {}: it is minus the height of the domain wall, between -5 and 0", given.m5);
  });
  described.kappa = 0.5 / (5.0 - quark.m5);
  const bool eofa = given.dslash_type == QUDA_MOBIUS_DWF_EOFA_DSLASH;
  if (given.dslash_type != QUDA_MOBIUS_DWF_DSLASH && !eofa) return;
  const std::vector<std::complex<double>> b = moebius_numbers(given.b_5, quark.slices),
                                          c = moebius_numbers(given.c_5, quark.slices);
  for (std::size_t s = 0; s < b.size(); ++s) {
    for (const double part : {b[s].real(), b[s].imag()}) finite(part, "b_5");
    for (const double part : {c[s].real(), c[s].imag()}) finite(part, "c_5");
    require(b[s] != 0.0, [&] {
      return fmt::format("b_5[{}] = 0: Moebius quarks need b_5 and c_5 of every slice, Shamir's 1 and 0", s);
    });
  }
  quark.b = b[0].real();
  quark.c = c[0].real();
  if (!are_one_real_number(b) || !are_one_real_number(c)) {
    require(!eofa,
            "b_5 or c_5 differ between slices or are complex (zMoebius): QUDA_MOBIUS_DWF_EOFA_DSLASH has one real b_5 "
            "and one real c_5");
    quark.b_of_slices = b;
    quark.c_of_slices = c;
  }
  if (!eofa) return;
  require(std::abs(quark.b - quark.c - 1.0) < 1e-12, [&] {
    return fmt::format("b_5 - c_5 = {}: QUDA_MOBIUS_DWF_EOFA_DSLASH is supported for 1", quark.b - quark.c);
  });
  quark.lower_mass = quark.mass;
  (needed(given.eofa_pm, "eofa_pm") != 0 ? quark.mass : *quark.lower_mass) = shifted_mass(described, given);
}

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
OperatorDescription describe_operator(const QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  OperatorDescription described;
  FermionParameters& quark = described.quark;
  quark.action = meaning_of(operators, given.dslash_type, "dslash_type",
                            "; in some calls QUDA_COVDEV_DSLASH and QUDA_LAPLACE_DSLASH");
  const FermionFamily& family = described.family();
  if (family.is_staggered()) {
    quark.mass = needed(given.mass, "mass");
    described.kappa = is_unset(given.kappa) || given.kappa == 0.0 ? 0.5 : given.kappa;
  } else if (described.is_domain_wall()) {
    describe_domain_wall(described, given);
  } else {
    described.kappa = needed(given.kappa, "kappa");
    require(described.kappa > 0.0, [&] { return fmt::format("kappa = {} is not positive", described.kappa); });
  }
  if (!family.reads("mu")) return described;
  quark.mu = needed(given.mu, "mu");
  if (meaning_of(twist_flavors, given.twist_flavor, "twist_flavor")) {
    quark.action = family.reads("csw") ? FermionAction::twisted_clover_doublet : FermionAction::twisted_doublet;
    quark.epsilon = needed(given.epsilon, "epsilon");
    quark.slices = 2;  // QUDA ignores Ls here, too
  }
  return described;
}

SpinorDescription describe_spinors(const QudaInvertParam& given) {
  require_location(given.input_location, "input_location");
  require_location(given.output_location, "output_location");
  const SpinorOrder order = meaning_of(spinor_orders, given.dirac_order, "dirac_order");
  SpinorDescription spinors{.element = element_of(given.cpu_prec, "cpu_prec"),
                            .sites = order.sites,
                            .inside = order.inside,
                            .planes = order.planes};
  // Covariant shifts are the same in every basis.
  if (!is_covariant(given) && !describe_operator(given).is_staggered()) {
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
  if (is_unset(given.tm_rho) || given.tm_rho == 0.0 || !matrix.of.family().reads("mu")) return matrix;
  const bool asymmetric = schur == SchurForm::asymmetric;
  require(matrix.of.quark.action == FermionAction::twisted_clover && matrix.one_parity && asymmetric, [&] {
    return fmt::format(
        "tm_rho = {} acts on QUDA_TWISTED_CLOVER_DSLASH with solution_type QUDA_MATPC_SOLUTION or "
        "QUDA_MATPCDAG_MATPC_SOLUTION and an asymmetric matpc_type only, on one flavour: set it to 0 for others",
        given.tm_rho);
  });
  matrix.of.rho = given.tm_rho;
  matrix.of.rho_parity = matrix.parity;
  return matrix;
}

void require_multigrid(const OperatorDescription& of) {
  require(!of.family().has_slices(),
          "multigrid is for Wilson-like operators of one flavour and for staggered ones: solve domain wall quarks and "
          "doublets by CG");
}

}  // namespace kaon::quda
