// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/gamma.hpp"

#include <kaon/measure/contractions.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/operators/dirichlet.hpp>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// Sequential propagators of Chroma's regression tests on the weak field: Wilson quarks, kappa = 0.11, Dirichlet in
// time, Gaussian source at t = 6 and sinks at the same time. Our weak field has been rounded to single precision in
// another way: its plaquette differs in the seventh digit.
namespace kaon {
namespace KAON_TEST_FILE {

using reference::Complex;
using reference::operator*;

constexpr Coordinates site{0, 0, 0, 6};
constexpr double of_the_field = 2e-6;

/// A sequential propagator in Chroma's output.
struct Answer {
  std::string name;
  int gamma;                  ///< at the source of a meson
  std::vector<double> norm2;  ///< sum of squares at each time
  Complex two_point;          ///< of the hadron at the sink
};

std::vector<Answer> answers_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<Answer> answers;
  std::size_t place = 0;
  const auto after = [&](const char* mark) {
    place = text.find(mark, place) + std::string(mark).size();
    return text.c_str() + place;
  };
  while (text.find("<seqprop_corr>", place) != std::string::npos) {
    Answer& answer = answers.emplace_back();
    char* next = const_cast<char*>(after("<seqprop_corr>"));
    for (int t = 0; t < 8; ++t) answer.norm2.push_back(std::strtod(next, &next));
    const char* const name = after("<seq_src>");
    answer.name = std::string(name, text.find('<', place) - place);
    answer.gamma = std::atoi(after("<gamma_insertion>"));
    after("<twopt_sink>");
    const double re = std::strtod(after("<re>"), nullptr);
    answer.two_point = {re, std::strtod(after("<im>"), nullptr)};
  }
  return answers;
}

/// Propagators from the source, as they are and with the sink smeared.
struct Propagators {
  GaugeField<double> links;
  Wilson<double> dirac;
  SpinorField<double> at_sink;

  explicit Propagators(const std::filesystem::path& path)
      : links(io::read_gauge<double>(Lattice({.extents = {4, 4, 4, 8}}), path)),
        dirac(links, {.mass = mass_from_kappa(0.11), .boundary = dirichlet_in_time}),
        at_sink(test::solve(dirac, test::smeared_sources(links, site))) {
    smear(at_sink);
  }
  void smear(SpinorField<double>& field) const { gaussian_smear(field, links, {.width = 2.0, .steps = 5}); }
  /// |Q|^2 at each time of the lattice.
  std::vector<double> norm2(SpinorField<double>& eta) const {
    smear(eta);
    return pion_correlator(test::solve(dirac, eta));
  }
};

// Chroma's momentum (1, 0, 0) is kaon's (-1, 0, 0).
const SequentialParameters at{.source_site = site, .time = 0, .momentum = {-1, 0, 0}, .time_boundary = dirichlet};

// Chroma solves in single precision, to 1e-12 by its own count, which leaves 1e-7 of the largest numbers.
void expect_near(const std::vector<double>& found, const std::vector<double>& chroma) {
  for (std::size_t t = 0; t < 8; ++t) EXPECT_NEAR(found[t] / chroma[t], 1.0, 10.0 * of_the_field) << t;
}

void expect_near(Complex found, Complex chroma) {
  EXPECT_LT(std::abs(found - chroma), of_the_field * std::abs(chroma)) << found << " " << chroma;
}

TEST(SequentialPropagators, OfMesonsAreChromas) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  KAON_TEST_DATA_FILE(output, "measure/seqsource-meson.out.xml");
  const Propagators s(path);
  const SpatialSums w = meson_spin_sums(s.at_sink, s.at_sink, {.source_site = site, .momenta = {at.momentum}});
  const SpinMatrix g5 = gamma_product(15);
  int sink = 0;  // Chroma's sinks are in the order of its gamma matrices
  for (const Answer& answer : answers_of(output)) {
    SCOPED_TRACE(answer.name);
    if (answer.name == "pion_1-pion_1") continue;  // another order of the same factors
    SpinorField<double> eta(s.links.lattice(), {.right_hand_sides = 12});
    set_meson_sequential_source(eta, s.at_sink, gamma_product(sink), at);
    expect_near(s.norm2(eta), answer.norm2);
    expect_near(meson_traces(w, g5 * gamma_product(sink), gamma_product(answer.gamma) * g5)[0], answer.two_point);
    ++sink;
  }
  EXPECT_EQ(sink, 16);
}

/// A baryon of Chroma by the words of its name.
struct Baryon {
  SpinMatrix projector, unpolarized;
  BaryonOperator sink, source;

  explicit Baryon(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    const bool is_generic = has("NUCL-NUCL");  // its input names projector and diquark
    const int parity = has("NEGPAR") || is_generic ? -1 : 1;
    const SpinMatrix polarized = polarization_projector(parity, 2);
    unpolarized = parity_projector(parity);
    projector = has("UNPOL") ? unpolarized : polarized;
    if (has("MIXED") || is_generic) projector = sum(1.0, unpolarized, parity, polarized);
    sink = {{{1.0, {0, 1, 0}}}, gamma_product(5)};
    if (has("NONREL")) sink.diquark = gamma_product(5) * parity_projector(parity);
    if (is_generic) sink.diquark = gamma_product(3);
    if (has("DELTA")) {
      // Half of the contractions of 2 (u G d) u + (u G u) d, with G = C (g_y + i g_x)/2.
      const double unit = std::sqrt(0.5);
      sink = {{{2.0 * unit, {0, 1, 0}}, {unit, {0, 0, 1}}},
              gamma_product(10) * sum(0.5, gamma_product(2), {0.0, 0.5}, gamma_product(1))};
    }
    source = sink;
    // Chroma has G itself at the source, not the diquark of the conjugate operator, g_t G^* g_t.
    source.diquark = gamma_product(8) * sink.diquark * gamma_product(8);
    for (auto& row : source.diquark) {
      for (Complex& entry : row) entry = std::conj(entry);
    }
  }

 private:
  static SpinMatrix sum(Complex a, const SpinMatrix& one, Complex b, const SpinMatrix& other) {
    SpinMatrix result;
    for (std::size_t n = 0; n < 16; ++n) result[n / 4][n % 4] = a * one[n / 4][n % 4] + b * other[n / 4][n % 4];
    return result;
  }
};

TEST(SequentialPropagators, OfBaryonsAreChromas) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  KAON_TEST_DATA_FILE(output, "measure/seqsource-baryon.out.xml");
  const Propagators s(path);
  const SpinorField<double>* quarks[] = {&s.at_sink, &s.at_sink};
  int count = 0;
  for (const Answer& answer : answers_of(output)) {
    SCOPED_TRACE(answer.name);
    const int quark = (answer.name + "_").find("_U_") != std::string::npos ? 0 : 1;
    const Baryon baryon(answer.name);
    SpinorField<double> eta(s.links.lattice(), {.right_hand_sides = 12});
    // The momentum of Chroma's sequential source has the other sign than that of its two-point function.
    SequentialParameters turned = at;
    turned.momentum = {1, 0, 0};
    set_baryon_sequential_source<double>(eta, baryon.sink, baryon.source, quarks, quark, baryon.projector, turned);
    // Chroma's source of u takes the diquark as antisymmetric. If that is symmetric, it is no derivative of the
    // two-point function: closed at the source it is -4e-9, and the two-point function is -0.06.
    if (answer.name != "NUCL-NUCL_U") expect_near(s.norm2(eta), answer.norm2);
    BaryonParameters parameters;
    parameters.source_site = site;
    parameters.momenta = {at.momentum};
    const SpatialSums sums = baryon_spin_sums<double>(baryon.sink, baryon.source, quarks, parameters);
    const double of_quark = quark == 0 ? 2.0 : 1.0;
    const Complex found = of_quark * baryon_correlator(sums, baryon.projector)[0];
    // Contributions of both spins nearly cancel in polarised two-point functions, and leave their rounding.
    const double size = of_quark * std::abs(baryon_correlator(sums, baryon.unpolarized)[0]);
    EXPECT_LT(std::abs(found - answer.two_point), of_the_field * size) << found << " " << answer.two_point;
    ++count;
  }
  EXPECT_EQ(count, 16);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
