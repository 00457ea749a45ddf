// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/slices.hpp"

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

// Residuals are computed with `MatQuda`, which matrices_test.cpp compares with the reference.

std::vector<Complex> multiplied_by(const std::vector<Complex>& x, QudaInvertParam& param) {
  std::vector<Complex> in = x, out(x.size());
  is_normal(param) ? MatDagMatQuda(out.data(), in.data(), &param) : MatQuda(out.data(), in.data(), &param);
  return out;
}

/// A right-hand side as the solution type wants it, in the client's order.
std::vector<Complex> right_hand_side(const QudaInvertParam& param, unsigned seed = 7) {
  std::vector<Complex> b = random_field(param.dslash_type == QUDA_STAGGERED_DSLASH ? 3 : 12, seed);
  if (is_on_one_parity(param)) b.resize(b.size() / 2);
  return b;
}

/// The matrix times the solution of invertQuda equals the right-hand side to the tolerance, as reported.
void expect_to_solve(QudaInvertParam param) {
  const std::vector<Complex> b = right_hand_side(param);
  std::vector<Complex> x(b.size()), source = b;
  invertQuda(x.data(), source.data(), &param);
  EXPECT_EQ(source, b);
  EXPECT_LE(param.true_res[0], param.tol);
  EXPECT_GT(param.iter, 0);
  EXPECT_GT(param.secs, 0.0);
  EXPECT_GT(param.gflops, 0.0);
  EXPECT_LT(reference::relative_difference(multiplied_by(x, param), b), 1.01 * param.tol);
}

/// Parameters of a matrix on resident links.
struct WithMatrix : testing::Test {
  explicit WithMatrix(QudaDslashType type) : loaded(random_links(1), type), param(invert_param(type)) {}

  const Loaded loaded;
  QudaInvertParam param;
};
struct QudaWilsonSolves : WithMatrix {
  QudaWilsonSolves() : WithMatrix(QUDA_WILSON_DSLASH) {}
};
struct QudaStaggeredSolves : WithMatrix {
  QudaStaggeredSolves() : WithMatrix(QUDA_STAGGERED_DSLASH) { param.inv_type = QUDA_CG_INVERTER; }
};

TEST(QudaSolves, InvertEveryMatrix) {
  const reference::Links links = random_links(1);
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_CLOVER_WILSON_DSLASH, QUDA_TWISTED_CLOVER_DSLASH}) {
    const Loaded loaded(links, type);
    for (const QudaSolutionType solution :
         {QUDA_MAT_SOLUTION, QUDA_MATDAG_MAT_SOLUTION, QUDA_MATPC_SOLUTION, QUDA_MATPCDAG_MATPC_SOLUTION}) {
      for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
        for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
          SCOPED_TRACE(testing::Message() << "dslash " << type << ", solution " << solution << ", matpc " << form
                                          << ", dagger " << dagger);
          QudaInvertParam param = invert_param(type);
          param.solution_type = solution;
          param.matpc_type = form;
          param.dagger = dagger;
          param.mass_normalization = dagger == QUDA_DAG_YES         ? QUDA_KAPPA_NORMALIZATION
                                     : form == QUDA_MATPC_EVEN_EVEN ? QUDA_MASS_NORMALIZATION
                                                                    : QUDA_ASYMMETRIC_MASS_NORMALIZATION;
          expect_to_solve(param);
        }
      }
    }
  }
}

TEST(QudaSolves, InvertByEverySolverInEveryPrecision) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  for (const QudaInverterType solver :
       {QUDA_CG_INVERTER, QUDA_CGNR_INVERTER, QUDA_CGNE_INVERTER, QUDA_GCR_INVERTER, QUDA_BICGSTABL_INVERTER}) {
    for (const QudaPrecision sloppy : {QUDA_DOUBLE_PRECISION, QUDA_SINGLE_PRECISION, QUDA_HALF_PRECISION}) {
      SCOPED_TRACE(testing::Message() << "solver " << solver << ", sloppy precision " << sloppy);
      QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
      param.inv_type = solver;
      param.cuda_prec_sloppy = sloppy;
      expect_to_solve(param);
    }
  }
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  param.tol = 2e-6;
  for (const QudaPrecision precision : {QUDA_SINGLE_PRECISION, QUDA_HALF_PRECISION}) {
    param.cuda_prec = precision;
    expect_to_solve(param);
  }
}

TEST_F(QudaStaggeredSolves, InvertStaggeredMatrices) {
  param.mass_normalization = QUDA_MASS_NORMALIZATION;
  for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
    param.dagger = dagger;
    param.solution_type = QUDA_MAT_SOLUTION;
    expect_to_solve(param);
    param.solution_type = QUDA_MATDAG_MAT_SOLUTION;
    expect_to_solve(param);
  }
  param.dagger = QUDA_DAG_NO;
  param.solution_type = QUDA_MATPC_SOLUTION;
  for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD}) {
    param.matpc_type = form;
    expect_to_solve(param);
  }
}

// D^dag D x = b is solved by D^dag and then by D, whose residual r counts as D^dag r, which may be larger.
TEST_F(QudaStaggeredSolves, ReachTheToleranceOfLightStaggeredNormalMatrices) {
  param.solution_type = QUDA_MATDAG_MAT_SOLUTION;
  param.cuda_prec_sloppy = QUDA_DOUBLE_PRECISION;
  param.mass = 0.02;
  param.tol = 1e-9;
  param.maxiter = 10000;
  for (const unsigned seed : {2U, 8U}) {
    std::vector<Complex> b = right_hand_side(param, seed), x(b.size());
    invertQuda(x.data(), b.data(), &param);
    EXPECT_LE(param.true_res[0], param.tol);
  }
}

TEST(QudaSolves, TakeSeveralSourcesTogetherAndEachAsAlone) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  std::vector<std::vector<Complex>> b, x;
  std::vector<void*> h_b, h_x;
  for (unsigned k = 0; k < 3; ++k) b.push_back(right_hand_side(param, 10 + k));
  b.push_back(std::vector<Complex>(b[0].size()));  // zero
  x.assign(4, std::vector<Complex>(b[0].size()));
  for (std::size_t k = 0; k < 4; ++k) {
    h_b.push_back(b[k].data());
    h_x.push_back(x[k].data());
  }
  param.num_src = 4;
  invertMultiSrcQuda(h_x.data(), h_b.data(), &param);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LE(param.true_res[k], param.tol);
    EXPECT_LT(reference::relative_difference(multiplied_by(x[k], param), b[k]), 1.01 * param.tol);
  }
  EXPECT_EQ(x[3], b[3]);
}

TEST_F(QudaWilsonSolves, WorkInPlaceAndFromAGuess) {
  const std::vector<Complex> b = right_hand_side(param);
  std::vector<Complex> field = b, source = b;
  invertQuda(field.data(), field.data(), &param);
  EXPECT_LT(reference::relative_difference(multiplied_by(field, param), b), 1.01 * param.tol);
  param.use_init_guess = QUDA_USE_INIT_GUESS_YES;
  const std::vector<Complex> guess = field;
  invertQuda(field.data(), source.data(), &param);
  EXPECT_EQ(param.iter, 0);
  EXPECT_EQ(field, guess);
}

// With a chronology the client's array holds no guess, as in QUDA, and may hold anything.
TEST_F(QudaWilsonSolves, TakeNoGuessWithAChronology) {
  param.use_init_guess = QUDA_USE_INIT_GUESS_YES;
  param.chrono_use_resident = param.chrono_make_resident = 1;
  param.chrono_max_dim = 4;
  std::vector<Complex> b = right_hand_side(param), x(b.size(), Complex(std::nan(""), std::nan("")));
  invertQuda(x.data(), b.data(), &param);
  EXPECT_LE(param.true_res[0], param.tol);
  EXPECT_LT(reference::relative_difference(multiplied_by(x, param), b), 1.01 * param.tol);
}

// A source that is a sum of two earlier ones needs next to no iterations, one by one.
TEST(QudaSolves, BeginFromEarlierSolutions) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  for (const bool normal : {false, true}) {
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
    param.solution_type = normal ? QUDA_MATPCDAG_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
    param.inv_type = normal ? QUDA_CG_INVERTER : QUDA_BICGSTAB_INVERTER;
    param.chrono_make_resident = param.chrono_use_resident = 1;
    param.chrono_max_dim = 3;
    param.chrono_index = 2;
    std::vector<Complex> first = right_hand_side(param, 1), second = right_hand_side(param, 2), sum = first,
                         x(first.size());
    const Complex a{0.3, -1.1}, b{-0.7, 0.4};
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = a * first[k] + b * second[k];
    invertQuda(x.data(), first.data(), &param);
    const int alone = param.iter;
    invertQuda(x.data(), first.data(), &param);
    EXPECT_EQ(param.iter, 0);  // its own solution is the guess
    param.chrono_replace_last = 1;
    invertQuda(x.data(), second.data(), &param);
    EXPECT_GT(param.iter, alone / 2);
    param.chrono_make_resident = 0;
    invertQuda(x.data(), sum.data(), &param);
    EXPECT_LT(param.iter, alone / 4);
    EXPECT_LE(param.true_res[0], param.tol);
    param.chrono_index = 3;
    invertQuda(x.data(), sum.data(), &param);
    EXPECT_GT(param.iter, alone / 2);
    param.chrono_index = 2;
    flushChronoQuda(2);
    invertQuda(x.data(), sum.data(), &param);
    EXPECT_GT(param.iter, alone / 2);
  }
}

// Several sources are solved together on all processes, however a client would have split these.
TEST_F(QudaWilsonSolves, TakeSourcesOfASplitGrid) {
  std::vector<std::vector<Complex>> b{right_hand_side(param, 1), right_hand_side(param, 2)}, x(2, b[0]), y = x;
  void *h_b[] = {b[0].data(), b[1].data()}, *h_x[] = {x[0].data(), x[1].data()}, *h_y[] = {y[0].data(), y[1].data()};
  param.num_src = param.num_src_per_sub_partition = 2;
  invertMultiSrcQuda(h_x, h_b, &param);
  param.num_src_per_sub_partition = 1;
  param.split_grid[3] = 2;
  invertMultiSrcQuda(h_y, h_b, &param);
  EXPECT_EQ(x, y);
}

// Parameters that have no effect are named once, and not to a client that wants silence.
TEST_F(QudaWilsonSolves, NameParametersWithoutEffectOnce) {
  param.gcrNkrylov = 20;
  param.split_grid[3] = 2;
  param.schwarz_type = QUDA_MULTIPLICATIVE_SCHWARZ;
  std::vector<Complex> b = right_hand_side(param), x(b.size());
  const auto count = [&](QudaVerbosity verbosity) {
    param.verbosity = verbosity;
    const std::string text = written([&] { invertQuda(x.data(), b.data(), &param); });
    const std::string line =
        "kaon: these members of QudaInvertParam have no effect: split_grid, gcrNkrylov, schwarz_type\n";
    return text.find(line) == std::string::npos ? 0 : 1;
  };
  EXPECT_EQ(count(QUDA_SILENT), 0);
  EXPECT_EQ(count(QUDA_SUMMARIZE), 1);
  EXPECT_EQ(count(QUDA_SUMMARIZE), 0);
}

// On a matrix without a solution in reach, corrections end where they help no more.
TEST_F(QudaWilsonSolves, EndNearTheirBoundOfIterations) {
  param.kappa = 2.0;
  param.tol = 1e-12;
  param.maxiter = 300;
  std::vector<Complex> b = right_hand_side(param, 3), x(b.size());
  invertQuda(x.data(), b.data(), &param);
  EXPECT_GT(param.true_res[0], param.tol);
  EXPECT_LE(param.iter, 2 * param.maxiter);
}

// The verbosity of the structure counts during the call, for any verbosity of the program.
TEST(QudaSolves, SayWhatTheirVerbosityWants) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  const auto said = [](QudaVerbosity of_program, QudaVerbosity of_solve) {
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
    param.verbosity = of_solve;
    param.maxiter = 1;
    std::vector<Complex> b = right_hand_side(param), x(b.size());
    return written([&] { invertQuda(x.data(), b.data(), &param); }, of_program);
  };
  const QudaVerbosity unset = newQudaInvertParam().verbosity;
  EXPECT_NE(said(QUDA_SUMMARIZE, unset).find("prefix: kaon: WARNING: right-hand side 0"), std::string::npos);
  EXPECT_NE(said(QUDA_SILENT, QUDA_SUMMARIZE).find("prefix: kaon: WARNING: right-hand side 0"), std::string::npos);
  EXPECT_NE(said(QUDA_SILENT, QUDA_SUMMARIZE).find("prefix: kaon: 1 of 1 right-hand sides did not converge"),
            std::string::npos);
  EXPECT_EQ(said(QUDA_SUMMARIZE, QUDA_SILENT), "");
  EXPECT_EQ(said(QUDA_SILENT, unset), "");
}

TEST_F(QudaWilsonSolves, ReachAHeavyQuarkResidual) {
  std::vector<Complex> b(right_hand_side(param).size()), x(b.size());
  b[0] = 1.0;
  param.residual_type = QUDA_HEAVY_QUARK_RESIDUAL;
  param.tol_hq = 1e-9;
  invertQuda(x.data(), b.data(), &param);
  EXPECT_LE(param.true_res_hq[0], param.tol_hq);
  EXPECT_GT(param.true_res_hq[0], 0.0);
}

/// (Q + offset) x = b for all offsets, where Q is what `multiplied_by` applies.
void expect_to_solve_shifted(QudaInvertParam param, double mass_offset) {
  const double offsets[] = {0.16, 0.25, 1.0};
  param.num_offset = 3;
  for (int i = 0; i < 3; ++i) {
    param.offset[i] = offsets[i];
    param.tol_offset[i] = param.tol;
  }
  std::vector<Complex> b = right_hand_side(param);
  std::vector<std::vector<Complex>> x(3, std::vector<Complex>(b.size()));
  void* h_x[] = {x[0].data(), x[1].data(), x[2].data()};
  invertMultiShiftQuda(h_x, b.data(), &param);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(param.offset[i], offsets[i]);
    EXPECT_LE(param.true_res_offset[i], param.tol);
    const std::vector<Complex>& x_i = x[static_cast<std::size_t>(i)];
    std::vector<Complex> product = multiplied_by(x_i, param);
    for (std::size_t k = 0; k < product.size(); ++k) product[k] += (offsets[i] - mass_offset) * x_i[k];
    EXPECT_LT(reference::relative_difference(product, b), 1.01 * param.tol);
  }
}

// Each shift to its own, from one source site: with or without an L2 residual.
TEST(QudaSolves, ReachHeavyQuarkResidualsOfShifts) {
  for (const bool both : {false, true}) {
    const Loaded loaded(random_links(1), QUDA_STAGGERED_DSLASH);
    QudaInvertParam param = invert_param(QUDA_STAGGERED_DSLASH);
    param.inv_type = QUDA_CG_INVERTER;
    param.mass_normalization = QUDA_MASS_NORMALIZATION;
    param.solution_type = QUDA_MATPC_SOLUTION;
    param.residual_type = both ? static_cast<QudaResidualType>(QUDA_HEAVY_QUARK_RESIDUAL | QUDA_L2_RELATIVE_RESIDUAL)
                               : QUDA_HEAVY_QUARK_RESIDUAL;
    param.tol = 1e-3;
    param.tol_hq = 1e-2;
    param.num_offset = 3;
    const double offsets[] = {0.3, 0.5, 4.0}, wanted[] = {1e-5, 1e-9, 1e-7};
    for (int i = 0; i < 3; ++i) {
      param.offset[i] = offsets[i];
      param.tol_offset[i] = both ? param.tol : 0.0;
      param.tol_hq_offset[i] = wanted[i];
    }
    std::vector<Complex> b(right_hand_side(param).size());
    b[0] = 1.0;
    std::vector<std::vector<Complex>> x(3, std::vector<Complex>(b.size()));
    void* h_x[] = {x[0].data(), x[1].data(), x[2].data()};
    invertMultiShiftQuda(h_x, b.data(), &param);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LE(param.true_res_hq_offset[i], wanted[i]);
      EXPECT_GT(param.true_res_hq_offset[i], 0.0);
      const std::vector<Complex>& x_i = x[static_cast<std::size_t>(i)];
      std::vector<Complex> r = multiplied_by(x_i, param);
      double r2 = 0.0, heavy2 = 0.0, sites = 0.0;
      const double mass2 = 4.0 * param.mass * param.mass;  // which the matrix has itself
      for (std::size_t k = 0; k < r.size(); k += 3) {
        double of_r = 0.0, of_x = 0.0;
        for (std::size_t c = k; c < k + 3; ++c) {
          of_r += std::norm(r[c] + (offsets[i] - mass2) * x_i[c] - b[c]);
          of_x += std::norm(x_i[c]);
        }
        r2 += of_r;
        heavy2 += of_r / of_x;
        sites += 1.0;
      }
      EXPECT_NEAR(std::sqrt(r2) / param.true_res_offset[i], 1.0, 1e-3);
      EXPECT_NEAR(std::sqrt(heavy2 / sites) / param.true_res_hq_offset[i], 1.0, 1e-3);
    }
  }
}

TEST(QudaSolves, TakeSeveralShiftsOfANormalMatrix) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  param.inv_type = QUDA_CG_INVERTER;
  for (const QudaMassNormalization normalization : {QUDA_KAPPA_NORMALIZATION, QUDA_MASS_NORMALIZATION}) {
    param.mass_normalization = normalization;
    for (const QudaSolutionType solution : {QUDA_MATDAG_MAT_SOLUTION, QUDA_MATPCDAG_MATPC_SOLUTION}) {
      for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD_ASYMMETRIC}) {
        SCOPED_TRACE(testing::Message() << normalization << ' ' << solution << ' ' << form);
        param.solution_type = solution;
        param.matpc_type = form;
        expect_to_solve_shifted(param, 0.0);
      }
    }
  }
}

TEST_F(QudaStaggeredSolves, TakeSeveralMassesOfAStaggeredMatrix) {
  param.mass_normalization = QUDA_MASS_NORMALIZATION;
  param.solution_type = QUDA_MATPC_SOLUTION;
  for (const QudaMatPCType form : {QUDA_MATPC_EVEN_EVEN, QUDA_MATPC_ODD_ODD}) {
    param.matpc_type = form;
    expect_to_solve_shifted(param, 4.0 * param.mass * param.mass);  // which the matrix has itself
  }
}

TEST(QudaSolves, PreconditionByMultigrid) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam inner = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  QudaMultigridParam multigrid = newQudaMultigridParam();
  multigrid.invert_param = &inner;
  multigrid.n_level = 2;
  multigrid.n_vec[0] = 24;
  inner.verbosity = QUDA_SUMMARIZE;
  void* built = nullptr;
  const std::string said = written([&] { built = newMultigridQuda(&multigrid); });
  EXPECT_NE(said.find("these members of QudaMultigridParam have no effect: n_level, n_vec\n"), std::string::npos)
      << said;
  inner.verbosity = QUDA_SILENT;
  EXPECT_GT(inner.secs, 0.0);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  param.inv_type = QUDA_GCR_INVERTER;
  param.inv_type_precondition = QUDA_MG_INVERTER;
  param.preconditioner = built;
  expect_to_solve(param);
  param.dagger = QUDA_DAG_YES;
  expect_to_solve(param);
  updateMultigridQuda(built, &multigrid);
  dumpMultigridQuda(built, &multigrid);
  expect_to_solve(param);
  param.kappa *= 0.98;  // another mass: from the same vectors
  expect_to_solve(param);
  {
    const Loaded other(random_links(2), QUDA_CLOVER_WILSON_DSLASH);  // a client need not say that links are new
    expect_to_solve(param);
  }
  destroyMultigridQuda(built);
}

TEST(QudaSolves, PreconditionTwistedMassByMultigrid) {
  const Loaded loaded(random_links(1), QUDA_TWISTED_MASS_DSLASH);
  QudaInvertParam inner = invert_param(QUDA_TWISTED_MASS_DSLASH);
  QudaMultigridParam multigrid = newQudaMultigridParam();
  multigrid.invert_param = &inner;
  void* const built = newMultigridQuda(&multigrid);
  QudaInvertParam param = invert_param(QUDA_TWISTED_MASS_DSLASH);
  param.inv_type_precondition = QUDA_MG_INVERTER;
  param.preconditioner = built;
  for (const QudaSolutionType solution : {QUDA_MAT_SOLUTION, QUDA_MATDAG_MAT_SOLUTION}) {
    for (const QudaDagType dagger : {QUDA_DAG_NO, QUDA_DAG_YES}) {
      param.solution_type = solution;
      param.dagger = dagger;
      expect_to_solve(param);
    }
  }
  destroyMultigridQuda(built);
}

/// |b - [matrix] x| after a solve to an absolute tolerance, of one system or of several shifts.
double absolute_residual(QudaInvertParam& param, const std::vector<Complex>& b, bool shifts) {
  std::vector<Complex> x(b.size()), source = b;
  void* const h_x = x.data();
  param.num_offset = shifts ? 1 : 0;
  param.offset[0] = 0.0;
  shifts ? invertMultiShiftQuda(const_cast<void**>(&h_x), source.data(), &param)
         : invertQuda(x.data(), source.data(), &param);
  return std::sqrt(reference::norm2(reference::add(multiplied_by(x, param), -1.0, b)));
}

TEST(QudaSolves, ReachAbsoluteResiduals) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  for (const double size : {1e-3, 1e3}) {
    for (const bool shifts : {false, true}) {
      SCOPED_TRACE(testing::Message() << size << (shifts ? ", a shift" : ""));
      QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
      param.solution_type = QUDA_MATDAG_MAT_SOLUTION;
      param.residual_type = QUDA_L2_ABSOLUTE_RESIDUAL;
      std::vector<Complex> b = right_hand_side(param);
      for (Complex& z : b) z *= size;
      param.tol = 1e-7;
      const double residual = absolute_residual(param, b, shifts);
      EXPECT_LE(residual, 1.01e-7);
      EXPECT_GT(residual, 1e-12);
      param.tol = 2.0 * std::sqrt(reference::norm2(b));  // which a solution of zero has
      EXPECT_LE(absolute_residual(param, b, shifts), param.tol);
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
