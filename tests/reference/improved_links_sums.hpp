// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "improved_links.hpp"

#include <gtest/gtest.h>

#include <span>

// Sums over improved links of two of MILC's sample fields, by an independent program. Links are reunitarised before.
namespace kaon::reference {

inline double norm2_of(const Links& links) {
  double sum = 0.0;
  for (const Complex& element : links) sum += std::norm(element);
  return sum;
}

inline double largest_number(const Links& links) {
  double largest = 0.0;
  for (const Complex& element : links)
    largest = std::max({largest, std::abs(element.real()), std::abs(element.imag())});
  return largest;
}

inline Links scaled(Complex factor, Links links) {
  for (Complex& element : links) element *= factor;
  return links;
}

/// a + factor b
inline Links add_links(const Links& a, Complex factor, const Links& b) {
  Links result = a;
  for (std::size_t k = 0; k < result.size(); ++k) result[k] += factor * b[k];
  return result;
}

/// |a - b| / |b|
inline double relative_distance(const Links& a, const Links& b) {
  return std::sqrt(norm2_of(add_links(a, -1.0, b)) / norm2_of(b));
}

/// Links of each step, without phases; long links with their weight. asqtad with u0 = 0.87; HISQ's with epsilon = 0,
/// and fat ones with epsilon = -0.1.
struct ImprovedLinksSteps {
  Links asqtad_fat, asqtad_long, v, w, hisq_fat, hisq_long, charm_fat;
};

/// Over all links: |.|^2, Re Tr, and the largest real or imaginary part.
struct LinkSums {
  double norm2, real_trace, largest;
};

struct ImprovedLinksSums {
  const char* file;  ///< among the reference data
  Coordinates extents;
  double plaquette;
  LinkSums asqtad_fat, asqtad_long, v, w;
  double sum_of_phases;  ///< arg det W
  LinkSums hisq_fat, hisq_long, charm_fat;
};

inline std::span<const ImprovedLinksSums> improved_links_sums() {
  static const ImprovedLinksSums sums[] = {{"milc/lat.sample.l4444",
                                            {4, 4, 4, 4},
                                            0.594850153902,
                                            {3649.833391752103, 2282.827139237195, 1.297576687},
                                            {9.309400563450, -67.358815236602, 0.054402971},
                                            {1185.180012561687, 1347.556963420300, 0.700292669},
                                            {3072.0, 2188.434289260630, 0.998799927},
                                            -2.782128449753,
                                            {3891.272455787089, 2459.124923183913, 1.139986279},
                                            {5.333333333333, -80.609353064064, 0.041240543},
                                            {3805.859839382808, 2431.769494568156, 1.127703538}},
                                           {"staggered/lat.sample.l6666.hisq",
                                            {6, 6, 6, 6},
                                            0.616691015135,
                                            {19458.378913704913, 3089.174449367914, 1.339327975},
                                            {47.128840352467, -51.644938031961, 0.054619004},
                                            {6228.348484670782, 1801.322515899400, 0.714496938},
                                            {15552.0, 2871.855435145536, 0.994530034},
                                            -9.386377038502,
                                            {20280.509331719240, 3251.829816121470, 1.184030874},
                                            {27.0, -64.214775896114, 0.041312559},
                                            {19841.155853646436, 3215.931623182151, 1.171599249}}};
  return sums;
}

inline void expect_sums(const Links& links, const LinkSums& expected, const char* name) {
  const double real_trace = 3.0 * link_trace(links) * static_cast<double>(links.size() / 9);
  EXPECT_NEAR(norm2_of(links) / expected.norm2, 1.0, 1e-12) << name;
  EXPECT_NEAR(real_trace / expected.real_trace, 1.0, 1e-12) << name;
  EXPECT_NEAR(largest_number(links), expected.largest, 1e-9) << name;
}

inline void expect_sums(const ImprovedLinksSteps& links, const ImprovedLinksSums& expected) {
  expect_sums(links.asqtad_fat, expected.asqtad_fat, "asqtad's fat links");
  expect_sums(links.asqtad_long, expected.asqtad_long, "asqtad's long links");
  expect_sums(links.v, expected.v, "V");
  expect_sums(links.w, expected.w, "W");
  expect_sums(links.hisq_fat, expected.hisq_fat, "HISQ's fat links");
  expect_sums(links.hisq_long, expected.hisq_long, "HISQ's long links");
  expect_sums(links.charm_fat, expected.charm_fat, "HISQ's fat links with epsilon = -0.1");
  double sum_of_phases = 0.0;
  transform_each_link(links.w, [&](const ColorMatrix& link) {
    sum_of_phases += std::arg(determinant(link));
    return link;
  });
  EXPECT_NEAR(sum_of_phases, expected.sum_of_phases, 1e-11);
}

}  // namespace kaon::reference
