// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/parts.hpp"
#include "tests/quda/twisted_action.hpp"
#include "tests/quda/twisted_doublet_action.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

/// The force of fields x on odd sites is the derivative of an action of the links on every grid.
template <class Action>
void expect_force_on_every_grid(QudaInvertParam param, const std::vector<Slices>& x,
                                std::array<double, force::vectors> coefficients, const Action& action) {
  const reference::Links links = force::smooth_links();
  const force::Derivatives derivatives(action, links);
  on_every_grid([&](const Part& part) {
    LoadedPart loaded(part, links);
    loadCloverQuda(nullptr, nullptr, &param);
    QudaGaugeParam own = loaded.gauge;
    own.use_resident_mom = own.make_resident_mom = 0;
    own.return_result_mom = own.overwrite_mom = 1;
    std::vector<std::vector<Complex>> solutions(force::vectors);
    std::vector<void*> pointers;
    for (std::size_t r = 0; r < force::vectors; ++r) {
      for (const reference::Spinor& flavor : x[r]) {
        const std::vector<Complex> here = part.of(flavor);
        solutions[r].insert(solutions[r].end(), here.begin() + static_cast<std::ptrdiff_t>(here.size() / 2),
                            here.end());
      }
      pointers.push_back(solutions[r].data());
    }
    std::array<std::vector<Complex>, 4> momenta;  // 10 reals a link
    std::array<void*, 4> of_direction{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      momenta[mu].resize(5 * static_cast<std::size_t>(volume_of(part.local)));
      of_direction[mu] = momenta[mu].data();
    }
    computeTMCloverForceQuda(of_direction.data(), pointers.data(), nullptr, coefficients.data(), force::vectors, &own,
                             &param, 0);
    QdpMomenta whole;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const std::vector<Complex> all = even_odd(part.whole(momenta[mu]));
      for (std::size_t k = 0; k < whole.parts[mu].size(); ++k) {
        whole.parts[mu][k] = k % 2 == 0 ? all[k / 2].real() : all[k / 2].imag();
      }
    }
    derivatives.expect_in(force::host(whole));
  });
}

TEST(QudaProcesses, AddForcesOnEveryGrid) {
  const force::TwistedForceCase of;
  const force::Solutions x(of.parity);
  const QudaInvertParam param = force_param(of);
  expect_force_on_every_grid(param, {{x.slow[0]}, {x.slow[1]}},
                             {force::coefficient(param, 0), force::coefficient(param, 1)},
                             [&](const reference::Links& u) { return action(u, x, x, of); });
}

TEST(QudaProcesses, AddForcesOfDoubletsOnEveryGrid) {
  const QudaInvertParam param = force::doublet_force_param();
  const std::vector<Slices> x = force::doublet_solutions();
  expect_force_on_every_grid(param, x, force::doublet_coefficients(param),
                             [&](const reference::Links& u) { return force::doublet_action(u, x, false); });
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
