// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/parts.hpp"
#include "tests/quda/twisted_action.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

// The force of twisted clover quarks is the derivative of the reference's action on every grid.
TEST(QudaProcesses, AddForcesOnEveryGrid) {
  const force::TwistedForceCase of;
  const reference::Links links = force::smooth_links();
  const force::Solutions x(of.parity);
  const std::vector<reference::Links> directions = force::directions_of_test();
  std::vector<double> expected;
  for (const reference::Links& direction : directions) {
    expected.push_back(reference::derivative_along([&](const auto& u) { return action(u, x, x, of); }, links, direction,
                                                   2e-3, extents));
  }
  for (const std::array<int, 4>& grid : grids()) {
    SCOPED_TRACE(testing::Message() << grid[0] << 'x' << grid[1] << 'x' << grid[2] << 'x' << grid[3]);
    initCommsGridQuda(4, grid.data(), nullptr, nullptr);
    initQuda(-1);
    const Part part(grid);
    LoadedPart loaded(part, links);
    QudaInvertParam param = force_param(of);
    loadCloverQuda(nullptr, nullptr, &param);
    QudaGaugeParam own = loaded.gauge;
    own.use_resident_mom = own.make_resident_mom = 0;
    own.return_result_mom = own.overwrite_mom = 1;
    std::vector<std::vector<Complex>> solutions;
    std::vector<void*> pointers;
    double coefficients[force::vectors];
    for (std::size_t r = 0; r < force::vectors; ++r) {
      solutions.push_back(part.of(x.slow[r]));
      pointers.push_back(solutions[r].data() + (of.parity == 1 ? solutions[r].size() / 2 : 0));
      coefficients[r] = force::coefficient(param, r);
    }
    std::array<std::vector<Complex>, 4> momenta;  // 10 reals a link
    std::array<void*, 4> of_direction{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      momenta[mu].resize(5 * static_cast<std::size_t>(volume_of(part.local)));
      of_direction[mu] = momenta[mu].data();
    }
    computeTMCloverForceQuda(of_direction.data(), pointers.data(), nullptr, coefficients, force::vectors, &own, &param,
                             0);
    QdpMomenta whole;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const std::vector<Complex> all = even_odd(part.whole(momenta[mu]));
      for (std::size_t k = 0; k < whole.parts[mu].size(); ++k) {
        whole.parts[mu][k] = k % 2 == 0 ? all[k / 2].real() : all[k / 2].imag();
      }
    }
    const reference::Links change = force::host(whole);
    for (std::size_t k = 0; k < directions.size(); ++k) {
      const double scale = std::sqrt(reference::norm2(directions[k]) * reference::norm2(change));
      EXPECT_NEAR(force::product(directions[k], change), expected[k], 1e-8 * scale);
    }
    freeCloverQuda();
    freeGaugeQuda();
    endQuda();
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
