// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/covariant.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/links.hpp"
#include "quda/state/spinors.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/measure/spin_taste.hpp>

namespace kaon::quda {
namespace {

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

}  // namespace

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

namespace {

/// The sum of shifts of a client's field, with spins or without as its `dslash_type` has them.
void apply_shifts(void* h_out, const void* h_in, const QudaInvertParam& given, const CovariantSum& sum) {
  const SpinorDescription spinors = describe_plain_spinors(given);
  SpinorField<double> psi = make_field(spins_of(given));
  read_spinor(psi, 0, h_in, spinors);
  write_spinor(h_out, apply(psi, sum, 1.0), 0, spinors);
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

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
    using namespace quda;
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
