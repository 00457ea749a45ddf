// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/quda/client.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  setVerbosityQuda(QUDA_SILENT, "", stderr);
  const int dims[] = {1, 1, 1, 1};
  initCommsGridQuda(4, dims, nullptr, nullptr);
  initQuda(-1);
  const int failed = RUN_ALL_TESTS();
  endQuda();
  return failed;
}
