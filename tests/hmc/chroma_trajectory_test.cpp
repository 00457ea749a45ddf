// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/gauge/initial_links.hpp"
#include "tests/reference/gauge.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/hmc/integrator.hpp>
#include <kaon/hmc/smeared_term.hpp>
#include <kaon/operators/fermion_force.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/krylov.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

// A trajectory of Chroma with stout-smeared clover quarks and its own random numbers: tests/t_leapfrog,
// t_leapfrog.seoprec_2flav of JeffersonLab/chroma 91c587d8b, in double, from unit links.

namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr Coordinates extents{4, 4, 4, 8};

/// QDP++'s generator (lib/qdp_random.cc and include/qdp_random.h of usqcd-software/qdpxx d8232616): s <- a s mod 2^47,
/// where each site starts at a power of a, and all sites advance by a^(volume + 1).
class QdpRandom {
 public:
  QdpRandom() : volume_(extents[0] * extents[1] * extents[2] * extents[3]), stride_(power(multiplier, volume_ + 1)) {}

  /// Complex normal numbers of variance 1 in each part, `count` on each site on which `chosen` is true; 0 on others.
  template <class Chosen>
  std::vector<reference::Complex> normal(int count, const Chosen& chosen) {
    std::vector<reference::Complex> first = uniform(count, chosen), second = uniform(count, chosen);
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first[k] == 0.0) continue;
      constexpr double two_pi = 6.283185307;  // so many digits
      first[k] = std::polar(std::sqrt(-2.0 * std::log(first[k].real())), two_pi * second[k].real());
    }
    return first;
  }

 private:
  static constexpr std::uint64_t modulus_bits = 47;
  static constexpr std::uint64_t multiplier = ((1222ull << 12 | 1498) << 12 | 712) << 12 | 1645;

  static std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a * b & ((1ull << modulus_bits) - 1); }
  static std::uint64_t power(std::uint64_t a, int n) {
    std::uint64_t result = 1;
    for (int k = 0; k < n; ++k) result = product(result, a);
    return result;
  }

  /// s/2^47 by four digits of 12 bits, with the rounding of single precision at each.
  static double in_single(std::uint64_t s) {
    float sum = 0.0f;
    for (std::uint64_t shift = 0; shift < modulus_bits; shift += 12) {
      const float digit = static_cast<float>(s >> shift & 4095) + sum;
      sum = (shift == 36 ? 1.0f / 2048.0f : 1.0f / 4096.0f) * digit;
    }
    return sum;
  }

  template <class Chosen>
  std::vector<reference::Complex> uniform(int count, const Chosen& chosen) {
    std::vector<reference::Complex> numbers;
    int site = 0;
    reference::for_each_site(extents, [&](const Coordinates& x) {
      std::uint64_t skewed = product(seed_, power(multiplier, ++site));
      const auto next = [&] {
        const double number = in_single(skewed);
        skewed = product(skewed, stride_);
        return number;
      };
      for (int k = 0; k < count; ++k) {
        if (!chosen(x)) {
          numbers.emplace_back(0.0);
          continue;
        }
        const double re = next(), im = next();
        numbers.emplace_back(re, im);
      }
    });
    for (int k = 0; k < 2 * count; ++k) seed_ = product(seed_, stride_);
    return numbers;
  }

  int volume_;
  std::uint64_t stride_, seed_ = 11;
};

/// Two flavours by the symmetric Schur complement on the odd sites, without the determinants of the clover term:
///
///   S = <phi, (M^dag M)^-1 phi>,   M = 1 - A_o^-1 K_oe A_e^-1 K_eo = A_o^-1 N.
class SymmetricAction final : public ActionTerm {
 public:
  explicit SymmetricAction(SpinorField<double> noise) : noise_(std::move(noise)) {}

  std::string name() const override { return "two flavours by the symmetric Schur complement"; }
  double draw(const GaugeField<double>& links, const RandomKey&) override {
    phi_.emplace(noise_.lattice(), noise_.parameters());
    const WilsonClover<double> dirac = on(links);
    complement(dirac).apply_dagger(*phi_, noise_);
    return blas::norm2(noise_)[0];
  }
  double value(const GaugeField<double>& links) override {
    const WilsonClover<double> dirac = on(links);
    return blas::inner_product(*phi_, solved(dirac))[0].real();
  }
  /// dS = -2 Re <Y, dM X> = -2 Re <A^-1 Y, dN X> + 2 Re <A^-1 Y, dA Y> with X = (M^dag M)^-1 phi and Y = M X.
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override {
    const WilsonClover<double> dirac = on(links);
    const SpinorField<double> x = solved(dirac);
    SpinorField<double> y = dirac.make_field(1), left = dirac.make_field(1);  // zero on even sites
    SpinorField<double> odd_y = y.parity(Parity::odd), odd_left = left.parity(Parity::odd);
    complement(dirac).apply(odd_y, x);
    dirac.apply_site_term(odd_left, odd_y, SiteTerm::inverse, false);
    blas::scale(odd_left, 2.0);
    add_product_force(matrices, dirac, y, left);
    blas::scale(odd_left, -1.0);
    add_product_force(matrices, dirac, x, odd_left);
  }

 private:
  static WilsonClover<double> on(const GaugeField<double>& links) {
    return WilsonClover<double>(links, {.mass = 0.05, .csw = 1.0, .boundary = antiperiodic_in_time});
  }
  static Schur<double> complement(const WilsonClover<double>& dirac) {
    return Schur<double>(dirac, {.form = SchurForm::symmetric, .parity = Parity::odd});
  }
  /// (M^dag M)^-1 phi
  SpinorField<double> solved(const WilsonClover<double>& dirac) const {
    SpinorField<double> x(phi_->lattice(), phi_->parameters());
    require_converged(Cg<double>(NormalOperator<double>(complement(dirac)), {.tolerance = 1e-13}).solve(x, *phi_));
    return x;
  }

  SpinorField<double> noise_;
  std::optional<SpinorField<double>> phi_;
};

TEST(ChromaTrajectory, OfStoutSmearedCloverQuarks) {
  const Lattice lattice({.extents = extents});
  QdpRandom random;
  // Chroma's P has kinetic energy sum |P|^2: kaon's is sqrt(2) times as large, and its time shorter by that factor.
  const auto everywhere = [](const Coordinates&) { return true; };
  std::vector<reference::Links> of_direction;
  for (int mu = 0; mu < 4; ++mu) of_direction.push_back(random.normal(9, everywhere));
  reference::Links numbers;
  for (std::size_t site = 0; site < of_direction[0].size(); site += 9) {
    for (const reference::Links& of : of_direction) {
      numbers.insert(numbers.end(), of.begin() + static_cast<std::ptrdiff_t>(site),
                     of.begin() + static_cast<std::ptrdiff_t>(site) + 9);
    }
  }
  GaugeField<double> links = unit_links<double>(lattice), momenta(lattice), matrices(lattice);
  matrices.from_host(numbers);
  kick_momenta(momenta, matrices, 1.0);

  SpinorField<double> noise(lattice, SpinorParameters{});
  reference::Spinor values =
      random.normal(12, [](const Coordinates& x) { return (x[0] + x[1] + x[2] + x[3]) % 2 == 1; });
  for (auto& value : values) value *= std::numbers::sqrt2 / 2.0;
  noise.from_host(values);
  const auto quarks = std::make_shared<SymmetricAction>(noise.parity(Parity::odd));
  const std::vector<TimeScale> scales{
      {smeared_terms({quarks}, {.rho = {0.125, 0.125, 0.125, 0.125}, .levels = 1}), 8, Integrator::omelyan}};
  ActionTerm& action = *scales[0].terms[0];

  const double kinetic = kinetic_energy(momenta), drawn = action.draw(links, {});
  constexpr double constant = 12.0 * 256.0;  // Chroma's S is less that
  EXPECT_NEAR(kinetic, 71.0251442444115, 1e-9);
  EXPECT_NEAR(action.value(links) - constant, -12.0611805548788, 1e-9);
  EXPECT_NEAR(drawn, action.value(links), 1e-9);
  integrate(links, momenta, scales, 1.0 / std::numbers::sqrt2);
  const double of_momenta = kinetic_energy(momenta) - kinetic, of_quarks = action.value(links) - drawn;
  EXPECT_NEAR(of_momenta, -268.945620739056, 1e-8);
  EXPECT_NEAR(of_quarks, 268.867868443299, 1e-8);
  EXPECT_NEAR(of_momenta + of_quarks, -0.0777522957573638, 1e-9);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
