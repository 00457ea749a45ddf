// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"
#include "tests/quda/momenta.hpp"

// QUDA's pool of device memory, which PyQUDA's allocator takes from: not in its headers.
namespace quda::pool {
void* device_malloc_(const char* function, const char* file, int line, std::size_t size);
void device_free_(const char* function, const char* file, int line, void* pointer);
}  // namespace quda::pool

namespace kaon::test {
namespace KAON_TEST_FILE {

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

/// A pool's arrays for the four directions, of `reals` numbers a link.
class PoolArrays {
 public:
  explicit PoolArrays(std::size_t reals)
      : memory_{PoolMemory(bytes(reals)), PoolMemory(bytes(reals)), PoolMemory(bytes(reals)),
                PoolMemory(bytes(reals))} {
    for (std::size_t mu = 0; mu < 4; ++mu) pointers_[mu] = memory_[mu].pointer;
  }
  void** pointers() { return pointers_.data(); }

 private:
  static std::size_t bytes(std::size_t reals) {
    return reals * sizeof(double) * static_cast<std::size_t>(volume_of(extents));
  }
  PoolMemory memory_[4];
  std::array<void*, 4> pointers_{};
};

// PyQUDA says that the host has the links that CuPy stores on the device.
constexpr QudaFieldLocation said_locations[] = {pool_location, QUDA_CPU_FIELD_LOCATION};

// Links of two configurations go into memory of the pool, and from there back: four arrays each, side by side.
TEST(QudaPool, GivesMemoryThatLinksTravelThrough) {
  for (const QudaFieldLocation location : said_locations) {
    PoolArrays arrays[2] = {PoolArrays(18), PoolArrays(18)};
    QudaGaugeParam host = gauge_param(), pool = gauge_param();
    pool.location = location;
    for (const std::size_t configuration : {0, 1}) {
      QdpLinks given(multiplied(random_links(static_cast<unsigned>(1 + configuration)), true, 1.0));
      loadGaugeQuda(given.pointers(), &host);
      saveGaugeQuda(arrays[configuration].pointers(), &pool);
    }
    for (const std::size_t configuration : {0, 1}) {
      loadGaugeQuda(arrays[configuration].pointers(), &pool);
      QdpLinks back{reference::Links(static_cast<std::size_t>(36 * volume_of(extents)))};
      saveGaugeQuda(back.pointers(), &host);
      const QdpLinks given(multiplied(random_links(static_cast<unsigned>(1 + configuration)), true, 1.0));
      for (std::size_t mu = 0; mu < 4; ++mu) EXPECT_EQ(back.parts[mu], given.parts[mu]);
    }
  }
  freeGaugeQuda();
}

TEST(QudaPool, GivesMemoryThatMomentaTravelThrough) {
  for (const QudaFieldLocation location : said_locations) {
    PoolArrays array(10);
    QudaGaugeParam resident = gauge_param(), returning = gauge_param(), pool_resident, pool_returning;
    resident.make_resident_mom = 1;
    resident.return_result_mom = 0;
    returning.make_resident_mom = 0;
    returning.return_result_mom = 1;
    pool_resident = resident;
    pool_returning = returning;
    pool_resident.location = pool_returning.location = location;
    QdpMomenta given(3), back(4);
    momResidentQuda(given.pointers(), &resident);
    momResidentQuda(array.pointers(), &pool_returning);
    momResidentQuda(array.pointers(), &pool_resident);
    momResidentQuda(back.pointers(), &returning);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t k = 0; k < back.parts[mu].size(); ++k) {
        ASSERT_EQ(back.parts[mu][k], k % 10 == 9 ? 0.0 : given.parts[mu][k]);
      }
    }
  }
}

TEST(QudaPool, IsThereAfterTheBeginning) {
  EXPECT_EXIT(
      {
        endQuda();
        quda::pool::device_malloc_("", "", 0, 8);
      },
      testing::ExitedWithCode(1), "device_malloc: the library has not been started: call initQuda first");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
