// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

// QUDA's pool of device memory, which PyQUDA's allocator takes from: not in its headers.
namespace quda::pool {
void* device_malloc_(const char* function, const char* file, int line, std::size_t size);
void device_free_(const char* function, const char* file, int line, void* pointer);
}  // namespace quda::pool

namespace kaon::test {
namespace {

#ifdef KAON_TEST_ON_DEVICE
constexpr QudaFieldLocation pool_location = QUDA_CUDA_FIELD_LOCATION;
#else
constexpr QudaFieldLocation pool_location = QUDA_CPU_FIELD_LOCATION;
#endif

struct PoolMemory {
  explicit PoolMemory(std::size_t size) : pointer(quda::pool::device_malloc_(__func__, __FILE__, __LINE__, size)) {}
  ~PoolMemory() { quda::pool::device_free_(__func__, __FILE__, __LINE__, pointer); }
  PoolMemory(const PoolMemory&) = delete;
  PoolMemory& operator=(const PoolMemory&) = delete;
  void* const pointer;
};

// Links of two configurations go into memory of the pool, and from there back: four arrays each, side by side.
TEST(QudaPool, GivesMemoryThatLinksTravelThrough) {
  const std::size_t size = 9 * sizeof(Complex) * static_cast<std::size_t>(volume_of(extents));
  const PoolMemory memory[8] = {PoolMemory(size), PoolMemory(size), PoolMemory(size), PoolMemory(size),
                                PoolMemory(size), PoolMemory(size), PoolMemory(size), PoolMemory(size)};
  QudaGaugeParam host = gauge_param(), pool = gauge_param();
  pool.location = pool_location;
  const auto arrays = [&](std::size_t configuration) {
    std::array<void*, 4> pointers{};
    for (std::size_t mu = 0; mu < 4; ++mu) pointers[mu] = memory[4 * configuration + mu].pointer;
    return pointers;
  };
  for (const std::size_t configuration : {0, 1}) {
    QdpLinks given(multiplied(random_links(static_cast<unsigned>(1 + configuration)), true, 1.0));
    loadGaugeQuda(given.pointers(), &host);
    saveGaugeQuda(arrays(configuration).data(), &pool);
  }
  for (const std::size_t configuration : {0, 1}) {
    loadGaugeQuda(arrays(configuration).data(), &pool);
    QdpLinks back{reference::Links(static_cast<std::size_t>(36 * volume_of(extents)))};
    saveGaugeQuda(back.pointers(), &host);
    const QdpLinks given(multiplied(random_links(static_cast<unsigned>(1 + configuration)), true, 1.0));
    for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(back.parts[mu], given.parts[mu]);
  }
  freeGaugeQuda();
}

TEST(QudaPool, IsThereAfterTheBeginning) {
  EXPECT_EXIT(
      {
        endQuda();
        quda::pool::device_malloc_("", "", 0, 8);
      },
      testing::ExitedWithCode(1), "device_malloc: the library has not been started: call initQuda first");
}

}  // namespace
}  // namespace kaon::test
