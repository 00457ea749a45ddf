// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/enums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace kaon::quda {
namespace {

/// Whether the largest eigenvalues are wanted.
constexpr Known<QudaEigSpectrumType, bool> spectra[] = {
    KAON_KNOWN(QUDA_SPECTRUM_SR_EIG, false),
    KAON_KNOWN(QUDA_SPECTRUM_SM_EIG, false),
    KAON_KNOWN(QUDA_SPECTRUM_LR_EIG, true),
    KAON_KNOWN(QUDA_SPECTRUM_LM_EIG, true),
};

/// All are Lanczos' method with thick restarts.
enum class Search { lanczos };
constexpr Known<QudaEigType, Search> searches[] = {
    KAON_KNOWN(QUDA_EIG_TR_LANCZOS, Search::lanczos),
    KAON_KNOWN(QUDA_EIG_BLK_TR_LANCZOS, Search::lanczos),
    KAON_KNOWN(QUDA_EIG_IR_ARNOLDI, Search::lanczos),
};

EigenvectorParameters describe_search(const QudaEigParam& given) {
  EigenvectorParameters search{.count = given.n_conv,
                               .basis = given.n_kr,
                               .tolerance = given.tol,
                               .relative_to_each = true,
                               .max_restarts = given.max_restarts};
  require(given.n_conv >= 1,
          [&] { return fmt::format("n_conv = {}: 1 eigenvector or more are possible", given.n_conv); });
  require(given.max_restarts >= 1,
          [&] { return fmt::format("max_restarts = {}: 1 or more are possible", given.max_restarts); });
  search.largest = meaning_of(spectra, given.spectrum, "spectrum", " (SM and LM where no eigenvalue is negative)");
  if (given.use_poly_acc != QUDA_BOOLEAN_TRUE) return search;
  require(!search.largest,
          "use_poly_acc with the largest eigenvalues is not supported: the polynomial enlarges the smallest ones");
  search.filter = ChebyshevFilter{.degree = given.poly_deg, .lower = given.a_min};
  if (given.a_max > 0.0) search.filter->upper = given.a_max;
  return search;
}

/// Throws `Error` for options whose effect kaon does not have.
void require_plain_search(const QudaEigParam& given) {
  static_cast<void>(meaning_of(searches, given.eig_type, "eig_type"));
  require(given.arpack_check != QUDA_BOOLEAN_TRUE, "arpack_check is not supported");
}

/// Newer headers have the member.
template <class Structure>
bool wants_smeared_links(const Structure& given) {
  if constexpr (requires { given.use_smeared_gauge; }) {
    return given.use_smeared_gauge;
  } else {
    return false;
  }
}

/// A client's file, up to the end of its string.
template <std::size_t size>
std::string file_of(const char (&name)[size], const char* member) {
  const auto end = std::find(std::begin(name), std::end(name), '\0');
  require(end != std::end(name), [&] { return fmt::format("{} does not end", member); });
  return std::string(std::begin(name), end);
}

void describe_files(EigenDescription& wanted, const QudaEigParam& given) {
  wanted.vectors_from = file_of(given.vec_infile, "vec_infile");
  wanted.vectors_to = file_of(given.vec_outfile, "vec_outfile");
  if (wanted.vectors_from.empty() && wanted.vectors_to.empty()) return;
  require(given.use_pc != QUDA_BOOLEAN_TRUE || given.io_parity_inflate == QUDA_BOOLEAN_TRUE,
          "vec_infile and vec_outfile of eigenvectors on one parity are supported with io_parity_inflate = "
          "QUDA_BOOLEAN_TRUE only, as fields on all sites");
  require(wanted.vectors_from.empty() || !wanted.singular,
          "vec_infile with compute_svd is not supported: QUDA finds no left vectors then");
  require(wanted.vectors_to.empty() || given.partfile != QUDA_BOOLEAN_TRUE,
          "partfile is not supported: vec_outfile is one file of all processes");
  QudaPrecision precision = given.save_prec;
  if (precision == QUDA_INVALID_PRECISION) precision = given.invert_param->cuda_prec_eigensolver;
  if (precision == QUDA_INVALID_PRECISION) precision = given.invert_param->cuda_prec;
  wanted.bits = precision == QUDA_DOUBLE_PRECISION ? 64 : 32;
  if (given.save_prec != QUDA_INVALID_PRECISION && given.save_prec < QUDA_SINGLE_PRECISION) {
    refuse("save_prec", given.save_prec, "QUDA_DOUBLE_PRECISION and QUDA_SINGLE_PRECISION");
  }
}

/// gamma5 times the operator. It has eigenvalues of both signs.
void describe_gamma5(EigenDescription& wanted, const QudaEigParam& given) {
  const MatrixDescription& matrix = wanted.matrix;
  require(!wanted.normal && given.use_dagger != QUDA_BOOLEAN_TRUE,
          "compute_gamma5 is for the operator itself: use_norm_op and use_dagger must be QUDA_BOOLEAN_FALSE");
  require(!matrix.of.conventions().hermitian_on_one_parity || !matrix.one_parity,
          "compute_gamma5 changes nothing but signs of staggered operators on one parity: set it to "
          "QUDA_BOOLEAN_FALSE");
  require(matrix.of.quark.mu == 0.0 && matrix.of.rho == std::array{0.0, 0.0},
          "compute_gamma5 is not supported for operators with a twisted mass, which it does not make Hermitian: take "
          "use_norm_op");
  require(!matrix.one_parity || matrix.form == SchurForm::asymmetric,
          "compute_gamma5 on one parity needs matpc_type QUDA_MATPC_EVEN_EVEN_ASYMMETRIC or "
          "QUDA_MATPC_ODD_ODD_ASYMMETRIC, as in QUDA");
  require(given.spectrum == QUDA_SPECTRUM_SR_EIG || given.spectrum == QUDA_SPECTRUM_LR_EIG,
          "compute_gamma5 has eigenvalues of both signs: the spectrum must be QUDA_SPECTRUM_SR_EIG or "
          "QUDA_SPECTRUM_LR_EIG. The smallest in magnitude are square roots of those with use_norm_op");
  require(given.use_poly_acc != QUDA_BOOLEAN_TRUE,
          "use_poly_acc with compute_gamma5 is not supported: the ends of the spectrum need none");
  wanted.gamma5 = true;
  wanted.lowest = !wanted.search.largest;
  wanted.search.largest = true;
}

}  // namespace

EigenDescription describe_eigenvectors(const QudaEigParam& given) {
  require_same_size(given, "QudaEigParam");
  require(given.invert_param != nullptr, "invert_param of the eigenvectors is NULL");
  require_plain_search(given);
  QudaInvertParam of = *given.invert_param;
  const bool one_parity = given.use_pc == QUDA_BOOLEAN_TRUE;
  of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
  EigenDescription wanted{.normal = given.use_norm_op == QUDA_BOOLEAN_TRUE,
                          .spinors = describe_spinors(of),
                          .search = describe_search(given),
                          .singular = given.compute_svd == QUDA_BOOLEAN_TRUE,
                          .must_converge = given.require_convergence != QUDA_BOOLEAN_FALSE};
  const bool dagger = given.use_dagger == QUDA_BOOLEAN_TRUE;
  bool positive = wanted.normal;
  if (is_covariant(of)) {
    require(of.dslash_type == QUDA_LAPLACE_DSLASH && !one_parity,
            "eigenvectors of covariant shifts are those of the Laplace operator on all sites: dslash_type must be "
            "QUDA_LAPLACE_DSLASH without use_pc");
    wanted.laplace = describe_covariant(of);
    wanted.smeared = wants_smeared_links(given);
  } else {
    require(!wants_smeared_links(given),
            "use_smeared_gauge is supported for the Laplace operator only, as in QUDA: load the smeared links");
    wanted.matrix = describe_matrix(of);
    wanted.matrix.normal = wanted.normal;
    wanted.matrix.dagger = wanted.matrix.dagger != dagger;
    wanted.matrix.normalization = Normalization::kappa;
    const Conventions& conventions = wanted.matrix.of.conventions();
    const bool hermitian = conventions.hermitian_on_one_parity && one_parity;
    require(conventions.gamma5_hermitian || given.compute_gamma5 != QUDA_BOOLEAN_TRUE,
            "compute_gamma5 is not supported for domain wall quarks and doublets, whose operators it does not make "
            "Hermitian: take use_norm_op");
    if (given.compute_gamma5 == QUDA_BOOLEAN_TRUE) describe_gamma5(wanted, given);
    require(hermitian || wanted.normal || wanted.gamma5,
            "eigenvectors of this dslash_type are supported with use_norm_op or compute_gamma5 = QUDA_BOOLEAN_TRUE "
            "only: the operator itself is not Hermitian");
    require(!hermitian || !wanted.normal,
            "use_norm_op is not supported for staggered operators on one parity, which are normal ones already: set "
            "it to QUDA_BOOLEAN_FALSE");
    positive = true;
  }
  require(positive || given.spectrum == QUDA_SPECTRUM_SR_EIG || given.spectrum == QUDA_SPECTRUM_LR_EIG,
          "the Laplace operator may have negative eigenvalues: the spectrum must be QUDA_SPECTRUM_SR_EIG or "
          "QUDA_SPECTRUM_LR_EIG");
  require(!wanted.singular || (wanted.normal && !dagger),
          "compute_svd needs use_norm_op = QUDA_BOOLEAN_TRUE and use_dagger = QUDA_BOOLEAN_FALSE: right singular "
          "vectors come first");
  describe_files(wanted, given);
  return wanted;
}

}  // namespace kaon::quda
