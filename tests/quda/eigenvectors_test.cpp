// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/domain_wall.hpp"
#include "tests/quda/eigenvector_cases.hpp"
#include "tests/quda/twisted_doublet.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

/// Eigenvalues of a Hermitian matrix below a bound: negative pivots of a - bound, by Sylvester's law of inertia.
int eigenvalues_below(Matrix a, double bound) {
  int negative = 0;
  for (std::size_t k = 0; k < a.rows; ++k) a(k, k) -= bound;
  for (std::size_t k = 0; k < a.rows; ++k) {
    const double pivot = a(k, k).real();
    if (pivot < 0.0) ++negative;
    for (std::size_t i = k + 1; i < a.rows; ++i) {
      const Complex factor = a(i, k) / pivot;
      for (std::size_t j = k + 1; j < a.rows; ++j) a(i, j) -= factor * a(k, j);
    }
  }
  return negative;
}

/// There are no others at that end of the spectrum.
void expect_all(const Found& found, const Matrix& a, bool largest) {
  const double last = found.values.back().real();
  const auto count = static_cast<int>(found.values.size()), size = static_cast<int>(a.rows);
  if (largest) {
    EXPECT_EQ(eigenvalues_below(a, last * (1.0 - 1e-8)), size - count);
  } else {
    EXPECT_EQ(eigenvalues_below(a, last * (1.0 + 1e-8)), count);
  }
}

constexpr QudaMatPCType matpc_types[] = {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD, QUDA_MATPC_EVEN_EVEN_ASYMMETRIC,
                                         QUDA_MATPC_ODD_ODD_ASYMMETRIC};

/// Both ends of the spectra of N^dag N and N N^dag, with N of `of`.
void expect_spectra_of_normal_matrices(QudaInvertParam of, bool one_parity) {
  const std::size_t size = 12 * tiny_volume / (one_parity ? 2 : 1);
  of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
  for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
    of.dagger = dagger;
    of.mass_normalization = QUDA_KAPPA_NORMALIZATION;
    const Matrix n = matrix_of(of, size);
    of.mass_normalization = QUDA_MASS_NORMALIZATION;  // it changes nothing in QUDA's eigenvalues
    for (const bool reversed : {false, true}) {
      const Matrix a = reversed ? n * reference::dagger(n) : reference::dagger(n) * n;
      for (const bool largest : {false, true}) {
        SCOPED_TRACE(testing::Message() << "one parity " << one_parity << ", matpc " << of.matpc_type << ", dagger "
                                        << dagger << ", MM^dag " << reversed << ", largest " << largest);
        QudaInvertParam given = of;
        QudaEigParam param = eig_param(given, 5, 30);
        param.use_pc = one_parity ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
        param.use_dagger = reversed ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
        param.spectrum = largest ? QUDA_SPECTRUM_LR_EIG : QUDA_SPECTRUM_SR_EIG;
        const Found found = eigensolve(param, size);
        expect_eigenvectors(found, a, largest, 2.0 * param.tol);
        expect_all(found, a, largest);
        EXPECT_EQ(given.solution_type, of.solution_type);
        EXPECT_GT(given.secs, 0.0);
        EXPECT_GT(given.gflops, 0.0);
      }
    }
  }
}

TEST(QudaEigenvectors, OfNormalMatricesAreAllAtTheEndsOfTheSpectrum) {
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_TWISTED_CLOVER_DSLASH}) {
    SCOPED_TRACE(static_cast<int>(type));
    const Tiny tiny_links(type);
    QudaInvertParam of = invert_param(type);
    expect_spectra_of_normal_matrices(of, false);
    for (const QudaMatPCType matpc : matpc_types) {
      of.matpc_type = matpc;
      expect_spectra_of_normal_matrices(of, true);
    }
  }
}

/// Eigenvectors of quarks on two slices, without and with `use_pc`.
void expect_eigenvectors_on_slices(QudaInvertParam of) {
  const Tiny tiny_links(of.dslash_type);
  constexpr std::size_t slices = 2;
  for (const bool one_parity : {false, true}) {
    of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
    of.matpc_type = QUDA_MATPC_ODD_ODD;
    const Matrix n = matrix_of(of, 12 * tiny_volume * slices / (one_parity ? 2 : 1));
    QudaEigParam param = eig_param(of, 4, 32);
    param.use_pc = one_parity ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
    const Found found = eigensolve(param, n.rows);
    const Matrix a = reference::dagger(n) * n;
    expect_eigenvectors(found, a, false, 2.0 * param.tol);
    expect_all(found, a, false);
  }
}

TEST(QudaEigenvectors, OfDomainWallMatrices) {
  expect_eigenvectors_on_slices(domain_wall_param(QUDA_MOBIUS_DWF_DSLASH, 2));
}

TEST(QudaEigenvectors, OfDoublets) { expect_eigenvectors_on_slices(doublet_param(QUDA_TWISTED_CLOVER_DSLASH)); }

// 4 m^2 - D D is Hermitian itself. On all sites each of its eigenvalues occurs twice.
TEST(QudaEigenvectors, OfStaggeredMatrices) {
  const Tiny tiny_links(QUDA_STAGGERED_DSLASH);
  QudaInvertParam of = invert_param(QUDA_STAGGERED_DSLASH);
  for (const QudaMatPCType matpc : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD}) {
    of.solution_type = QUDA_MATPC_SOLUTION;
    of.matpc_type = matpc;
    const Matrix a = matrix_of(of, 3 * tiny_volume / 2);
    for (const bool largest : {false, true}) {
      QudaEigParam param = eig_param(of, 4, 16);
      param.use_pc = QUDA_BOOLEAN_TRUE;
      param.use_norm_op = QUDA_BOOLEAN_FALSE;
      param.spectrum = largest ? QUDA_SPECTRUM_LR_EIG : QUDA_SPECTRUM_SR_EIG;
      const Found found = eigensolve(param, a.rows);
      expect_eigenvectors(found, a, largest, 2.0 * param.tol);
      expect_all(found, a, largest);
      EXPECT_EQ(of.solve_type, QUDA_DIRECT_PC_SOLVE);
    }
  }
  of.solution_type = QUDA_MAT_SOLUTION;
  const Matrix n = matrix_of(of, 3 * tiny_volume);
  const QudaEigParam param = eig_param(of, 3, 20);
  const Found found = eigensolve(param, n.rows);
  expect_eigenvectors(found, reference::dagger(n) * n, false, 2.0 * param.tol);
  EXPECT_EQ(of.solve_type, QUDA_NORMOP_SOLVE);
}

TEST(QudaEigenvectors, OfTheLaplaceOperator) {
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  for (const int dimensions : {3, 4}) {
    QudaInvertParam of = invert_param(QUDA_LAPLACE_DSLASH);
    of.laplace3D = dimensions;
    of.kappa = 1.0 / 6.0;
    const Matrix n = matrix_of(of, 3 * tiny_volume);
    for (const bool normal : {false, true}) {
      const Matrix a = normal ? n * n : n;
      for (const bool largest : {false, true}) {
        SCOPED_TRACE(testing::Message() << dimensions << " dimensions, normal " << normal << ", largest " << largest);
        QudaEigParam param = eig_param(of, 4, 24);
        param.use_norm_op = normal ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
        param.spectrum = largest ? QUDA_SPECTRUM_LR_EIG : QUDA_SPECTRUM_SR_EIG;
        const Found found = eigensolve(param, n.rows);
        expect_eigenvectors(found, a, largest, 2.0 * param.tol);
        expect_all(found, a, largest);
      }
    }
  }
}

/// Whether the headers have the member, which is set then.
template <class Structure>
bool use_smeared_links(Structure& param) {
  if constexpr (requires { param.use_smeared_gauge; }) param.use_smeared_gauge = true;
  return requires { param.use_smeared_gauge; };
}

// The matrix is that of the smeared links, loaded as gauge links; other operators refuse them.
TEST(QudaEigenvectors, OfTheLaplaceOperatorWithSmearedLinks) {
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  QudaInvertParam of = invert_param(QUDA_LAPLACE_DSLASH), wilson = invert_param(QUDA_WILSON_DSLASH);
  of.laplace3D = 3;
  of.kappa = 1.0 / 6.0;
  QudaEigParam param = eig_param(of, 4, 24), of_wilson = eig_param(wilson, 4, 24);
  if (!use_smeared_links(param)) GTEST_SKIP() << "these headers have no use_smeared_gauge";
  param.use_norm_op = QUDA_BOOLEAN_FALSE;
  EXPECT_EXIT(eigensolve(param, 3 * tiny_volume), testing::ExitedWithCode(1), "there are no smeared links");
  use_smeared_links(of_wilson);
  EXPECT_EXIT(eigensolve(of_wilson, 12 * tiny_volume), testing::ExitedWithCode(1),
              "use_smeared_gauge is supported for the Laplace operator only");
  QudaGaugeSmearParam smearing = newQudaGaugeSmearParam();
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  smearing.smear_type = QUDA_GAUGE_SMEAR_STOUT;
  smearing.n_steps = 2;
  smearing.meas_interval = 3;
  smearing.rho = 0.1;
  performGaugeSmearQuda(&smearing, &observables);
  const Found found = eigensolve(param, 3 * tiny_volume);
  const Matrix of_thin = matrix_of(of, 3 * tiny_volume);
  std::array<std::vector<Complex>, 4> saved;
  saved.fill(std::vector<Complex>(9 * tiny_volume));
  void* pointers[] = {saved[0].data(), saved[1].data(), saved[2].data(), saved[3].data()};
  QudaGaugeParam gauge = gauge_param(QUDA_SMEARED_LINKS);
  gauge.t_boundary = QUDA_PERIODIC_T;
  std::copy(tiny.begin(), tiny.end(), gauge.X);
  saveGaugeQuda(pointers, &gauge);
  gauge.type = QUDA_WILSON_LINKS;
  loadGaugeQuda(pointers, &gauge);
  const Matrix a = matrix_of(of, 3 * tiny_volume);
  expect_eigenvectors(found, a, false, 2.0 * param.tol);
  expect_all(found, a, false);
  EXPECT_GT(reference::relative_difference(a.elements, of_thin.elements), 1e-3);
  freeGaugeSmearedQuda();
}

// MatDagMatQuda reads them in the same order, basis and precision.
TEST(QudaEigenvectors, AreWrittenInAClientsOrder) {
  const Loaded loaded(random_links(1), QUDA_TWISTED_CLOVER_DSLASH);
  std::vector<QudaInvertParam> clients(4, invert_param(QUDA_TWISTED_CLOVER_DSLASH));
  clients[1].dirac_order = QUDA_QDP_DIRAC_ORDER;
  clients[1].gamma_basis = QUDA_UKQCD_GAMMA_BASIS;
  clients[2].dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER;
  clients[2].gamma_basis = QUDA_CHIRAL_GAMMA_BASIS;
  clients[3].cpu_prec = QUDA_SINGLE_PRECISION;
  const auto size = static_cast<std::size_t>(12 * volume_of(extents));
  for (QudaInvertParam& of : clients) {
    const bool single = of.cpu_prec == QUDA_SINGLE_PRECISION;
    QudaEigParam param = eig_param(of, 2, 20);
    param.tol = 1e-7;
    const Found found = eigensolve(param, single ? size / 2 : size);
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<Complex> v = found.vectors[i], av(v.size());
      MatDagMatQuda(av.data(), v.data(), &of);
      if (single) {
        const auto widened = [](const std::vector<Complex>& field) {
          const auto* numbers = reinterpret_cast<const std::complex<float>*>(field.data());
          return std::vector<Complex>(numbers, numbers + 2 * field.size());
        };
        v = widened(v);
        av = widened(av);
      }
      EXPECT_NEAR(reference::dot(v, v).real(), 1.0, 1e-6);
      for (std::size_t k = 0; k < v.size(); ++k) av[k] -= found.values[i].real() * v[k];
      EXPECT_LT(std::sqrt(reference::dot(av, av).real()), (single ? 1e-5 : 1e-6) * found.values[i].real());
    }
  }
}

TEST(QudaEigenvectors, GiveSingularValuesAndVectors) {
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
  for (const bool one_parity : {false, true}) {
    of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
    of.matpc_type = QUDA_MATPC_ODD_ODD_ASYMMETRIC;
    const Matrix n = matrix_of(of, 12 * tiny_volume / (one_parity ? 2 : 1));
    QudaEigParam param = eig_param(of, 4, 24);
    param.use_pc = one_parity ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
    const Found squares = eigensolve(param, n.rows);
    param.compute_svd = QUDA_BOOLEAN_TRUE;
    const Found found = eigensolve(param, n.rows);
    for (std::size_t i = 0; i < 4; ++i) {
      const double sigma = found.values[i].real();
      EXPECT_NEAR(sigma * sigma, squares.values[i].real(), 1e-10);
      std::vector<Complex> difference = image(n, found.vectors[i]);
      for (std::size_t k = 0; k < n.rows; ++k) difference[k] -= sigma * found.vectors[4 + i][k];
      EXPECT_LT(std::sqrt(reference::dot(difference, difference).real()), 1e-13);
      for (std::size_t j = 0; j <= i; ++j) {
        const Complex both = reference::dot(found.vectors[4 + i], found.vectors[4 + j]);
        EXPECT_LT(std::abs(both - (i == j ? 1.0 : 0.0)), 1e-9);
      }
    }
  }
}

/// gamma5, or (-1)^(x+y+z+t) of staggered quarks, times a matrix in a client's order.
Matrix conjugated(const Matrix& n, bool staggered) {
  Matrix a = n;
  for (std::size_t row = 0; row < n.rows; ++row) {
    const bool minus = staggered ? row >= n.rows / 2 : row % 12 >= 6;  // spins 2 and 3 of DeGrand and Rossi's basis
    for (std::size_t column = 0; column < n.rows && minus; ++column) a(row, column) = -n(row, column);
  }
  return a;
}

/// Both ends of the spectrum of gamma5 N, which is of both signs.
void expect_ends_of_hermitian_matrix(QudaInvertParam of, bool one_parity) {
  const bool staggered = of.dslash_type == QUDA_STAGGERED_DSLASH;
  const std::size_t size = (staggered ? 3 : 12) * tiny_volume / (one_parity ? 2 : 1);
  of.solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
  const Matrix a = conjugated(matrix_of(of, size), staggered);
  for (std::size_t row = 0; row < size; ++row) {
    for (std::size_t column = 0; column <= row; ++column) {
      ASSERT_LT(std::abs(a(row, column) - std::conj(a(column, row))), 1e-13);
    }
  }
  for (const bool largest : {false, true}) {
    SCOPED_TRACE(testing::Message() << "dslash " << of.dslash_type << ", one parity " << one_parity << ", dagger "
                                    << of.dagger << ", largest " << largest);
    QudaEigParam param = eig_param(of, staggered ? 2 : 4, 28);
    param.use_norm_op = QUDA_BOOLEAN_FALSE;
    param.compute_gamma5 = QUDA_BOOLEAN_TRUE;
    param.use_pc = one_parity ? QUDA_BOOLEAN_TRUE : QUDA_BOOLEAN_FALSE;
    param.spectrum = largest ? QUDA_SPECTRUM_LR_EIG : QUDA_SPECTRUM_SR_EIG;
    const Found found = eigensolve(param, size);
    expect_eigenvectors(found, a, largest, 2.0 * param.tol);
    EXPECT_EQ(found.values.front().real() > 0.0, largest);
    EXPECT_EQ(of.solve_type, one_parity ? QUDA_DIRECT_PC_SOLVE : QUDA_DIRECT_SOLVE);
    if (staggered) continue;  // eigenvalues of 4 m^2 - D D occur several times on so small a lattice
    const double last = found.values.back().real(), room = 1e-8 * std::abs(last);
    EXPECT_EQ(eigenvalues_below(a, last + (largest ? -room : room)),
              largest ? static_cast<int>(size) - param.n_conv : param.n_conv);
  }
}

TEST(QudaEigenvectors, OfGamma5TimesTheOperator) {
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_CLOVER_WILSON_DSLASH, QUDA_STAGGERED_DSLASH}) {
    const Tiny tiny_links(type);
    QudaInvertParam of = invert_param(type);
    for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
      of.dagger = dagger;
      expect_ends_of_hermitian_matrix(of, false);
      if (type == QUDA_STAGGERED_DSLASH) continue;
      for (const QudaMatPCType matpc : {QUDA_MATPC_EVEN_EVEN_ASYMMETRIC, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
        of.matpc_type = matpc;
        expect_ends_of_hermitian_matrix(of, true);
      }
    }
  }
}

TEST(QudaEigenvectors, AreGivenUnfinishedWhereTheClientWantsThem) {
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
  QudaEigParam param = eig_param(of, 4, 10);
  param.max_restarts = 1;
  EXPECT_EXIT(eigensolve(param, 12 * tiny_volume), testing::ExitedWithCode(1),
              "eigensolveQuda: 4 eigenvectors are not found to tol = 1e-10 in 1 restarts");
  param.require_convergence = QUDA_BOOLEAN_FALSE;
  const Found found = eigensolve(param, 12 * tiny_volume);
  EXPECT_NEAR(reference::dot(found.vectors[3], found.vectors[3]).real(), 1.0, 1e-12);
  EXPECT_GT(found.values[3].real(), 0.0);
}

/// Changes of a search and its operator, and the text of the refusal.
struct Refusal {
  const char* text;
  void (*spoil)(QudaEigParam&, QudaInvertParam&);
};

TEST(QudaEigenvectors, AreRefusedWithTheReason) {
  const Tiny tiny_links(QUDA_WILSON_DSLASH);
  constexpr auto no = QUDA_BOOLEAN_FALSE, yes = QUDA_BOOLEAN_TRUE;
  const auto expect = [](QudaDslashType type, bool gamma5, const std::vector<Refusal>& refusals) {
    for (const Refusal& refusal : refusals) {
      QudaInvertParam of = invert_param(type);
      of.laplace3D = 3;
      QudaEigParam param = eig_param(of, 4, 24);
      if (gamma5) {
        param.compute_gamma5 = yes;
        param.use_norm_op = no;
      }
      refusal.spoil(param, of);
      EXPECT_EXIT(eigensolve(param, 12 * tiny_volume), testing::ExitedWithCode(1), refusal.text);
    }
  };
  const auto on_one_parity = [](auto& p, auto&) { p.use_pc = yes; };
  expect(QUDA_WILSON_DSLASH, false,
         {{"invert_param of the eigenvectors is NULL", [](auto& p, auto&) { p.invert_param = nullptr; }},
          {"QudaEigParam has", [](auto& p, auto&) { p.struct_size += 8; }},
          {"the operator itself is not Hermitian", [](auto& p, auto&) { p.use_norm_op = no; }},
          {"eig_type = .* is not supported; supported:", [](auto& p, auto&) { p.eig_type = QUDA_EIG_BLK_IR_ARNOLDI; }},
          {"arpack_check is not supported", [](auto& p, auto&) { p.arpack_check = yes; }},
          {"spectrum = .* is not supported", [](auto& p, auto&) { p.spectrum = QUDA_SPECTRUM_LI_EIG; }},
          {"n_conv = 0", [](auto& p, auto&) { p.n_conv = 0; }},
          {"max_restarts = 0", [](auto& p, auto&) { p.max_restarts = 0; }},
          {"a tolerance of 0", [](auto& p, auto&) { p.tol = 0.0; }},
          {"with a basis of 0: the basis must be larger", [](auto& p, auto&) { p.n_kr = 0; }},
          {"use_poly_acc with the largest eigenvalues is not supported",
           [](auto& p, auto&) {
             p.use_poly_acc = yes;
             p.spectrum = QUDA_SPECTRUM_LR_EIG;
           }},
          {"a Chebyshev filter of degree 0", [](auto& p, auto&) { p.use_poly_acc = yes; }},
          {"damps eigenvalues from 1e-06 on, and none lies below: raise the end",
           [](auto& p, auto&) {
             p.use_poly_acc = yes;
             p.poly_deg = 6;
             p.a_min = 1e-6;
           }},
          {"compute_svd needs use_norm_op", [](auto& p, auto&) { p.compute_svd = p.use_dagger = yes; }},
          {"cpu_prec = 2 is not supported", [](auto&, auto& of) { of.cpu_prec = QUDA_HALF_PRECISION; }},
          {"is not supported for fields on one parity", [](auto& p, auto& of) {
             p.use_pc = yes;
             of.dirac_order = QUDA_CPS_WILSON_DIRAC_ORDER;
           }}});
  expect(QUDA_WILSON_DSLASH, true,
         {{"compute_gamma5 is for the operator itself", [](auto& p, auto&) { p.use_norm_op = yes; }},
          {"compute_gamma5 is for the operator itself", [](auto& p, auto&) { p.use_dagger = yes; }},
          {"compute_gamma5 on one parity needs matpc_type QUDA_MATPC_EVEN_EVEN_ASYMMETRIC", on_one_parity},
          {"compute_gamma5 has eigenvalues of both signs", [](auto& p, auto&) { p.spectrum = QUDA_SPECTRUM_SM_EIG; }},
          {"use_poly_acc with compute_gamma5 is not supported", [](auto& p, auto&) {
             p.use_poly_acc = yes;
             p.poly_deg = 5;
           }}});
  expect(QUDA_TWISTED_MASS_DSLASH, true,
         {{"compute_gamma5 is not supported for operators with a twisted", [](auto&, auto&) {}}});
  expect(QUDA_STAGGERED_DSLASH, true,
         {{"compute_gamma5 changes nothing but signs of staggered operators", on_one_parity}});
  expect(QUDA_STAGGERED_DSLASH, false,
         {{"use_norm_op is not supported for staggered operators on one parity", on_one_parity}});
  expect(QUDA_LAPLACE_DSLASH, false,
         {{"eigenvectors of covariant shifts are those of the Laplace operator", on_one_parity},
          {"the Laplace operator may have negative eigenvalues", [](auto& p, auto&) {
             p.use_norm_op = no;
             p.spectrum = QUDA_SPECTRUM_SM_EIG;
           }}});
  QudaInvertParam of = invert_param(QUDA_WILSON_DSLASH);
  QudaEigParam param = eig_param(of, 2, 24);
  std::vector<Complex> vector(12 * tiny_volume), values(2);
  void* vectors[] = {vector.data(), nullptr};
  EXPECT_EXIT(eigensolveQuda(vectors, reinterpret_cast<double _Complex*>(values.data()), &param),
              testing::ExitedWithCode(1), "a pointer to a spinor is NULL");
  EXPECT_EXIT(eigensolveQuda(nullptr, nullptr, &param), testing::ExitedWithCode(1),
              "the pointer to eigenvalues is NULL");
  freeGaugeQuda();
  EXPECT_EXIT(eigensolve(param, 12 * tiny_volume), testing::ExitedWithCode(1), "load them with loadGaugeQuda");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
