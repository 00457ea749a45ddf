// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/support/resident_bytes.hpp"

namespace kaon::test {
namespace KAON_TEST_FILE {

// An application's life: links, a clover term, twelve sources, everything freed, a thousand times.
TEST(QudaMemory, StaysAsItIsThroughAThousandPropagators) {
  const reference::Links links = random_links(1);
  std::vector<std::vector<Complex>> b(12, std::vector<Complex>(static_cast<std::size_t>(12 * volume_of(extents)))), x;
  for (std::size_t k = 0; k < 12; ++k) b[k][k] = 1.0;
  x = b;
  std::vector<void*> h_b, h_x;
  for (std::size_t k = 0; k < 12; ++k) {
    h_b.push_back(b[k].data());
    h_x.push_back(x[k].data());
  }
  const auto propagator = [&] {
    const Loaded loaded(links, QUDA_CLOVER_WILSON_DSLASH);
    QudaInvertParam param = invert_param(QUDA_CLOVER_WILSON_DSLASH);
    param.num_src = 12;
    param.tol = 1e-8;
    invertMultiSrcQuda(h_x.data(), h_b.data(), &param);
  };
  for (int k = 0; k < 100; ++k) propagator();
  const std::vector<std::vector<Complex>> first = x;
  const long before = resident_bytes();
  for (int k = 0; k < 900; ++k) propagator();
  EXPECT_EQ(x, first);
  // 900 solves may leak at most 20 MB: a quarter of a spinor (98 kB) per solve.
  EXPECT_LT(resident_bytes() - before, 20'000'000);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
