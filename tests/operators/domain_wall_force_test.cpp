// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/operators/force_cases.hpp"

#include <kaon/operators/domain_wall.hpp>

#include <numeric>

namespace kaon::test {
namespace KAON_TEST_FILE {

using namespace force;

/// S = <phi, (M^dag M)^-1 phi> with one right-hand side or two: the matrices are its derivative.
TEST(DomainWallForce, IsTheDerivativeOfTheAction) {
  for (const Lattice& lattice : lattices()) {
    for (const DomainWallParameters& p :
         {DomainWallParameters{.mass = 0.2, .m5 = 1.8, .slices = 4}, DomainWallParameters{.mass = 0.1,
                                                                     .m5 = 1.4,
                                                                     .slices = 3,
                                                                     .b = 1.5,
                                                                     .c = 0.5,
                                                                     .anisotropy = {.xi0 = 2.464, .nu = 0.95},
                                                                     .boundary = {0.3, -0.7, 1.1, 2.5}}}) {
      for (const Subset subset : {Subset::full, Subset::even, Subset::odd}) {
        const int right_hand_sides = subset == Subset::even ? 2 : 1;
        SpinorField<double> phi(lattice, {.subset = subset, .right_hand_sides = right_hand_sides, .slices = p.slices});
        set_gaussian(phi, {.seed = 4});
        const GaugeField<double> links = random_links<double>(lattice);
        GaugeField<double> matrices(lattice);
        const DomainWall<double> dirac(links, p);
        add_fermion_force(matrices, dirac, solution(dirac, phi),
                          std::vector<double>(static_cast<std::size_t>(right_hand_sides), 1.0));
        const Action action = [&](const reference::Links& u) {
          GaugeField<double> moved(lattice);
          moved.from_host(u);
          const blas::Complexes products = blas::inner_product(phi, solution(DomainWall<double>(moved, p), phi));
          return std::accumulate(products.begin(), products.end(), std::complex<double>()).real();
        };
        expect_derivative(action, links, matrices, 1);
      }
    }
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
