// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/known_answers/propagators.hpp"
#include "tests/reference/gamma.hpp"

#include <kaon/measure/contractions.hpp>
#include <kaon/measure/sequential.hpp>
#include <kaon/operators/dirichlet.hpp>

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
        at_sink(test::solve(dirac, test::smeared_sources(links, site), test::even_odd_bicgstab)) {
    smear(at_sink);
  }
  void smear(SpinorField<double>& field) const { gaussian_smear(field, links, {.width = 2.0, .steps = 5}); }
  /// |Q|^2 at each time of the lattice.
  std::vector<double> norm2(SpinorField<double>& eta) const {
    smear(eta);
    return pion_correlator(test::solve(dirac, eta, test::even_odd_bicgstab));
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

/// The projectors and diquarks of Chroma's nucleons by the words of its names.
struct Nucleon {
  SpinMatrix projector, unpolarized, diquark;

  explicit Nucleon(const std::string& name) {
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    const int parity = has("NEGPAR") ? -1 : 1;
    const SpinMatrix polarized = polarization_projector(parity, 2);
    unpolarized = parity_projector(parity);
    projector = has("UNPOL") ? unpolarized : polarized;
    if (has("MIXED")) {
      for (std::size_t n = 0; n < 16; ++n) {
        projector[n / 4][n % 4] = unpolarized[n / 4][n % 4] + double(parity) * polarized[n / 4][n % 4];
      }
    }
    diquark = gamma_product(5);
    if (has("NONREL")) diquark = diquark * parity_projector(parity);
  }
};

TEST(SequentialPropagators, OfNucleonsAreChromas) {
  KAON_TEST_DATA_FILE(path, "weak_field/weak_field.lime");
  KAON_TEST_DATA_FILE(output, "measure/seqsource-baryon.out.xml");
  const Propagators s(path);
  const SpinorField<double>* quarks[] = {&s.at_sink, &s.at_sink};
  int count = 0;
  for (const Answer& answer : answers_of(output)) {
    SCOPED_TRACE(answer.name);
    if (!answer.name.starts_with("NUCL_")) continue;  // Chroma's Delta has no conjugate operator at its source
    const int quark = answer.name[5] == 'U' ? 0 : 1;
    const Nucleon with(answer.name);
    const BaryonOperator nucleon{{{1.0, {0, 1, 0}}}, with.diquark};
    SpinorField<double> eta(s.links.lattice(), {.right_hand_sides = 12});
    // The momentum of Chroma's sequential source has the other sign than that of its two-point function.
    SequentialParameters turned = at;
    turned.momentum = {1, 0, 0};
    set_baryon_sequential_source<double>(eta, nucleon, nucleon, quarks, quark, with.projector, turned);
    expect_near(s.norm2(eta), answer.norm2);
    BaryonParameters parameters;
    parameters.source_site = site;
    parameters.momenta = {at.momentum};
    const SpatialSums sums = baryon_spin_sums<double>(nucleon, nucleon, quarks, parameters);
    const double of_quark = quark == 0 ? 2.0 : 1.0;
    const Complex found = of_quark * baryon_correlator(sums, with.projector)[0];
    // Contributions of both spins nearly cancel in polarised two-point functions, and leave their rounding.
    const double size = of_quark * std::abs(baryon_correlator(sums, with.unpolarized)[0]);
    EXPECT_LT(std::abs(found - answer.two_point), of_the_field * size) << found << " " << answer.two_point;
    ++count;
  }
  EXPECT_EQ(count, 12);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
