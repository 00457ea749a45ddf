// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/force_cases.hpp"
#include "tests/reference/matrix.hpp"
#include "tests/reference/schur.hpp"
#include "tests/support/resident_bytes.hpp"

// A client that calls as the solvers of Chroma do: an object for each fermion state, which loads links with the
// boundary's sign and nu/xi_0, and a clover term of its own, A with mass and anisotropy, which kappa = 1/2 makes M. Odd
// sites of whole fields are passed, the other ones are the client's. A multigrid outlives its object.
namespace kaon::test {
namespace KAON_TEST_FILE {

using reference::relative_difference;
using reference::Spinor;

constexpr double tolerance = 1e-11;
constexpr reference::WilsonParameters wilson{.mass = 0.1, .anisotropy = 2.464, .nu = 0.95};
constexpr reference::WilsonParameters clover{
    .mass = 0.1, .csw_spatial = 0.91, .csw_temporal = 1.07, .anisotropy = 2.464, .nu = 0.95};

enum class Method { cg, bicgstab, gcr };

class Solver {
 public:
  Solver(const reference::Links& links, const reference::WilsonParameters& parameters, bool asymmetric, Method method)
      : m_(links, extents, parameters),
        asymmetric_(asymmetric),
        has_clover_(parameters.csw_spatial != 0.0),
        links_(multiplied(links, true, parameters.nu / parameters.anisotropy)) {
    QudaGaugeParam gauge = gauge_param();
    gauge.anisotropy = parameters.anisotropy / parameters.nu;
    gauge.cuda_prec_sloppy = gauge.cuda_prec_precondition = QUDA_SINGLE_PRECISION;
    gauge.reconstruct = gauge.reconstruct_sloppy = gauge.reconstruct_precondition = QUDA_RECONSTRUCT_12;
    gauge.ga_pad = extents[1] * extents[2] * extents[3] / 2;

    param_.dslash_type = has_clover_ ? QUDA_CLOVER_WILSON_DSLASH : QUDA_WILSON_DSLASH;
    param_.inv_type = method == Method::cg         ? QUDA_CG_INVERTER
                      : method == Method::bicgstab ? QUDA_BICGSTAB_INVERTER
                                                   : QUDA_GCR_INVERTER;
    param_.solve_type = method == Method::cg ? QUDA_NORMOP_PC_SOLVE : QUDA_DIRECT_PC_SOLVE;
    param_.kappa = has_clover_ ? 0.5 : 0.5 / parameters.diagonal();
    param_.mass_normalization = has_clover_ ? QUDA_KAPPA_NORMALIZATION : QUDA_ASYMMETRIC_MASS_NORMALIZATION;
    param_.matpc_type = asymmetric ? QUDA_MATPC_ODD_ODD_ASYMMETRIC : QUDA_MATPC_ODD_ODD;
    param_.dagger = QUDA_DAG_NO;
    param_.cpu_prec = param_.cuda_prec = QUDA_DOUBLE_PRECISION;
    param_.cuda_prec_sloppy = param_.cuda_prec_precondition = QUDA_SINGLE_PRECISION;
    param_.preserve_source = QUDA_PRESERVE_SOURCE_NO;
    param_.dirac_order = QUDA_DIRAC_ORDER;
    param_.gamma_basis = QUDA_DEGRAND_ROSSI_GAMMA_BASIS;
    param_.tol = tolerance;
    param_.maxiter = 1000;
    param_.reliable_delta = 0.1;
    param_.verbosity = QUDA_SILENT;
    param_.gcrNkrylov = 1;
    param_.inv_type_precondition = QUDA_INVALID_INVERTER;
    loadGaugeQuda(links_.pointers(), &gauge);
    if (has_clover_) load_clover();
  }
  ~Solver() {
    freeGaugeQuda();
    if (has_clover_) freeCloverQuda();
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  const reference::WilsonOperator& m() const { return m_; }
  QudaInvertParam& param() { return param_; }

  /// The operator that Chroma's solver objects invert, on odd sites, and its adjoint.
  Spinor apply(const Spinor& psi) const {
    return asymmetric_ ? schur_asymmetric(m_, psi, 1) : schur_symmetric(m_, psi, 1);
  }
  Spinor apply_dagger(const Spinor& psi) const {
    return asymmetric_ ? schur_asymmetric_dagger(m_, psi, 1) : schur_symmetric_dagger(m_, psi, 1);
  }

  /// Right-hand side on odd sites of M psi = chi.
  Spinor source(const Spinor& chi) const {
    return asymmetric_ ? schur_asymmetric_source(m_, chi, 1) : schur_symmetric_source(m_, chi, 1);
  }

  /// M psi = chi from solves on odd sites.
  std::vector<Spinor> propagators(const std::vector<Spinor>& chis) {
    std::vector<Spinor> sources;
    for (const Spinor& chi : chis) sources.push_back(source(chi));
    param_.solution_type = QUDA_MATPC_SOLUTION;
    std::vector<Spinor> solutions = solved(sources);
    for (std::size_t k = 0; k < chis.size(); ++k) {
      solutions[k] = schur_reconstruct(m_, solutions[k], chis[k], 1);
    }
    return solutions;
  }

  /// [solution type's matrix] x = b on odd sites, of one source or of several at once.
  std::vector<Spinor> solved(const std::vector<Spinor>& b) {
    std::vector<std::vector<Complex>> in, out;
    std::vector<void*> h_in, h_out;
    for (const Spinor& source : b) in.push_back(even_odd(source));
    out.assign(b.size(), std::vector<Complex>(b[0].size()));
    for (std::size_t k = 0; k < b.size(); ++k) {
      h_in.push_back(in[k].data() + in[k].size() / 2);
      h_out.push_back(out[k].data() + out[k].size() / 2);
    }
    param_.num_src = static_cast<int>(b.size());
    if (b.size() == 1) {
      invertQuda(h_out[0], h_in[0], &param_);
    } else {
      param_.num_src_per_sub_partition = param_.num_src;
      invertMultiSrcQuda(h_out.data(), h_in.data(), &param_);
    }
    for (std::size_t k = 0; k < b.size(); ++k) EXPECT_LE(param_.true_res[k], 1.01 * param_.tol);
    std::vector<Spinor> x;
    for (const auto& field : out) x.push_back(lexicographic(field));
    return x;
  }
  Spinor solved(const Spinor& b) { return solved(std::vector<Spinor>{b})[0]; }

  /// O^dag O x = chi: at once, or O^dag y = chi and then O x = y.
  Spinor normal_solution(const Spinor& chi) {
    param_.compute_true_res = 0;
    param_.use_init_guess = QUDA_USE_INIT_GUESS_YES;  // of zero
    if (param_.inv_type == QUDA_CG_INVERTER) {
      param_.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
      return solved(chi);
    }
    param_.solution_type = QUDA_MATPC_SOLUTION;
    param_.tol = 0.5 * tolerance;
    param_.dagger = QUDA_DAG_YES;
    param_.chrono_index = 1;
    const Spinor y = solved(chi);
    param_.tol = tolerance;
    param_.dagger = QUDA_DAG_NO;
    param_.chrono_index = 0;
    return solved(y);
  }

  /// (O^dag O + sigma) x = chi for all shifts.
  std::vector<Spinor> shifted_solutions(const Spinor& chi, const std::vector<double>& shifts) {
    param_.solution_type = QUDA_MATPCDAG_MATPC_SOLUTION;
    param_.num_offset = static_cast<int>(shifts.size());
    param_.use_alternative_reliable = 1;
    std::vector<Complex> in = even_odd(chi);
    std::vector<std::vector<Complex>> out(shifts.size(), std::vector<Complex>(in.size()));
    std::vector<void*> h_out;
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      param_.offset[k] = shifts[k];
      param_.tol_offset[k] = tolerance;
      h_out.push_back(out[k].data() + in.size() / 2);
    }
    invertMultiShiftQuda(h_out.data(), in.data() + in.size() / 2, &param_);
    std::vector<Spinor> x;
    for (const auto& field : out) x.push_back(lexicographic(field));
    return x;
  }

 private:
  /// A, whose blocks of 6 have real diagonals first, and below them the columns; and A^-1.
  void load_clover() {
    std::vector<double> term(static_cast<std::size_t>(72 * volume_of(extents))), inverse(term.size());
    reference::for_each_site(extents, [&](const Coordinates& x) {
      const reference::SiteMatrix& site = m_.diagonal_term(x);
      for (const std::size_t first : {0, 6}) {
        reference::Matrix block(6, 6);
        for (std::size_t k = 0; k < 36; ++k) block.elements[k] = site[12 * (first + k / 6) + first + k % 6];
        const std::size_t place = 72 * even_odd_place(x) + 6 * first;
        pack(&term[place], block);
        pack(&inverse[place], reference::inverse(block));
      }
    });
    param_.clover_coeff = 1.0;
    param_.clover_cpu_prec = param_.clover_cuda_prec = QUDA_DOUBLE_PRECISION;
    param_.clover_cuda_prec_sloppy = param_.clover_cuda_prec_precondition = QUDA_SINGLE_PRECISION;
    param_.clover_order = QUDA_PACKED_CLOVER_ORDER;
    loadCloverQuda(term.data(), inverse.data(), &param_);
  }
  static void pack(double* out, const reference::Matrix& block) {
    for (std::size_t i = 0; i < 6; ++i) *out++ = block(i, i).real();
    for (std::size_t column = 0; column < 6; ++column) {
      for (std::size_t row = column + 1; row < 6; ++row) {
        *out++ = block(row, column).real();
        *out++ = block(row, column).imag();
      }
    }
  }

  reference::WilsonOperator m_;
  bool asymmetric_, has_clover_;
  QdpLinks links_;
  QudaInvertParam param_ = newQudaInvertParam();
};

Spinor odd_source(unsigned seed) { return reference::restrict_to_parity(random_field(12, seed), 1, extents); }

/// Actions and forms of Chroma's, each with the methods that its inputs name.
void for_each_case(const std::function<void(const reference::WilsonParameters&, bool asymmetric, Method)>& run) {
  for (const auto& parameters : {wilson, clover}) {
    for (const bool asymmetric : {true, false}) {
      for (const Method method : {Method::cg, Method::bicgstab, Method::gcr}) {
        // Without a clover term Chroma's operator has the asymmetric form, for any form that QUDA is asked to solve.
        if (parameters.csw_spatial == 0.0 && !asymmetric) continue;
        SCOPED_TRACE(testing::Message() << "csw " << parameters.csw_spatial << ", asymmetric " << asymmetric
                                        << ", method " << static_cast<int>(method));
        run(parameters, asymmetric, method);
      }
    }
  }
}

TEST(Chroma, PropagatorsSolveTheReferencesEquations) {
  const reference::Links links = random_links(1);
  for_each_case([&](const reference::WilsonParameters& parameters, bool asymmetric, Method method) {
    Solver solver(links, parameters, asymmetric, method);
    for (const std::size_t sources : {1, 3}) {
      std::vector<Spinor> chis;
      for (std::size_t k = 0; k < sources; ++k) chis.push_back(random_field(12, 2 + static_cast<unsigned>(k)));
      const std::vector<Spinor> psi = solver.propagators(chis);
      for (std::size_t k = 0; k < sources; ++k)
        EXPECT_LT(relative_difference(solver.m().apply(psi[k]), chis[k]), 5 * tolerance);
    }
  });
}

// On all sites, as operators without even-odd preconditioning are solved.
TEST(Chroma, PropagatorsOnAllSitesSolveTheReferencesEquations) {
  Solver solver(random_links(1), clover, true, Method::bicgstab);
  solver.param().solution_type = QUDA_MAT_SOLUTION;
  std::vector<Complex> chi = random_field(12, 2), in = even_odd(chi), psi(in.size());
  invertQuda(psi.data(), in.data(), &solver.param());
  EXPECT_LT(relative_difference(solver.m().apply(lexicographic(psi)), chi), 1.01 * tolerance);
}

TEST(Chroma, SolutionsOfNormalMatricesSolveTheReferencesEquations) {
  const reference::Links links = random_links(1);
  const Spinor chi = odd_source(2);
  const std::vector<double> shifts{0.0, 0.01, 0.3};
  for_each_case([&](const reference::WilsonParameters& parameters, bool asymmetric, Method method) {
    Solver solver(links, parameters, asymmetric, method);
    const Spinor x = solver.normal_solution(chi);
    EXPECT_LT(relative_difference(solver.apply_dagger(solver.apply(x)), chi), 5 * tolerance);
    if (method != Method::cg) return;
    const std::vector<Spinor> solutions = solver.shifted_solutions(chi, shifts);
    for (std::size_t k = 0; k < shifts.size(); ++k) {
      const Spinor image = reference::add(solver.apply_dagger(solver.apply(solutions[k])), shifts[k], solutions[k]);
      EXPECT_LT(relative_difference(image, chi), 1.01 * tolerance) << shifts[k];
    }
  });
}

// Forces of a trajectory: the same source on links that move, each with an object of its own. Chroma's predictor leaves
// both solutions of a step to QUDA.
TEST(Chroma, PredictorsSaveIterationsOfATrajectory) {
  const reference::Links momenta = force::directions_of_test().front();
  const Spinor chi = odd_source(2);
  int iterations[2] = {0, 0};
  for (const int predicts : {0, 1}) {
    reference::Links links = force::smooth_links();
    for (int step = 0; step < 5; ++step) {
      Solver solver(links, clover, true, Method::bicgstab);
      solver.param().chrono_make_resident = solver.param().chrono_use_resident = predicts;
      solver.param().chrono_max_dim = 4;
      solver.param().chrono_precision = QUDA_DOUBLE_PRECISION;
      const Spinor x = solver.normal_solution(chi);
      EXPECT_LT(relative_difference(solver.apply_dagger(solver.apply(x)), chi), 5 * tolerance);
      if (step > 0) iterations[predicts] += solver.param().iter;
      links = reference::moved(links, momenta, 0.01, extents);
    }
  }
  for (const int index : {0, 1}) flushChronoQuda(index);
  EXPECT_LT(iterations[1], 0.8 * iterations[0]) << iterations[0] << ' ' << iterations[1];
}

// The object that has built the multigrid frees links and clover term; the next one loads other ones.
TEST(Chroma, AMultigridOutlivesItsLinks) {
  void* multigrid = nullptr;
  QudaInvertParam inner = newQudaInvertParam();
  QudaMultigridParam param = newQudaMultigridParam();
  param.invert_param = &inner;
  param.n_level = 2;
  for (int level = 0; level < 2; ++level) {
    param.n_vec[level] = 8;
    for (int mu = 0; mu < 4; ++mu) param.geo_block_size[level][mu] = 2;
  }
  for (const unsigned seed : {1U, 1U, 3U}) {
    std::mt19937_64 generator(seed);
    Solver solver(reference::random_links_near_one(extents, generator, 0.3), clover, false, Method::gcr);
    inner = solver.param();
    inner.solution_type = QUDA_MAT_SOLUTION;
    inner.solve_type = QUDA_DIRECT_SOLVE;
    inner.tol = 1e-10;
    multigrid == nullptr ? static_cast<void>(multigrid = newMultigridQuda(&param))
                         : updateMultigridQuda(multigrid, &param);
    solver.param().inv_type_precondition = QUDA_MG_INVERTER;
    solver.param().preconditioner = multigrid;
    for (const std::size_t sources : {1, 3}) {
      std::vector<Spinor> chis;
      for (std::size_t k = 0; k < sources; ++k) chis.push_back(random_field(12, 2 + static_cast<unsigned>(k)));
      const std::vector<Spinor> psi = solver.propagators(chis);
      EXPECT_LT(solver.param().iter, 20);
      for (std::size_t k = 0; k < sources; ++k) {
        EXPECT_LT(relative_difference(solver.m().apply(psi[k]), chis[k]), 5 * tolerance);
      }
    }
  }
  destroyMultigridQuda(multigrid);
}

// Consecutive objects of a run, each with links, clover term, solves and a multigrid of its own.
TEST(Chroma, ManyObjectsNeedNoMoreMemoryThanOne) {
  const reference::Links links = force::smooth_links();
  const Spinor chi = odd_source(2);
  QudaInvertParam inner = newQudaInvertParam();
  QudaMultigridParam param = newQudaMultigridParam();
  param.invert_param = &inner;
  void* multigrid = nullptr;
  const auto object = [&](Method method) {
    Solver solver(links, clover, true, method);
    if (method == Method::gcr) {
      inner = solver.param();
      inner.solution_type = QUDA_MAT_SOLUTION;
      if (multigrid != nullptr) destroyMultigridQuda(multigrid);
      multigrid = newMultigridQuda(&param);
      updateMultigridQuda(multigrid, &param);
      solver.param().inv_type_precondition = QUDA_MG_INVERTER;
      solver.param().preconditioner = multigrid;
      solver.param().matpc_type = QUDA_MATPC_ODD_ODD;
      solver.param().solution_type = QUDA_MATPC_SOLUTION;
      return solver.solved(chi);
    }
    solver.param().chrono_make_resident = solver.param().chrono_use_resident = method == Method::bicgstab;
    solver.param().chrono_max_dim = 3;
    const Spinor x = solver.normal_solution(chi);
    for (const int index : {0, 1}) flushChronoQuda(index);
    solver.param().chrono_make_resident = solver.param().chrono_use_resident = 0;
    return method == Method::cg ? solver.shifted_solutions(chi, {0.0, 0.1})[1] : x;
  };
  const auto round = [&] {
    std::vector<Spinor> all;
    for (const Method method : {Method::cg, Method::bicgstab, Method::gcr}) all.push_back(object(method));
    return all;
  };
  std::vector<Spinor> first;
  for (int k = 0; k < 10; ++k) first = round();
  const long before = resident_bytes();
  for (int k = 0; k < 40; ++k) {
    const std::vector<Spinor> again = round();
    for (std::size_t i = 0; i < first.size(); ++i) EXPECT_LT(relative_difference(again[i], first[i]), 1e-8);
  }
  // Links of this lattice have 295 kB.
  EXPECT_LT(resident_bytes() - before, 10'000'000);
  destroyMultigridQuda(multigrid);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
