// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr double rounding = 1e-14;

/// Paths of QUDA's codes as a client hands them over, each as long as the longest.
struct QudaPaths {
  explicit QudaPaths(const std::vector<std::vector<int>>& given) : steps(given) {
    for (std::vector<int>& path : steps) {
      lengths.push_back(static_cast<int>(path.size()));
      longest = std::max(longest, lengths.back());
    }
    for (std::vector<int>& path : steps) {
      path.resize(static_cast<std::size_t>(longest), -1);
      pointers.push_back(path.data());
    }
  }
  std::vector<std::vector<int>> steps;
  std::vector<int> lengths;
  std::vector<int*> pointers;
  int longest = 0;
};

/// The reference's steps: QUDA's 0 to 3 are forward, 7 to 4 backward in x to t.
std::vector<int> reference_steps(const std::vector<int>& codes) {
  std::vector<int> steps;
  for (const int code : codes) steps.push_back(code < 4 ? code + 1 : code - 8);
  return steps;
}

/// sum_x Tr P(x)
Complex trace(const reference::Links& links, const std::vector<int>& codes) {
  Complex sum = 0.0;
  reference::for_each_site(extents, [&](const Coordinates& x) {
    const auto product = reference::path_product(links, x, reference_steps(codes), extents);
    sum += product[0] + product[4] + product[8];
  });
  return sum;
}

const std::vector<std::vector<int>> loops{
    {0, 1, 7, 6}, {3, 3, 2, 4, 4, 5}, {3, 3, 3, 3, 3, 3, 3, 3}, {0, 1, 7, 2, 6, 5}};

TEST(QudaPaths, HaveTheReferencesTraces) {
  const reference::Links links = random_links(1);
  QudaPaths paths(loops);
  std::vector<double> coefficients{1.0, -0.5, 2.0, 0.25};
  constexpr double factor = 0.1;
  for (const QudaDslashType type : {QUDA_WILSON_DSLASH, QUDA_STAGGERED_DSLASH}) {
    const Loaded loaded(links, type);
    // The sign of antiperiodic fermions is in links as loaded; staggered phases are removed with that sign.
    const reference::Links given = type == QUDA_WILSON_DSLASH ? multiplied(links, true, 1.0) : links;
    std::vector<Complex> traces(loops.size());
    computeGaugeLoopTraceQuda(reinterpret_cast<double _Complex*>(traces.data()), paths.pointers.data(),
                              paths.lengths.data(), coefficients.data(), static_cast<int>(loops.size()), paths.longest,
                              factor);
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const Complex expected = factor * coefficients[i] * trace(given, loops[i]);
      EXPECT_LT(std::abs(traces[i] - expected), rounding * static_cast<double>(volume_of(extents))) << i;
      EXPECT_GT(std::abs(expected), 1e-3) << i;
    }
    // Observables contain equal traces.
    std::vector<Complex> observed(loops.size());
    QudaGaugeObservableParam param = newQudaGaugeObservableParam();
    param.compute_gauge_loop_trace = QUDA_BOOLEAN_TRUE;
    param.traces = reinterpret_cast<double _Complex*>(observed.data());
    param.input_path_buff = paths.pointers.data();
    param.path_length = paths.lengths.data();
    param.loop_coeff = coefficients.data();
    param.num_paths = static_cast<int>(loops.size());
    param.max_length = paths.longest;
    param.factor = factor;
    gaugeObservablesQuda(&param);
    EXPECT_EQ(observed, traces);
  }
}

TEST(QudaPaths, ObservablesAreThoseOfProjectedLinksIfAskedFor) {
  const reference::Links links = random_links(1);
  reference::Links stretched = links;
  for (Complex& z : stretched) z *= std::polar(1.1, 0.2);
  const Loaded loaded(stretched, QUDA_WILSON_DSLASH);
  QudaGaugeObservableParam param = newQudaGaugeObservableParam();
  param.compute_plaquette = QUDA_BOOLEAN_TRUE;
  const double expected = reference::plaquette(links, extents);
  gaugeObservablesQuda(&param);
  EXPECT_NEAR(param.plaquette[0], std::pow(1.1, 4) * expected, rounding);
  param.su_project = QUDA_BOOLEAN_TRUE;
  gaugeObservablesQuda(&param);
  EXPECT_NEAR(param.plaquette[0], expected, rounding);
  param.su_project = QUDA_BOOLEAN_FALSE;  // the resident links are as they were
  gaugeObservablesQuda(&param);
  EXPECT_NEAR(param.plaquette[0], std::pow(1.1, 4) * expected, rounding);
}

// out_mu(x) = out_mu(x) + c U_mu(x) sum_i c_i P_i(x+mu)
TEST(QudaPaths, AreSumsBehindALink) {
  const reference::Links links = random_links(1), start = random_links(2);
  std::vector<QudaPaths> paths;
  std::vector<std::vector<std::vector<int>>> codes;
  for (int mu = 0; mu < 4; ++mu) {
    const int nu = (mu + 1) % 4;
    codes.push_back({{nu, 7 - mu, 7 - nu}, {7 - mu, nu}, {mu, mu, mu}});
    paths.emplace_back(codes.back());
  }
  int** of_direction[4];
  for (std::size_t mu = 0; mu < 4; ++mu) of_direction[mu] = paths[mu].pointers.data();
  double coefficients[] = {1.0, -0.5, 0.3};
  constexpr double factor = 0.7;
  for (const bool overwrite : {false, true}) {
    for (const bool resident : {false, true}) {
      QudaGaugeParam param = gauge_param();
      param.t_boundary = QUDA_PERIODIC_T;
      param.overwrite_gauge = overwrite;
      param.use_resident_gauge = param.make_resident_gauge = resident;
      QdpLinks in(links), out(start);
      if (resident) load_links(in, param);
      EXPECT_EQ(computeGaugePathQuda(out.pointers(), resident ? nullptr : in.pointers(), of_direction,
                                     paths[0].lengths.data(), coefficients, 3, paths[0].longest, factor, &param),
                0);
      freeGaugeQuda();
      reference::Links expected = start;
      if (overwrite) std::fill(expected.begin(), expected.end(), 0.0);
      reference::for_each_site(extents, [&](const Coordinates& x) {
        for (int mu = 0; mu < 4; ++mu) {
          for (std::size_t i = 0; i < 3; ++i) {
            std::vector<int> steps = reference_steps(codes[static_cast<std::size_t>(mu)][i]);
            steps.insert(steps.begin(), mu + 1);
            const auto product = reference::path_product(links, x, steps, extents);
            for (std::size_t k = 0; k < 9; ++k) {
              expected[reference::link_offset(x, mu, extents) + k] += factor * coefficients[i] * product[k];
            }
          }
        }
      });
      const QdpLinks wanted(expected);
      for (std::size_t mu = 0; mu < 4; ++mu) {
        EXPECT_LT(reference::relative_difference(out.parts[mu], wanted.parts[mu]), rounding);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
