// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/solve/operator.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/spin_taste.hpp>

namespace kaon::quda {
namespace {

// QUDA's covariant derivative and Laplace operator, on the resident links as the client gave them.

/// out = factor * the sum of in, on all sites of the resident links.
SpinorField<double> apply(const SpinorField<double>& in, CovariantSum sum, double factor) {
  sum.weight *= factor;
  sum.center *= factor;
  SpinorField<double> out(in.lattice(), in.parameters());
  covariant_sum(out, in, with_factors(state().links(LinkKind::wilson)), sum);
  return out;
}

SpinorField<double> make_field(int spins) {
  return SpinorField<double>(state().links(LinkKind::wilson).links.lattice(), {.spins = spins});
}

/// N, or N^dag N (`normal`), on all sites.
void apply_covariant(void* h_out, const void* h_in, const QudaInvertParam& given, bool normal) {
  const CovariantDescription of = describe_covariant(given);
  require(given.solution_type == QUDA_MAT_SOLUTION || given.solution_type == QUDA_MATDAG_MAT_SOLUTION, [&] {
    return fmt::format(
        "solution_type = {} is not supported for the covariant derivative and the Laplace operator; supported: "
        "QUDA_MAT_SOLUTION and QUDA_MATDAG_MAT_SOLUTION",
        static_cast<long>(given.solution_type));
  });
  const SpinorDescription spinors = describe_spinors(given);
  SpinorField<double> psi = make_field(of.spins);
  read_spinor(psi, 0, h_in, spinors);
  psi = apply(psi, of.sum, of.factor);
  if (normal) psi = apply(psi, of.adjoint, of.factor);
  write_spinor(h_out, psi, 0, spinors);
}

/// The covariant derivative from one parity to `to`.
void apply_shift(void* h_out, const void* h_in, const QudaInvertParam& given, Parity to) {
  require(given.dslash_type == QUDA_COVDEV_DSLASH,
          "the Laplace operator has no form on one parity: take MatQuda with dslash_type = QUDA_LAPLACE_DSLASH");
  const CovariantDescription of = describe_covariant(given);
  const SpinorDescription spinors = describe_spinors(given);
  SpinorField<double> psi = make_field(of.spins);  // zero on the parity that is not given
  SpinorField<double> from = psi.parity(opposite(to));
  read_spinor(from, 0, h_in, spinors);
  psi = apply(psi, of.sum, 1.0);
  write_spinor(h_out, psi.parity(to), 0, spinors);
}

/// The sum of shifts of a client's field, with spins or without as its `dslash_type` has them.
void apply_shifts(void* h_out, const void* h_in, const QudaInvertParam& given, const CovariantSum& sum) {
  const SpinorDescription spinors = describe_plain_spinors(given);
  SpinorField<double> psi = make_field(spins_of(given));
  read_spinor(psi, 0, h_in, spinors);
  write_spinor(h_out, apply(psi, sum, 1.0), 0, spinors);
}

// Operators of quarks.

Parity parity_of(QudaParity given) {
  require(given == QUDA_EVEN_PARITY || given == QUDA_ODD_PARITY,
          [&] { return fmt::format("parity = {} is neither even nor odd", static_cast<long>(given)); });
  return given == QUDA_EVEN_PARITY ? Parity::even : Parity::odd;
}

/// Calls body(out, in) with fields of the operator on two subsets, between a client's arrays.
template <class Body>
void on_arrays(void* h_out, const void* h_in, const QudaInvertParam& given, const Operator& of, Subset out_sites,
               Subset in_sites, const Body& body) {
  const SpinorDescription spinors = describe_spinors(given);
  SpinorField<double> in = of.make_field(in_sites, 1), out = of.make_field(out_sites, 1);
  read_spinor(in, 0, h_in, spinors);
  body(out, in);
  write_spinor(h_out, out, 0, spinors);
}

void apply_matrix(void* h_out, const void* h_in, const QudaInvertParam& given, bool normal) {
  if (is_covariant(given)) return apply_covariant(h_out, h_in, given, normal);
  MatrixDescription matrix = describe_matrix(given);
  matrix.normal = normal;
  const auto of = operator_of(matrix.of);
  on_arrays(h_out, h_in, given, *of, matrix.subset(), matrix.subset(), [&](auto& out, const auto& in) {
    of->apply(out, in, matrix);
    multiply(out, 1.0 / matrix.result_factor());
  });
}

void apply_hop(void* h_out, const void* h_in, const QudaInvertParam& given, QudaParity to) {
  const Parity parity = parity_of(to);
  if (is_covariant(given)) return apply_shift(h_out, h_in, given, parity);
  const OperatorDescription description = describe_operator(given);
  require_parity_of_four_dimensions(given);
  const bool dagger = given.dagger == QUDA_DAG_YES;
  const Conventions& conventions = description.conventions();
  require(
      !dagger || conventions.daggered_hop != DaggeredHop::refused,
      "dagger = QUDA_DAG_YES is not supported for QUDA_TWISTED_CLOVER_DSLASH, whose term QUDA divides by twice: take "
      "MatQuda");
  const bool asymmetric =
      given.matpc_type == QUDA_MATPC_EVEN_EVEN_ASYMMETRIC || given.matpc_type == QUDA_MATPC_ODD_ODD_ASYMMETRIC;
  const bool term_first = dagger && !asymmetric && conventions.daggered_hop == DaggeredHop::term_first_if_symmetric;
  const auto of = operator_of(description);
  on_arrays(h_out, h_in, given, *of, subset_of(parity), subset_of(opposite(parity)), [&](auto& out, const auto& in) {
    term_first ? of->hop_behind_term(out, in) : of->hop(out, in, dagger);
    if (conventions.hop_over_kappa != nullptr && given.mass_normalization == QUDA_KAPPA_NORMALIZATION) {
      multiply(out, conventions.hop_over_kappa(description));
    }
  });
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void MatQuda(void* h_out, void* h_in, QudaInvertParam* inv_param) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) { apply_matrix(h_out, h_in, given, false); });
}

void MatDagMatQuda(void* h_out, void* h_in, QudaInvertParam* inv_param) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) { apply_matrix(h_out, h_in, given, true); });
}

void dslashQuda(void* h_out, void* h_in, QudaInvertParam* inv_param, QudaParity parity) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) { apply_hop(h_out, h_in, given, parity); });
}

void dslashMultiSrcQuda(void** _hp_x, void** _hp_b, QudaInvertParam* param, QudaParity parity) {
  call(__func__, param, [&](const QudaInvertParam& given) {
    require(_hp_x != nullptr && _hp_b != nullptr, "a list of pointers to spinors is NULL");
    for (int k = 0; k < given.num_src; ++k) apply_hop(_hp_x[k], _hp_b[k], given, parity);
  });
}

void cloverQuda(void* h_out, void* h_in, QudaInvertParam* inv_param, QudaParity parity, int inverse) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) {
    OperatorDescription description = describe_operator(given);
    const Conventions& conventions = description.conventions();
    require(conventions.make_with_clover != nullptr, "dslash_type has no clover term");
    require(conventions.clover_alone.has_value(),
            "twist_flavor = QUDA_TWIST_NONDEG_DOUBLET is not supported here: the clover "
            "term has no flavours, take QUDA_TWIST_SINGLET on each of them");
    description.quark.action = *conventions.clover_alone;  // as in QUDA, whose function ignores a twist
    description.quark.mu = 0.0;
    const auto of = operator_of(description);
    const Subset sites = subset_of(parity_of(parity));
    on_arrays(h_out, h_in, given, *of, sites, sites,
              [&](auto& out, const auto& in) { of->site_term(out, in, inverse != 0, given.dagger == QUDA_DAG_YES); });
  });
}

void covDevQuda(void* h_out, void* h_in, int dir, QudaInvertParam* param) {
  call(__func__, param,
       [&](const QudaInvertParam& given) { apply_shifts(h_out, h_in, given, describe_shift(dir, "dir")); });
}

void shiftQuda(void* h_out, void* h_in, int dir, int sym, QudaInvertParam* param) {
  call(__func__, param, [&](const QudaInvertParam& given) {
    require(dir >= 0 && dir < 4, [&] { return fmt::format("dir = {} is none of 0 to 3 (x to t)", dir); });
    require(sym >= 1 && sym <= 3, [&] {
      return fmt::format("sym = {} is none of 1 (forward), 2 (backward) and 3 (half the sum of both)", sym);
    });
    CovariantSum sum;
    const auto mu = static_cast<std::size_t>(dir);
    sum.forward[mu] = sym != 2;
    sum.backward[mu] = sym != 1;
    if (sym == 3) sum.weight = 0.5;
    apply_shifts(h_out, h_in, given, sum);
  });
}

void spinTasteQuda(void* h_out, void* h_in, int spin, int taste, QudaInvertParam* param) {
  call(__func__, param, [&](QudaInvertParam plain) {
    require(h_out != nullptr, "a pointer to a spinor is NULL");
    plain.dirac_order = QUDA_DIRAC_ORDER;  // the order that QUDA uses
    const SpinorDescription spinors = describe_plain_spinors(plain);
    SpinorField<double> in = make_field(1), out = make_field(1);
    read_spinor(in, 0, h_in, spinors);
    apply_spin_taste(out, in, with_factors(state().links(LinkKind::wilson)), {.spin = spin, .taste = taste});
    write_spinor(h_out, out, 0, spinors);
  });
}
}
