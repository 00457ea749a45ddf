// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/call.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/solve/covariant.hpp"
#include "quda/solve/operator.hpp"
#include "quda/state/spinors.hpp"

namespace kaon::quda {
namespace {

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

void apply_matrix(void* h_out, const void* h_in, const QudaInvertParam& given, const MatrixDescription& matrix) {
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
  call(__func__, inv_param, [&](const QudaInvertParam& given) {
    if (is_covariant(given)) return apply_covariant(h_out, h_in, given, false);
    MatrixDescription matrix = describe_matrix(given);
    matrix.normal = false;
    apply_matrix(h_out, h_in, given, matrix);
  });
}

void MatDagMatQuda(void* h_out, void* h_in, QudaInvertParam* inv_param) {
  call(__func__, inv_param, [&](const QudaInvertParam& given) {
    if (is_covariant(given)) return apply_covariant(h_out, h_in, given, true);
    MatrixDescription matrix = describe_matrix(given);
    matrix.normal = true;
    apply_matrix(h_out, h_in, given, matrix);
  });
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
}
