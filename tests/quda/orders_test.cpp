// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <algorithm>

// Orders of other clients' arrays hold the same fields as QDP's, DIRAC and packed ones.
namespace kaon::test {
namespace KAON_TEST_FILE {

constexpr std::size_t sites = 4 * 4 * 4 * 8;

/// [real, imaginary][number][site] of numbers [site][number].
std::vector<double> planes(const std::vector<Complex>& numbers, const std::function<std::size_t(std::size_t)>& place) {
  const std::size_t count = numbers.size() / sites;
  std::vector<double> result(2 * numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const std::size_t plane = place(k % count);
    result[plane * sites + k / count] = numbers[k].real();
    result[(count + plane) * sites + k / count] = numbers[k].imag();
  }
  return result;
}
std::size_t same_place(std::size_t number) { return number; }
/// [colour][spin] of [spin][colour].
std::size_t color_spin(std::size_t number) { return number % 3 * 4 + number / 3; }

/// Links of QDP-JIT: planes for each direction.
struct JitLinks {
  explicit JitLinks(const QdpLinks& links) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      parts[mu] = planes(links.parts[mu], same_place);
      pointers[mu] = parts[mu].data();
    }
  }
  std::array<std::vector<double>, 4> parts;
  std::array<void*, 4> pointers{};
};

QudaInvertParam jit_param(QudaDslashType type) {
  QudaInvertParam param = invert_param(type);
  param.dirac_order = QUDA_QDPJIT_DIRAC_ORDER;
  param.clover_order = QUDA_QDPJIT_CLOVER_ORDER;
  return param;
}

/// Links that are loaded in this order are saved in QDP's as they are, and come back in their own order.
void expect_there_and_back(QudaGaugeFieldOrder order, const QdpLinks& links, void* loaded, void* saved) {
  QudaGaugeParam param = gauge_param();
  param.gauge_order = order;
  loadGaugeQuda(loaded, &param);
  QdpLinks back(random_links(2));
  param.gauge_order = QUDA_QDP_GAUGE_ORDER;
  saveGaugeQuda(back.pointers(), &param);
  EXPECT_EQ(back.parts, links.parts);
  param.gauge_order = order;
  saveGaugeQuda(saved, &param);
  freeGaugeQuda();
}

TEST(QudaOrders, OfQdpJitLinksAreThoseOfQdp) {
  const QdpLinks links(multiplied(random_links(1), true, 1.0));
  JitLinks jit(links), back(QdpLinks(random_links(3)));
  expect_there_and_back(QUDA_QDPJIT_GAUGE_ORDER, links, jit.pointers.data(), back.pointers.data());
  EXPECT_EQ(back.parts, jit.parts);
}

TEST(QudaOrders, OfCpsLinksAreTransposed) {
  const QdpLinks links(multiplied(random_links(1), true, 1.0));
  std::vector<Complex> cps(4 * links.parts[0].size()), back(cps.size());
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t k = 0; k < links.parts[mu].size(); ++k) {
      const std::size_t row = k / 3 % 3, column = k % 3;
      cps[k / 9 * 36 + 9 * mu + 3 * column + row] = links.parts[mu][k];
    }
  }
  expect_there_and_back(QUDA_CPS_WILSON_GAUGE_ORDER, links, cps.data(), back.data());
  EXPECT_EQ(back, cps);
}

// Fields on both parities, and Chroma's solves on the odd sites of whole arrays.
TEST(QudaOrders, OfQdpJitSpinorsAreColorSpinPlanes) {
  const Loaded loaded(random_links(1), QUDA_WILSON_DSLASH);
  const std::vector<Complex> in = random_field(12, 2);
  std::vector<double> jit_in = planes(in, color_spin);
  for (const bool one_parity : {false, true}) {
    QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH), jit = jit_param(QUDA_WILSON_DSLASH);
    for (QudaInvertParam* each : {&param, &jit}) {
      each->solution_type = one_parity ? QUDA_MATPC_SOLUTION : QUDA_MAT_SOLUTION;
      each->matpc_type = QUDA_MATPC_ODD_ODD;
    }
    std::vector<Complex> source = in, out(in.size());
    const std::size_t first = one_parity ? out.size() / 2 : 0;
    std::vector<double> jit_out(jit_in.size());
    MatQuda(out.data() + first, source.data() + first, &param);
    MatQuda(jit_out.data(), jit_in.data(), &jit);
    EXPECT_EQ(jit_out, planes(out, color_spin));  // even sites remain zero
    std::fill(out.begin(), out.end(), 0.0);
    std::fill(jit_out.begin(), jit_out.end(), 0.0);
    invertQuda(out.data() + first, source.data() + first, &param);
    invertQuda(jit_out.data(), jit_in.data(), &jit);
    EXPECT_EQ(jit_out, planes(out, color_spin));
  }
}

// The diagonal in one array, and the elements below it in another, row by row.
TEST(QudaOrders, OfQdpJitCloverTermsAreTwoArrays) {
  const Loaded loaded(random_links(1), QUDA_CLOVER_WILSON_DSLASH);
  QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  param.return_clover = 1;
  std::vector<double> packed(72 * sites);
  loadCloverQuda(packed.data(), nullptr, &param);

  // packed: 6 reals, then column by column the elements (1,0) (2,0) .. (5,0) (2,1) ..
  std::vector<double> off_diagonal(60 * sites), diagonal(12 * sites);
  for (std::size_t site = 0; site < sites; ++site) {
    for (std::size_t chirality = 0; chirality < 2; ++chirality) {
      const double* block = &packed[72 * site + 36 * chirality];
      for (std::size_t i = 0; i < 6; ++i) diagonal[(2 * i + chirality) * sites + site] = block[i];
      std::size_t from = 6;
      for (std::size_t column = 0; column < 6; ++column) {
        for (std::size_t row = column + 1; row < 6; ++row, from += 2) {
          const std::size_t element = row * (row - 1) / 2 + column;
          off_diagonal[(2 * element + chirality) * sites + site] = block[from];
          off_diagonal[(30 + 2 * element + chirality) * sites + site] = block[from + 1];
        }
      }
    }
  }
  freeCloverQuda();
  QudaInvertParam jit = jit_param(QUDA_CLOVER_WILSON_DSLASH);
  jit.compute_clover = jit.compute_clover_inverse = 0;
  std::array<void*, 2> arrays{off_diagonal.data(), diagonal.data()};
  QudaInvertParam back = invert_param(QUDA_CLOVER_WILSON_DSLASH);
  back.compute_clover = 0;
  back.return_clover = 1;
  loadCloverQuda(packed.data(), nullptr, &back);
  jit.return_clover = 1;
  jit.compute_clover = 1;
  std::vector<double> off_back(off_diagonal.size()), diagonal_back(diagonal.size());
  std::array<void*, 2> arrays_back{off_back.data(), diagonal_back.data()};
  loadCloverQuda(arrays_back.data(), nullptr, &jit);
  EXPECT_EQ(off_back, off_diagonal);
  EXPECT_EQ(diagonal_back, diagonal);

  const std::vector<Complex> in = random_field(12, 2);
  std::vector<Complex> source = in, expected(in.size()), out(in.size());
  MatQuda(expected.data(), source.data(), &back);
  freeCloverQuda();
  jit.return_clover = jit.compute_clover = 0;
  loadCloverQuda(arrays.data(), nullptr, &jit);
  MatQuda(out.data(), source.data(), &back);
  EXPECT_EQ(out, expected);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
