// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("KAON_TUNE_CACHE", "", 1);  // the user's own is not for tests, nor for the programs that they run
  ::testing::InitGoogleTest(&argc, argv);
  const Kokkos::ScopeGuard kokkos(argc, argv);
  return RUN_ALL_TESTS();
}
