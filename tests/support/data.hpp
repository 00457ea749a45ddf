// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdlib>
#include <filesystem>

namespace kaon::test {

/// The folder of reference data: $KAON_TEST_DATA, or shared/data beside the repository. It may be absent.
inline std::filesystem::path data_folder() {
  const char* folder = std::getenv("KAON_TEST_DATA");
  return folder ? folder : KAON_TEST_DATA_DEFAULT;
}

}  // namespace kaon::test

/// Skips the test with a notice where a file of reference data is absent, otherwise defines `variable` as its path.
#define KAON_TEST_DATA_FILE(variable, name)                                  \
  const std::filesystem::path variable = kaon::test::data_folder() / (name); \
  if (!std::filesystem::exists(variable)) GTEST_SKIP() << "no reference data at " << variable
