// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/error_text.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/program.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kaon::test {

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Fails unless `text` holds `part`.
inline void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << "in the text: " << text << "\nmissing: " << part;
}

}  // namespace kaon::test
