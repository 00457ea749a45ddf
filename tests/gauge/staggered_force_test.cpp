// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/reference/staggered_force.hpp"
#include "tests/gauge/force_of.hpp"
#include "tests/gauge/improved_cases.hpp"
#include "tests/support/error_text.hpp"

#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/momenta.hpp>
#include <kaon/gauge/staggered_force.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <cmath>

namespace kaon::test {
namespace KAON_TEST_FILE {

using reference::Complex;
using reference::operator*;
using reference::operator+;

/// Error of differences of the fourth order, relative to |P| |F|.
constexpr double difference_error = 1e-11;

const Coordinates force_extents[] = {{4, 6, 4, 4}, {8, 4, 4, 4}};

/// In native lanes and in one.
std::vector<Lattice> lattices_of(const Coordinates& extents) {
  return {Lattice({.extents = extents}), Lattice({.extents = extents, .lanes = Lanes::single})};
}

std::vector<reference::ColorField> random_vectors(const Coordinates& extents, int count) {
  std::mt19937_64 generator(3);
  std::vector<reference::ColorField> vectors;
  for (int k = 0; k < count; ++k) vectors.push_back(reference::random_color_field(extents, generator));
  return vectors;
}

SpinorField<double> field_of(const Lattice& lattice, std::span<const reference::ColorField> vectors) {
  SpinorField<double> field(lattice, {.spins = 1, .right_hand_sides = static_cast<int>(vectors.size())});
  for (std::size_t k = 0; k < vectors.size(); ++k) field.from_host(vectors[k], static_cast<int>(k));
  return field;
}

double norm(const reference::Links& links) { return std::sqrt(reference::norm2(links)); }

/// The derivative of an action along a direction in which all links change is the work of the force.
class Derivative {
 public:
  Derivative(const std::function<double(const reference::Links&)>& action, const reference::Links& links,
             const Coordinates& extents) {
    std::mt19937_64 generator(8);
    direction_ = reference::random_momenta(extents, generator);
    value_ = reference::derivative_along(action, links, direction_);
  }
  void expect_work_of(const reference::Links& force) const {
    EXPECT_NEAR(reference::work(direction_, force), value_, difference_error * norm(direction_) * norm(force));
  }

 private:
  reference::Links direction_;
  double value_;
};

// Each kind of path alone, and asqtad's together; antiperiodic and periodic.
TEST(StaggeredForce, IsTheDerivativeOfItsAction) {
  struct Case {
    PathCoefficients paths;
    reference::PathCoefficients reference;
  };
  const Case cases[] = {{{.one_link = 1.0}, {.one_link = 1.0}},
                        {{.one_link = 0.0, .third = -0.3}, {.one_link = 0.0}},
                        {{.one_link = 0.0, .three_staple = 0.2}, {.one_link = 0.0, .three_staple = 0.2}},
                        {{.one_link = 0.0, .five_staple = 0.2}, {.one_link = 0.0, .five_staple = 0.2}},
                        {{.one_link = 0.0, .seven_staple = 0.2}, {.one_link = 0.0, .seven_staple = 0.2}},
                        {{.one_link = 0.0, .lepage = 0.2}, {.one_link = 0.0, .lepage = 0.2}},
                        {asqtad_coefficients(0.87), reference::asqtad_paths(0.87)}};
  const double residue[] = {0.7};
  for (const Coordinates& extents : force_extents) {
    const auto vectors = random_vectors(extents, 1);
    const bool antiperiodic = extents[0] == 4;
    for (const Case& of : cases) {
      if (!antiperiodic && &of != &cases[1] && &of != &cases[6]) continue;  // the third links, and all together
      SCOPED_TRACE(testing::Message() << "case " << &of - cases);
      const Derivative derivative(
          [&](const reference::Links& u) {
            return reference::one_level_action(u, of.reference, of.paths.third, {{vectors[0], residue[0]}}, extents,
                                               antiperiodic);
          },
          random_links(Lattice({.extents = extents})).to_host(), extents);
      for (const Lattice& lattice : lattices_of(extents)) {
        const SpinorField<double> x = field_of(lattice, vectors);
        const reference::Links force = force_of(staggered_force(
            random_links(lattice), of.paths, {.vectors = x, .residues = residue}, {.antiperiodic = antiperiodic}));
        EXPECT_GT(norm(force), 1.0);
        derivative.expect_work_of(force);
      }
    }
  }
}

// Two light quarks and one with a Naik epsilon.
TEST(HisqForce, IsTheDerivativeOfItsAction) {
  const double of_light[] = {0.7, -0.2}, of_charm[] = {0.4};
  for (const Coordinates& extents : force_extents) {
    const auto vectors = random_vectors(extents, 3);
    const std::vector<reference::ForceTerm> expected{{vectors[0], 0.7}, {vectors[1], -0.2}, {vectors[2], 0.4, -0.3}};
    const bool antiperiodic = extents[0] == 4;
    const Derivative derivative(
        [&](const reference::Links& u) { return reference::hisq_action(u, expected, extents, antiperiodic); },
        weak_links(Lattice({.extents = extents})).to_host(), extents);
    for (const Lattice& lattice : lattices_of(extents)) {
      const SpinorField<double> light = field_of(lattice, std::span(vectors).first(2)),
                                charm = field_of(lattice, std::span(vectors).last(1));
      const StaggeredForceTerm terms[] = {{.vectors = light, .residues = of_light},
                                          {.vectors = charm, .residues = of_charm, .naik_epsilon = -0.3}};
      const GaugeField<double> links = weak_links(lattice);
      derivative.expect_work_of(force_of(hisq_force(links, terms, {.antiperiodic = antiperiodic})));
    }
  }
}

// More vectors than go at a time, and numbers of them that leave columns empty; extents of 2 too.
TEST(OuterProducts, AreSumsOverVectors) {
  for (const Lattice& lattice : test_lattices()) {
    const Coordinates& extents = lattice.extents();
    const auto vectors = random_vectors(extents, 14);
    for (const std::size_t count : {1u, 5u, 14u}) {
      const auto some = std::span(vectors).first(count);
      std::vector<double> of_one, of_third;
      for (std::size_t k = 0; k < count; ++k) {
        of_one.push_back(1.0 / static_cast<double>(k + 1));
        of_third.push_back(0.1 * static_cast<double>(k) - 0.3);
      }
      GaugeField<double> one(lattice), third(lattice);
      add_outer_products(one, third, field_of(lattice, some), of_one, of_third);
      reference::Links expected_one(one.to_host().size()), expected_third = expected_one;
      reference::for_each_site(extents, [&](const Coordinates& x) {
        const double twice = reference::parity_of(x) == 0 ? 2.0 : -2.0;
        for (int mu = 0; mu < 4; ++mu) {
          const std::size_t first = reference::link_offset(x, mu, extents);
          for (std::size_t r = 0; r < count; ++r) {
            const auto here = reference::color_at(some[r], x, extents);
            const auto next = reference::color_at(some[r], reference::neighbor(x, mu, 1, extents), extents);
            const auto far = reference::color_at(some[r], reference::neighbor(x, mu, 3, extents), extents);
            for (std::size_t k = 0; k < 9; ++k) {
              expected_one[first + k] += twice * of_one[r] * here[k / 3] * std::conj(next[k % 3]);
              expected_third[first + k] += twice * of_third[r] * here[k / 3] * std::conj(far[k % 3]);
            }
          }
        }
      });
      EXPECT_LT(largest_difference(one.to_host(), expected_one), 10.0 * tolerance<double>);
      EXPECT_LT(largest_difference(third.to_host(), expected_third), 10.0 * tolerance<double>);
    }
  }
}

/// V (V^dag V + delta)^(-1/2) by Denman and Beavers' iteration.
reference::ColorMatrix filtered_projection(const reference::ColorMatrix& v, double delta) {
  const Complex half(0.5);
  reference::ColorMatrix y = reference::dagger(v) * v + Complex(delta) * reference::identity_color_matrix();
  reference::ColorMatrix z = reference::identity_color_matrix();
  for (int step = 0; step < 60; ++step) {
    const reference::ColorMatrix next = half * (y + reference::inverse(z));
    z = half * (z + reference::inverse(y));
    y = next;
  }
  return v * z;
}

/// Re tr(a^dag b)
double overlap(const reference::Links& a, const reference::Links& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += std::real(std::conj(a[k]) * b[k]);
  return sum;
}

// Every second link is small: with the filter it is projected otherwise.
TEST(ProjectionGradient, IsTheDerivativeOfTheProjection) {
  constexpr double delta = 1e-3;
  std::mt19937_64 generator(5);
  for (const Lattice& lattice : test_lattices()) {
    reference::Links v = fat_links(weak_links(lattice), fat7_coefficients()).to_host();
    const auto is_small = [](std::size_t element) { return element / 9 % 2 == 1; };
    for (std::size_t k = 0; k < v.size(); ++k) v[k] *= is_small(k) ? 0.01 : 1.0;
    const reference::Links g = reference::random_vector(v.size(), generator);
    const reference::Links direction = reference::random_vector(v.size(), generator);
    GaugeField<double> links(lattice), given(lattice);
    links.from_host(v);
    given.from_host(g);
    for (const double filter : {0.0, delta}) {
      const reference::Links gradient = u3_projection_gradient(links, given, filter).to_host();
      const auto projected = [&](double step) {
        reference::Links w;
        for (std::size_t first = 0; first < v.size(); first += 9) {
          reference::ColorMatrix moved;
          for (std::size_t k = 0; k < 9; ++k)
            moved[k] = v[first + k] + step * (is_small(first) ? 0.01 : 1.0) * direction[first + k];
          const auto result = filtered_projection(moved, is_small(first) ? filter : 0.0);
          w.insert(w.end(), result.begin(), result.end());
        }
        return w;
      };
      constexpr double h = 1e-3;
      const auto difference = [&](double step) { return overlap(g, projected(step)) - overlap(g, projected(-step)); };
      reference::Links scaled = direction;
      for (std::size_t k = 0; k < scaled.size(); ++k) scaled[k] *= is_small(k) ? 0.01 : 1.0;
      EXPECT_NEAR(overlap(gradient, scaled), (8.0 * difference(h) - difference(2.0 * h)) / (12.0 * h),
                  1e-9 * norm(gradient) * norm(scaled));
    }
  }
}

TEST(StaggeredForce, IsGaugeCovariant) {
  const Lattice lattice({.extents = {8, 4, 4, 4}});
  const Coordinates& extents = lattice.extents();
  std::mt19937_64 generator(11);
  const reference::GaugeTransformation g = reference::random_gauge_transformation(extents, generator);
  const GaugeField<double> links = weak_links(lattice);
  GaugeField<double> moved(lattice);
  moved.from_host(reference::transform_links(links.to_host(), g, extents));
  const auto vectors = random_vectors(extents, 1);
  const std::vector<reference::ColorField> transformed{reference::transform_color_field(vectors[0], g, extents)};
  const SpinorField<double> x = field_of(lattice, vectors), y = field_of(lattice, transformed);
  const double one[] = {1.0};
  const StaggeredForceTerm before[] = {{.vectors = x, .residues = one, .naik_epsilon = -0.2}};
  const StaggeredForceTerm after[] = {{.vectors = y, .residues = one, .naik_epsilon = -0.2}};
  EXPECT_LT(largest_difference(hisq_force(moved, after).to_host(),
                               reference::transform_links(hisq_force(links, before).to_host(), g, extents, 0)),
            1e3 * tolerance<double>);
}

// Forces of naive quarks are computed into a field with another meaning.
TEST(OuterProducts, LeaveThirdLinksWithoutWeightsAlone) {
  const Lattice lattice({.extents = {4, 4, 4, 4}});
  const auto vectors = random_vectors(lattice.extents(), 1);
  GaugeField<double> one(lattice), third = random_links(lattice);
  const auto before = third.to_host();
  const double weight[] = {0.7}, none[] = {0.0};
  add_outer_products(one, third, field_of(lattice, vectors), weight, none);
  EXPECT_EQ(third.to_host(), before);
  EXPECT_GT(norm(one.to_host()), 1.0);
}

TEST(StaggeredForce, RefusesWhatDoesNotFit) {
  const Lattice lattice({.extents = {4, 4, 4, 4}}), other({.extents = {4, 4, 4, 8}});
  const GaugeField<double> links = weak_links(lattice);
  const SpinorField<double> x(lattice, {.spins = 1}), far(other, {.spins = 1}), spins(lattice),
      even(lattice, {.spins = 1, .subset = Subset::even});
  const double one[] = {1.0}, two[] = {1.0, 2.0}, bad[] = {std::nan("")};
  const PathCoefficients paths = asqtad_coefficients(0.9);
  KAON_EXPECT_ERROR(staggered_force(links, paths, {.vectors = far, .residues = one}), "must lie on one lattice");
  KAON_EXPECT_ERROR(staggered_force(links, paths, {.vectors = spins, .residues = one}), "not 4 and 3 on both");
  KAON_EXPECT_ERROR(staggered_force(links, paths, {.vectors = even, .residues = one}), "not 1 and 3 on one");
  KAON_EXPECT_ERROR(staggered_force(links, paths, {.vectors = x, .residues = two}), "2 and 2 weights were given for 1");
  KAON_EXPECT_ERROR(staggered_force(links, paths, {.vectors = x, .residues = bad}), "is not finite");
  KAON_EXPECT_ERROR(staggered_force(GaugeField<double>(lattice), paths, {.vectors = x, .residues = one}),
                    "the gradient of Lepage's staple needs unitary links");
  const StaggeredForceTerm term[] = {{.vectors = x, .residues = one}};
  KAON_EXPECT_ERROR(hisq_force(GaugeField<double>(lattice), term), "has no projection to U(3)");
  GaugeField<double> sum(lattice);
  KAON_EXPECT_ERROR(add_fat_links_gradient(sum, links, {.one_link = std::nan("")}, links), "must be finite");
  KAON_EXPECT_ERROR(add_third_links_gradient(sum, links, std::nan(""), links), "the weight nan of third links");
  KAON_EXPECT_ERROR(add_third_links_gradient(sum, links, 1.0, sum), "cannot take the place");
  KAON_EXPECT_ERROR(u3_projection_gradient(links, links, -1.0), "the filter -1");
  KAON_EXPECT_ERROR(u3_projection_gradient(sum, links), "has no projection to U(3)");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
