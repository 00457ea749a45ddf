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

/// Tests that have a folder for their files.
struct FileTest : testing::Test {
  const TemporaryFolder folder{};
};

/// The text with `to` in place of the first `from`.
inline std::string altered(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

/// The bytes with another bit in one of them.
inline std::string damaged(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

/// Fails unless `text` holds `part`.
inline void expect_text(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), text.npos) << "in the text: " << text << "\nmissing: " << part;
}

}  // namespace kaon::test
