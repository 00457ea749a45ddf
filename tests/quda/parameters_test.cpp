// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <cfloat>
#include <cstdio>
#include <sstream>

// Fresh structures of parameters, and what the library writes of them.
namespace kaon::test {
namespace KAON_TEST_FILE {

/// Each line once in the text, whose every line has the prefix.
void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);) {
    EXPECT_EQ(line.substr(0, 8), "prefix: ");
    found.push_back(line.substr(8));
  }
  for (const std::string& line : lines)
    EXPECT_EQ(std::count(found.begin(), found.end(), line), 1) << line << "\n" << text;
}

template <class Structure>
std::string size_line() {
  return "struct_size = " + std::to_string(sizeof(Structure));
}

TEST(QudaParameters, AreWrittenWithTheirValues) {
  QudaGaugeParam gauge = gauge_param();
  gauge.anisotropy = 2.5;
  expect_lines(written([&] { printQudaGaugeParam(&gauge); }),
               {size_line<QudaGaugeParam>(), "X = {4, 4, 4, 8}", "anisotropy = 2.5", "tadpole_coeff = unset",
                "reconstruct_sloppy = 12", "staggered_phase_applied = 0"});
  QudaInvertParam invert = invert_param(QUDA_WILSON_DSLASH);
  invert.num_offset = 3;
  expect_lines(written([&] { printQudaInvertParam(&invert); }),
               {size_line<QudaInvertParam>(), "kappa = 0.124", "tol = 1e-10", "maxiter = 2000", "num_offset = 3",
                "tol_hq = unset", "dslash_type = " + std::to_string(static_cast<int>(QUDA_WILSON_DSLASH))});
  QudaMultigridParam multigrid = newQudaMultigridParam();
  multigrid.n_level = 3;
  expect_lines(written([&] { printQudaMultigridParam(&multigrid); }),
               {size_line<QudaMultigridParam>(), "n_level = 3", "cycle_type = {unset, ...}", "omega = {0.85, ...}"});
  QudaEigParam eigen = newQudaEigParam();
  eigen.n_ev_deflate = 17;
  expect_lines(written([&] { printQudaEigParam(&eigen); }), {size_line<QudaEigParam>(), "n_ev_deflate = 17"});
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  observables.compute_qcharge = QUDA_BOOLEAN_TRUE;
  expect_lines(written([&] { printQudaGaugeObservableParam(&observables); }),
               {size_line<QudaGaugeObservableParam>(), "compute_qcharge = 1", "compute_plaquette = 0"});
  QudaBLASParam algebra = newQudaBLASParam();
  expect_lines(written([&] { printQudaBLASParam(&algebra); }), {size_line<QudaBLASParam>()});
  EXPECT_EQ(written([&] { printQudaInvertParam(&invert); }, QUDA_SILENT), "");
}

// Members that clients must set have QUDA's marks of that.
TEST(QudaParameters, AreFresh) {
  const QudaGaugeParam gauge = newQudaGaugeParam();
  EXPECT_EQ(gauge.anisotropy, DBL_MIN);
  EXPECT_EQ(static_cast<int>(gauge.cpu_prec), QUDA_INVALID_ENUM);
  EXPECT_EQ(gauge.return_result_mom, 1);
  const QudaInvertParam invert = newQudaInvertParam();
  EXPECT_EQ(invert.kappa, DBL_MIN);
  EXPECT_EQ(static_cast<int>(invert.solution_type), QUDA_INVALID_ENUM);
  EXPECT_EQ(invert.num_src, 1);
  EXPECT_EQ(invert.residual_type, QUDA_L2_RELATIVE_RESIDUAL);
  const QudaEigParam eigen = newQudaEigParam();
  EXPECT_EQ(eigen.struct_size, sizeof(QudaEigParam));
  EXPECT_EQ(eigen.n_ev_deflate, -1);
  EXPECT_EQ(eigen.preserve_evals, QUDA_BOOLEAN_TRUE);
  EXPECT_EQ(eigen.save_prec, QUDA_DOUBLE_PRECISION);
  // QUDA's mark of sizes that are not set is none of another header.
  QudaGaugeObservableParam observables = newQudaGaugeObservableParam();
  QudaGaugeParam links = gauge_param();
  links.struct_size = observables.struct_size = static_cast<std::size_t>(QUDA_INVALID_ENUM);
  QdpLinks given(random_links(1));
  loadGaugeQuda(given.pointers(), &links);
  gaugeObservablesQuda(&observables);
  freeGaugeQuda();
  EXPECT_EQ(newQudaBLASParam().struct_size, sizeof(QudaBLASParam));
  const QudaMultigridParam multigrid = newQudaMultigridParam();
  EXPECT_EQ(multigrid.omega[0], 0.85);
  EXPECT_EQ(multigrid.omega[QUDA_MAX_MG_LEVEL - 1], 0.85);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
