// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <kaon/measure/spin_basis.hpp>
#include <kaon/operators/twisted_mass.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

// QUDA's operators: their numbers in a client's structure, and the conventions of each family in one table.

namespace kaon::quda {
namespace {

using enum FermionAction;

constexpr Known<QudaDslashType, FermionAction> operators[] = {
    KAON_KNOWN(QUDA_WILSON_DSLASH, wilson),
    KAON_KNOWN(QUDA_CLOVER_WILSON_DSLASH, wilson_clover),
    KAON_KNOWN(QUDA_TWISTED_MASS_DSLASH, twisted_mass),
    KAON_KNOWN(QUDA_TWISTED_CLOVER_DSLASH, twisted_clover),
    KAON_KNOWN(QUDA_STAGGERED_DSLASH, staggered),
    KAON_KNOWN(QUDA_ASQTAD_DSLASH, improved),
    KAON_KNOWN(QUDA_DOMAIN_WALL_DSLASH, domain_wall),
    KAON_KNOWN(QUDA_DOMAIN_WALL_4D_DSLASH, domain_wall),
    KAON_KNOWN(QUDA_MOBIUS_DWF_DSLASH, domain_wall),
    KAON_KNOWN(QUDA_MOBIUS_DWF_EOFA_DSLASH, domain_wall),
};

/// Whether there are two flavours.
constexpr Known<QudaTwistFlavorType, bool> twist_flavors[] = {
    KAON_KNOWN(QUDA_TWIST_SINGLET, false),
    KAON_KNOWN(QUDA_TWIST_NONDEG_DOUBLET, true),
};

// The numbers that a client sets.

void read_kappa(OperatorDescription& described, const QudaInvertParam& given) {
  described.kappa = described.kappa_of_client = needed(given.kappa, "kappa");
  require(described.kappa > 0.0, [&] { return fmt::format("kappa = {} is not positive", described.kappa); });
}

/// One flavour, or two, whose action is `doublet`.
template <FermionAction doublet>
void read_twisted(OperatorDescription& described, const QudaInvertParam& given) {
  read_kappa(described, given);
  described.quark.mu = needed(given.mu, "mu");
  if (!meaning_of(twist_flavors, given.twist_flavor, "twist_flavor")) return;
  described.quark.action = doublet;
  described.quark.epsilon = needed(given.epsilon, "epsilon");
  described.quark.slices = 2;  // QUDA ignores Ls here, too
}

void read_staggered(OperatorDescription& described, const QudaInvertParam& given) {
  described.quark.mass = needed(given.mass, "mass");
  described.kappa = is_unset(given.kappa) || given.kappa == 0.0 ? 0.5 : given.kappa;
  described.kappa_of_client = described.kappa;
}

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

void read_domain_wall(OperatorDescription& described, const QudaInvertParam& given) {
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
  described.kappa_of_client = given.kappa;
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

// The operator M on the client's links, and N over M.

void set_mass(FermionParameters& quark, double kappa, double weight) {
  quark.mass = 1.0 / (2.0 * kappa) - 1.0 - 3.0 * weight;
}

/// Sets M5 of domain wall quarks for which the diagonal of D_W is QUDA's 4 + m5 at any anisotropy.
void set_height(FermionParameters& quark, double, double weight) {
  const double height = 3.0 * (weight - 1.0) + quark.m5;
  require(height > 0.0, [&] {
    return fmt::format("m5 = {} with anisotropy = {:.6g}: 3 (1/anisotropy - 1) - m5 = {:.6g} must be positive",
                       -quark.m5, 1.0 / weight, height);
  });
  quark.m5 = height;
}

WilsonHopParameters hop_of(const FermionParameters& quark) {
  return {.anisotropy = quark.anisotropy, .boundary = quark.boundary};
}

double two_kappa(const OperatorDescription& of) { return 2.0 * of.kappa; }
double one(const OperatorDescription&) { return 1.0; }
double scale_of_walls(const OperatorDescription& of) {
  return of.has_coefficients_by_slice() ? 1.0 : 1.0 / (of.quark.b * (4.0 - of.quark.m5) + 1.0);
}

double two_masses(const OperatorDescription& of) {
  require(of.quark.mass != 0.0,
          "mass = 0: 4 m^2 - D D on one parity is solved by the operator on all sites, which needs a mass: take "
          "invertMultiShiftQuda (or qudaMultishiftInvert) with one offset 0");
  return 2.0 * of.quark.mass;
}

double factor_by_kappa(const MatrixDescription& matrix) { return matrix.factor_of(matrix.of.kappa); }
double factor_by_mass(const MatrixDescription& matrix) {
  if (matrix.normalization != Normalization::kappa) return 1.0;
  const double mass = matrix.of.quark.mass;
  return matrix.normal ? 4.0 * mass * mass : 2.0 * mass;
}

void change_sign_on_odd_sites(SpinorField<double>& psi) {
  SpinorField<double> odd = psi.parity(Parity::odd);
  blas::scale(odd, -1.0);
}

// QUDA's Dslash by the hop D/2 or, of staggered quarks, -D.

HopForm<double> plain_hop(const OperatorDescription&) { return {.scale = 2.0}; }
/// (A/(2 kappa))^-1 D/2 = kappa A^-1 D
HopForm<double> hop_with_inverse(const OperatorDescription& of) {
  return {.term = SiteTerm::inverse, .scale = 1.0 / of.kappa};
}
HopForm<double> negative_hop(const OperatorDescription&) { return {.scale = -1.0}; }

double divisor_of_doublet_force(const QudaInvertParam& given) {
  require(given.dagger == QUDA_DAG_YES,
          "the force of a doublet (QUDA_TWIST_NONDEG_DOUBLET) is supported with dagger = QUDA_DAG_YES only");
  require(needed(given.evmax, "evmax") > 0.0,
          [&] { return fmt::format("evmax = {} of a doublet is not positive", given.evmax); });
  return given.evmax;
}

/// The rows of the table. Rows that differ little start from another one.
std::vector<Conventions> make_conventions() {
  const Conventions plain{.action = wilson,
                          .read = read_kappa,
                          .set_weighted = set_mass,
                          .scale = two_kappa,
                          .conjugate = [](auto& psi) { apply_gamma5(psi); },
                          .scale_on_one_parity = two_kappa,
                          .right_hand_side_factor = factor_by_kappa,
                          .hop = plain_hop};

  Conventions clover = plain;
  clover.action = wilson_clover;
  clover.make_with_clover = [](auto& links, auto& term, auto& quark, auto&) -> Quark<double> {
    return WilsonClover<double>(links, term, hop_of(quark));
  };
  clover.clover_alone = wilson_clover;
  clover.hop = hop_with_inverse;
  clover.clover_force = clover.ratio_force = true;

  Conventions twisted = plain;
  twisted.action = twisted_mass;
  twisted.read = read_twisted<twisted_doublet>;
  twisted.rho = RhoUse::refused;
  twisted.hop = hop_with_inverse;
  twisted.daggered_hop = DaggeredHop::term_first_if_symmetric;

  Conventions with_both = twisted;
  with_both.action = twisted_clover;
  with_both.read = read_twisted<twisted_clover_doublet>;
  with_both.rho = RhoUse::added;
  with_both.make_with_clover = [](auto& links, auto& term, auto& quark, auto& rho) -> Quark<double> {
    return TwistedClover<double>(links, term, quark.mu, hop_of(quark), rho);
  };
  with_both.clover_alone = wilson_clover;
  with_both.daggered_hop = DaggeredHop::refused;
  with_both.twisted_force = with_both.ratio_force = true;

  Conventions doublet = twisted;
  doublet.action = twisted_doublet;
  doublet.conjugate = [](auto& psi) { apply_reflected_gamma5(psi); };
  doublet.twist_of_conjugate = 1.0;
  doublet.methods = {KrylovMethod::cgnr, KrylovMethod::cgne};
  doublet.heavy_quark_residual = doublet.gamma5_hermitian = false;

  Conventions clover_doublet = doublet;
  clover_doublet.action = twisted_clover_doublet;
  clover_doublet.make_with_clover = [](auto& links, auto& term, auto& quark, auto&) -> Quark<double> {
    return TwistedDoublet<double>(links, term, quark.mu, quark.epsilon, hop_of(quark));
  };
  clover_doublet.daggered_hop = DaggeredHop::refused;
  clover_doublet.twisted_force = true;
  clover_doublet.force_flavors = 2.0;
  clover_doublet.force_divisor = divisor_of_doublet_force;

  const Conventions walls{.action = domain_wall,
                          .read = read_domain_wall,
                          .set_weighted = set_height,
                          .scale = scale_of_walls,
                          .conjugate = doublet.conjugate,
                          .scale_on_one_parity = scale_of_walls,
                          .right_hand_side_factor = factor_by_kappa,
                          .hop = plain_hop,
                          .methods = doublet.methods,
                          .heavy_quark_residual = false,
                          .gamma5_hermitian = false};

  const Conventions naive{.action = staggered,
                          .read = read_staggered,
                          .reads_basis = false,
                          .phases = true,
                          .adjoint = true,
                          .scale = one,
                          .conjugate = change_sign_on_odd_sites,
                          .hermitian_on_one_parity = true,
                          .scale_on_one_parity = two_masses,
                          .right_hand_side_factor = factor_by_mass,
                          .hop = negative_hop,
                          .hop_over_kappa = [](auto& of) { return 0.5 / of.quark.mass; },
                          .methods = {KrylovMethod::cg},
                          .solves_on_parity = true};
  Conventions with_long_links = naive;
  with_long_links.action = improved;
  with_long_links.links = LinkKind::fat;
  with_long_links.long_links = LinkKind::long_links;

  return {plain, clover, twisted, with_both, doublet, clover_doublet, walls, naive, with_long_links};
}

}  // namespace

const Conventions& OperatorDescription::conventions() const {
  static const std::vector<Conventions> table = make_conventions();
  const auto row = std::ranges::find(table, quark.action, &Conventions::action);
  require(row != table.end(), "this operator is none of QUDA's");
  return *row;
}

OperatorDescription describe_operator(const QudaInvertParam& given) {
  require_same_size(given, "QudaInvertParam");
  OperatorDescription described;
  described.quark.action = meaning_of(operators, given.dslash_type, "dslash_type",
                                      "; in some calls QUDA_COVDEV_DSLASH and QUDA_LAPLACE_DSLASH");
  described.conventions().read(described, given);
  if (described.conventions().make_with_clover != nullptr) require_no_clover_rho(given);
  return described;
}

void require_no_clover_rho(const QudaInvertParam& given) {
  require(is_unset(given.clover_rho) || given.clover_rho == 0.0, [&] {
    return fmt::format(
        "clover_rho = {} is not supported: set it to 0. QUDA adds 2 clover_rho to A and not to A^-1; kaon has tm_rho "
        "of "
        "QUDA_TWISTED_CLOVER_DSLASH",
        given.clover_rho);
  });
}

}  // namespace kaon::quda
