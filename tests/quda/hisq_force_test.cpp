// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/reference/staggered_force.hpp"

#if __has_include(<quda_milc_interface.h>)
#include <quda_milc_interface.h>
#define KAON_TEST_HAS_MILC
#endif

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr double step = 0.3, naik = -1.0 / 24.0;
constexpr double level2[] = {1.0, naik, -1.0 / 16.0, 1.0 / 64.0, -1.0 / 384.0, -1.0 / 8.0};
constexpr double fat7[] = {1.0 / 8.0, 0.0, -1.0 / 16.0, 1.0 / 64.0, -1.0 / 384.0, 0.0};

/// A client of HISQ, with MILC's phases in its links and arrays in MILC's order.
class QudaHisq : public testing::Test {
 protected:
  QudaHisq() {
    std::mt19937_64 generator(1);
    links = reference::random_links_near_one(extents, generator, 0.3);
    const reference::Links fat = reference::fat_links(links, reference::fat7_paths(), extents);
    u = with_phases(links);
    v = with_phases(fat);
    w = with_phases(reference::project_to_u3(fat));
    for (unsigned seed : {2u, 3u}) {
      vectors.push_back(random_field(3, seed));
      arrays.push_back(even_odd(vectors.back()));
    }
    for (auto& array : arrays) quarks.push_back(array.data());
    param = gauge_param(QUDA_GENERAL_LINKS);
    param.gauge_order = QUDA_MILC_GAUGE_ORDER;
    param.use_resident_mom = param.make_resident_mom = 0;
    param.return_result_mom = 1;
  }
  static std::vector<Complex> with_phases(const reference::Links& plain) {
    return even_odd(reference::fold_phases(plain, extents, true, 1));
  }
  /// Coefficients of quarks of which the last `with_epsilon` have Naik epsilons.
  void set_coefficients(const std::vector<reference::ForceTerm>& terms, int with_epsilon) {
    coefficients.clear();
    pointers.clear();
    for (const auto& term : terms) coefficients.push_back({2.0 * term.residue, 2.0 * term.residue * naik});
    for (auto term = terms.end() - with_epsilon; term != terms.end(); ++term) {
      const double factor = 2.0 * term->residue * term->naik_epsilon;
      coefficients.push_back({factor / 8.0, factor * naik});
    }
    for (auto& pair : coefficients) pointers.push_back(pair.data());
  }
  void add_force(double* momenta, int count, int with_epsilon) {
    computeHISQForceQuda(momenta, step, level2, fat7, w.data(), v.data(), u.data(), quarks.data(), count, with_epsilon,
                         pointers.data(), &param);
  }
  /// (P - P_0)/dt in the reference's order.
  static reference::Links force_in(const std::vector<double>& momenta, const std::vector<double>& before) {
    std::vector<Complex> matrices;
    const Complex i(0.0, 1.0);
    for (std::size_t k = 0; k < momenta.size(); k += 10) {
      double p[9];
      for (std::size_t n = 0; n < 9; ++n) p[n] = (momenta[k + n] - before[k + n]) / step;
      const Complex a(p[0], p[1]), b(p[2], p[3]), c(p[4], p[5]);
      matrices.insert(matrices.end(),
                      {i * p[6], a, b, -std::conj(a), i * p[7], c, -std::conj(b), -std::conj(c), i * p[8]});
    }
    return lexicographic(matrices);
  }
  void expect_derivative(const std::vector<reference::ForceTerm>& terms, const reference::Links& force) const {
    std::mt19937_64 generator(8);
    const reference::Links p = reference::random_momenta(extents, generator);
    const auto action = [&](const reference::Links& of) { return reference::hisq_action(of, terms, extents); };
    const double bound = 1e-11 * std::sqrt(reference::norm2(p) * reference::norm2(force));
    EXPECT_NEAR(reference::work(p, force), reference::derivative_along(action, links, p), bound);
    EXPECT_GT(reference::norm2(force), 1.0);
  }

  reference::Links links;
  std::vector<Complex> u, v, w;
  std::vector<std::vector<Complex>> vectors, arrays;
  std::vector<void*> quarks;
  std::vector<std::array<double, 2>> coefficients;
  std::vector<double*> pointers;
  QudaGaugeParam param = gauge_param();
  std::vector<double> zero = std::vector<double>(static_cast<std::size_t>(40 * volume_of(extents)));
};

// A client's array gets the force alone and loses its values.
TEST_F(QudaHisq, ForceIsTheDerivativeOfTheAction) {
  const std::vector<reference::ForceTerm> two{{vectors[0], 0.7}, {vectors[1], 0.4, -0.3}}, one{two[0]};
  set_coefficients(one, 0);
  std::vector<double> momenta(zero.size(), 5.0);
  add_force(momenta.data(), 1, 0);
  expect_derivative(one, force_in(momenta, zero));
  set_coefficients(two, 1);
  add_force(momenta.data(), 2, 1);
  const reference::Links force = force_in(momenta, zero);
  expect_derivative(two, force);

  // Resident momenta are added to.
  std::vector<double> start(zero.size()), moved(zero.size());
  for (std::size_t k = 0; k < start.size(); ++k) start[k] = k % 10 == 9 ? 0.0 : std::cos(static_cast<double>(k));
  QudaGaugeParam resident = param;
  resident.make_resident_mom = 1;
  resident.return_result_mom = 0;
  momResidentQuda(start.data(), &resident);
  resident.use_resident_mom = 1;
  param = resident;
  add_force(nullptr, 2, 1);
  resident.make_resident_mom = 0;
  resident.return_result_mom = 1;
  momResidentQuda(moved.data(), &resident);
  EXPECT_LT(reference::relative_difference(force_in(moved, start), force), 1e-13);
}

#ifdef KAON_TEST_HAS_MILC
TEST_F(QudaHisq, ForceOfMilcIsTheSame) {
  const int grid[] = {1, 1, 1, 1};
  qudaSetLayout({extents.data(), grid, 0});
  set_coefficients({{vectors[0], 0.7}, {vectors[1], 0.4, -0.3}}, 1);
  std::vector<double> momenta(zero.size()), milcs(zero.size());
  add_force(momenta.data(), 2, 1);
  qudaHisqForce(2, 2, 1, step, pointers.data(), quarks.data(), level2, fat7, w.data(), v.data(), u.data(),
                milcs.data());
  EXPECT_EQ(momenta, milcs);
}
#endif

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
