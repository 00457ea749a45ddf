// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/apps/cli_test.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/io/propagator.hpp>
#include <kaon/measure/correlator.hpp>
#include <kaon/measure/sources.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace kaon::test {

using Json = nlohmann::json;

inline const std::string weak = "propagator --weak 0.2 --seed 3 --size 4,4,4,8 ";
inline const std::string unit = "propagator --unit --size 4,4,4,8 ";

inline std::vector<double> pion(const Json& report) { return report.at("pion_correlator").get<std::vector<double>>(); }

/// |sources - M propagator| / |sources| <= 1e-11, except for rounding.
inline void expect_solution(const EvenOddOperator<double>& dirac, const SpinorField<double>& propagator,
                            const SpinorField<double>& sources) {
  SpinorField<double> image(dirac.lattice(), sources.parameters());
  dirac.apply(image, propagator);
  const blas::Reals r2 = blas::xmy_norm2(image, sources), b2 = blas::norm2(sources);
  for (std::size_t k = 0; k < r2.size(); ++k) EXPECT_LE(std::sqrt(r2[k] / b2[k]), 1.01e-11);
}

/// Runs of `kaon propagator`.
class PropagatorRuns : public ::testing::Test {
 protected:
  /// The report of a run that converges.
  Json run(const std::string& arguments) {
    const std::string file = folder_ / "report.json";
    output_ = expect_success(arguments + " --correlator " + file).output;
    return Json::parse(read_text(file));
  }

  /// Runs with these arguments on the weak field. The propagator that is written must solve M S = point sources for M
  /// = `dirac`, and its correlator must be the report's.
  void expect_propagator_of(const EvenOddOperator<double>& dirac, const std::string& arguments) {
    SCOPED_TRACE(arguments);
    const Coordinates site{1, 0, 2, 3};
    const std::string file = folder_ / "propagator.lime";
    const Json report = run(weak + arguments + " --tolerance 1e-11 --source-site 1,0,2,3 --output " + file);
    const auto propagator = io::read_propagator<double>(dirac.lattice(), file);
    ASSERT_EQ(propagator.right_hand_sides(), 3 * dirac.domain().spins);
    SpinorField<double> sources(dirac.lattice(), propagator.parameters());
    set_point_sources(sources, {.site = site});
    expect_solution(dirac, propagator, sources);
    EXPECT_EQ(pion(report), pion_correlator(propagator, {.source_site = site}));
  }

  TemporaryFolder folder_;
  std::string output_;
};

inline double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

inline void expect_near(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t t = 0; t < a.size(); ++t) EXPECT_NEAR(a[t], b[t], relative * std::abs(b[t])) << "t = " << t;
}

/// The field of `weak`.
inline GaugeField<double> weak_links(int reach = 1) {
  GaugeField<double> links(Lattice({.extents = {4, 4, 4, 8}, .reach = reach}));
  set_weak(links, 0.2, {.seed = 3});
  return links;
}

}  // namespace kaon::test
