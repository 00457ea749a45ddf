// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

#include <cstring>
#include <functional>

#if __has_include(<quda_milc_interface.h>)
#include <quda_milc_interface.h>
#define KAON_TEST_MILC
#endif

// Beginnings and ends of the library, and what has no effect between them.
namespace kaon::test {
namespace KAON_TEST_FILE {

void load(unsigned seed = 1) {
  QdpLinks links(multiplied(random_links(seed), true, 1.0));
  QudaGaugeParam param = gauge_param();
  loadGaugeQuda(links.pointers(), &param);
}

double resident_plaquette() {
  double plaquette[3];
  plaqQuda(plaquette);
  return plaquette[0];
}

void initialize_grid() {
  const int dims[] = {1, 1, 1, 1};
  initCommsGridQuda(4, dims, nullptr, nullptr);
}

std::vector<Complex> solution() {
  QudaInvertParam param = invert_param(QUDA_WILSON_DSLASH);
  std::vector<Complex> b = random_field(12, 1), x(b.size());
  invertQuda(x.data(), b.data(), &param);
  return x;
}

// A second start after an end works: lattices and links are made again. The device and its memory may be started one
// after the other.
TEST(QudaLife, BeginsAgainAfterItsEnd) {
  load();
  const std::vector<Complex> before = solution();
  const std::function<void()> starts[] = {[] { initQuda(0); },
                                          [] {
                                            initQudaDevice(0);
                                            initQudaMemory();
                                          }};
  for (const auto& start : starts) {
    endQuda();
    initialize_grid();
    start();
    EXPECT_EXIT(resident_plaquette(), testing::ExitedWithCode(1), "load them with loadGaugeQuda");
    load();
    EXPECT_EQ(solution(), before);
    EXPECT_NEAR(resident_plaquette(), reference::plaquette(random_links(1), extents), 1e-14);
  }
  freeGaugeQuda();
}

// Functions that have nothing to do here leave fields and solutions as they are.
TEST(QudaLife, GoesOnThroughCallsWithoutEffect) {
  load();
  const std::vector<Complex> before = solution();
  const double plaquette = resident_plaquette();
  updateR();
  flushChronoQuda(0);
  freeGaugeTwoLinkQuda();
  freeUniqueGaugeQuda(QUDA_TWOLINK_LINKS);
  EXPECT_EQ(solution(), before);
  EXPECT_EQ(resident_plaquette(), plaquette);
  freeGaugeQuda();
}

#ifdef KAON_TEST_MILC

double milcs_plaquette(const Coordinates& of, unsigned seed) {
  std::mt19937_64 generator(seed);
  const reference::Links links = reference::random_links(of, generator);
  std::vector<Complex> given(links.size());
  reference::for_each_site(of, [&](const Coordinates& x) {
    const auto from = static_cast<std::size_t>(lexicographic_index(x, of));
    const auto to =
        from / 2 + static_cast<std::size_t>(reference::parity_of(x) == 1 ? volume_of(of) / 2 : std::ptrdiff_t{0});
    std::copy_n(&links[36 * from], 36, &given[36 * to]);
  });
  QudaMILCSiteArg_t sites{};
  sites.link = given.data();
  double plaquette[3];
  qudaPlaquettePhased(2, plaquette, &sites, 0);
  EXPECT_NEAR(plaquette[0], reference::plaquette(links, of), 1e-14);
  return plaquette[0];
}

// MILC's life: its layout counts until its end, and not afterwards.
TEST(QudaLife, IsMilcs) {
  const int grid[] = {1, 1, 1, 1};
  const Coordinates first{4, 2, 6, 4}, second{2, 4, 4, 8};
  endQuda();
  QudaInitArgs_t input{};
  input.verbosity = QUDA_SILENT;
  for (const Coordinates& of : {first, second}) {
    input.layout = {of.data(), grid, 0};
    qudaInit(input);
    const double plaquette = milcs_plaquette(of, 3);
    // A second start changes nothing.
    input.layout = {extents.data(), grid, 0};
    qudaInit(input);
    EXPECT_EQ(milcs_plaquette(of, 3), plaquette);
    QudaMILCSiteArg_t sites{};
    std::vector<double> momenta(40 * static_cast<std::size_t>(volume_of(of)), 0.5);
    sites.mom = momenta.data();
    const double action = qudaMomAction(2, &sites);
    qudaMomLoad(2, &sites);
    qudaFreeTwoLink();
    std::fill(momenta.begin(), momenta.end(), 0.0);
    EXPECT_EQ(qudaMomAction(2, &sites), action);  // of the resident ones
    qudaFinalize();
    EXPECT_EXIT(milcs_plaquette(of, 3), testing::ExitedWithCode(1), "call initQuda first");
  }
  initialize_grid();
  initQuda(-1);
  // The momenta of the life before are gone.
  input.layout = {extents.data(), grid, 0};
  qudaSetLayout(input.layout);
  QudaMILCSiteArg_t sites{};
  std::vector<double> momenta(40 * static_cast<std::size_t>(volume_of(extents)), 0.0);
  sites.mom = momenta.data();
  EXPECT_EQ(qudaMomAction(2, &sites), -16.0 * static_cast<double>(volume_of(extents)));
}

// Host memory of the requested size, in separate blocks, that other calls accept.
TEST(QudaLife, HasMemoryForMilc) {
  const int grid[] = {1, 1, 1, 1};
  qudaSetLayout({extents.data(), grid, 0});
  const reference::Links links = random_links(1);
  const std::vector<Complex> given = even_odd(links);
  const std::size_t bytes = given.size() * sizeof(Complex);
  using Pair = std::pair<void* (*)(std::size_t), void (*)(void*)>;
  for (const auto& [allocate, release] :
       {Pair{qudaAllocatePinned, qudaFreePinned}, Pair{qudaAllocateManaged, qudaFreeManaged}}) {
    void* const first = allocate(bytes);
    void* const second = allocate(bytes);
    std::memcpy(first, given.data(), bytes);
    std::memset(second, 0, bytes);
    QudaMILCSiteArg_t sites{};
    sites.link = first;
    double plaquette[3];
    qudaPlaquettePhased(2, plaquette, &sites, 0);
    EXPECT_NEAR(plaquette[0], reference::plaquette(links, extents), 1e-14);
    release(second);
    EXPECT_EQ(std::memcmp(first, given.data(), bytes), 0);
    release(first);
  }
}
#endif

}  // namespace KAON_TEST_FILE
}  // namespace kaon::test
