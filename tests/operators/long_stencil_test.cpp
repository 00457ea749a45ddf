// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// The engine of stencils with steps of one and three sites, which no operator of the library has yet: neighbours, lanes
// and halos of any reach, against nested loops.
#include "operators/stencil/halo_send_launch.hpp"
#include "operators/stencil/stencil_launch.hpp"
#include "tests/operators/staggered_cases.hpp"
#include "tests/support/error_text.hpp"
#include "tests/support/largest_difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kaon::detail {

/// D chi(x) = sum_mu sum_{n = 1, 3} [ U_mu(x) chi(x + n mu) - U_mu(x - n mu)^dag chi(x - n mu) ], K = D.
struct LongStencil {
  static constexpr const char* name = "test_long";
  static constexpr int spins = 1;
  static constexpr std::array<Leg, 16> legs{{{0, +1, 0},
                                             {0, -1, 0},
                                             {0, +3, 0},
                                             {0, -3, 0},
                                             {1, +1, 0},
                                             {1, -1, 0},
                                             {1, +3, 0},
                                             {1, -3, 0},
                                             {2, +1, 0},
                                             {2, -1, 0},
                                             {2, +3, 0},
                                             {2, -3, 0},
                                             {3, +1, 0},
                                             {3, -1, 0},
                                             {3, +3, 0},
                                             {3, -3, 0}}};
  using Codes = LinkCodeChoices<LinkCodes<FullLinks>>;
  static constexpr double factor(bool) { return 1.0; }
  static constexpr double weight(int) { return 1.0; }

  template <class V>
  struct Arithmetic {
    using Vector = ColorVector<V>;
    using Message = ColorVector<V>;
    struct AtSite {};

    KOKKOS_FORCEINLINE_FUNCTION AtSite at(const Site&) const { return {}; }
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> take(const ColorVector<V>& chi, float bias) const {
      ColorVector<V> message;
      for (int color = 0; color < 3; ++color) {
        message.c[color] = {chi.c[color].re - V(bias), chi.c[color].im - V(bias)};
      }
      return message;
    }
    template <int leg, bool scaled>
    KOKKOS_FORCEINLINE_FUNCTION void give(ColorVector<V>& sum, const ColorVector<V>& message, int, int color,
                                          const V& scale, AtSite) const {
      V weight(legs[leg].step > 0 ? 1 : -1);
      if constexpr (scaled) weight = weight * scale;
      sum.c[color] += weight * message.c[color];
    }
    template <int leg>
    KOKKOS_FORCEINLINE_FUNCTION void after(ColorVector<V>&) const {}
  };
  template <class V>
  Arithmetic<V> arithmetic(bool) const {
    return {};
  }

  template <class T, class Code, int N>
  static constexpr unsigned teams_per_multiprocessor = 4;
  template <class T, class Code, int N>
  static constexpr int legs_ahead = 1;
  template <class T, bool decodes>
  static constexpr bool sums_in_registers = true;
  static constexpr bool antisymmetric = false;
  template <class V>
  static constexpr int together = 2;
};

}  // namespace kaon::detail

namespace kaon::test {
namespace KAON_TEST_FILE {

using Values = std::vector<std::complex<double>>;

/// D chi on all sites; `phase`: exp(i theta_mu).
Values slow_long(const Values& links, const Values& chi, const Coordinates& extents,
                 const std::array<std::complex<double>, 4>& phase) {
  Values out(chi.size(), 0.0);
  const std::ptrdiff_t volume = static_cast<std::ptrdiff_t>(chi.size()) / 3;
  for (std::ptrdiff_t site = 0; site < volume; ++site) {
    const Coordinates x = lexicographic_site(site, extents);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (const int step : {1, -1, 3, -3}) {
        Coordinates y = x;
        y[mu] += step;
        std::complex<double> crossed = 1.0;
        if (y[mu] >= extents[mu]) crossed = phase[mu];
        if (y[mu] < 0) crossed = std::conj(phase[mu]);
        y[mu] = (y[mu] + extents[mu]) % extents[mu];
        const std::ptrdiff_t to = lexicographic_index(y, extents);
        const std::complex<double>* u =
            links.data() + (4 * (step > 0 ? site : to) + static_cast<std::ptrdiff_t>(mu)) * 9;
        for (int row = 0; row < 3; ++row) {
          for (int column = 0; column < 3; ++column) {
            const std::complex<double> value = chi[static_cast<std::size_t>(3 * to + column)];
            out[static_cast<std::size_t>(3 * site + row)] +=
                step > 0 ? crossed * u[3 * row + column] * value : -crossed * std::conj(u[3 * column + row]) * value;
          }
        }
      }
    }
  }
  return out;
}

template <class T>
class LongStencils : public ::testing::Test {};
using Stored = ::testing::Types<double, half>;
TYPED_TEST_SUITE(LongStencils, Stored);

TYPED_TEST(LongStencils, EqualLoopsWithAndWithoutHalos) {
  using T = TypeParam;
  const BoundaryAngles boundary{0.3, -0.7, 1.1, 2.5};
  std::array<std::complex<double>, 4> phase;
  for (std::size_t mu = 0; mu < 4; ++mu) phase[mu] = std::polar(1.0, boundary[mu]);
  for (const std::array<bool, 4>& partition :
       {std::array<bool, 4>{}, {true, false, false, false}, {false, false, false, true}, {true, true, true, true}}) {
    for (const Lanes lanes : {Lanes::native, Lanes::single}) {
      const Lattice lattice({.extents = {8, 8, 4, 8}, .partition = partition, .lanes = lanes, .reach = 3});
      const GaugeField<T> links(rough_links<double>(lattice), LinkStorage::full);
      const detail::Hopping<T, detail::LongStencil> hopping(links, {}, boundary, HaloPrecision::field);
      const SpinorField<T> chi = gaussian_colors<T>(lattice, 3);
      SpinorField<T> out(lattice, chi.parameters());
      for (const Parity parity : {Parity::even, Parity::odd}) {
        SpinorField<T> out_p = out.parity(parity);
        detail::apply_stencil<detail::LinkCodes<detail::FullLinks>>(hopping, out_p, chi.parity(opposite(parity)),
                                                                    HopForm<T>{}, detail::NoSiteTerm{});
      }
      for (int k = 0; k < 3; ++k) {
        const Values expected = slow_long(links.to_host(), chi.to_host(k), lattice.extents(), phase);
        const Values found = out.to_host(k);
        double difference = 0.0, size = 0.0;
        for (std::size_t n = 0; n < found.size(); ++n) {
          difference = larger(difference, std::abs(found[n] - expected[n]));
          size = std::max(size, std::abs(expected[n]));
        }
        // 16 legs of rounded links, and in 16 bits messages and sums that are rounded too.
        EXPECT_LT(difference, 30.0 * detail::spacing<T>() * size);
      }
    }
  }
}

TEST(LongStencil, NeedsALatticeOfItsReach) {
  const Lattice lattice({.extents = {8, 8, 8, 8}});
  const GaugeField<double> links = rough_links<double>(lattice);
  KAON_EXPECT_ERROR((detail::Hopping<double, detail::LongStencil>(links, {}, periodic, HaloPrecision::field)),
                    "make the lattice with reach = 3");
  KAON_EXPECT_ERROR(Lattice({.extents = {8, 8, 2, 8}, .reach = 3}), "too narrow for operators that reach 3");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
