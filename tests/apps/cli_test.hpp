// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kaon::test {

/// The program kaon with these arguments, run as a user runs it; on one thread, which is quickest for small lattices.
inline Outcome run_kaon(const std::string& arguments) {
  return run_command(std::string("env OMP_NUM_THREADS=1 ") + KAON_PROGRAM + " " + arguments);
}

/// It succeeds, and says nothing to standard error.
inline Outcome expect_success(const std::string& arguments) {
  const Outcome outcome = run_kaon(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.output << outcome.errors;
  EXPECT_EQ(outcome.errors, "") << arguments;
  return outcome;
}

/// It ends with the exit code, and its one message has the text.
inline Outcome expect_failure(const std::string& arguments, int exit_code, const std::string& text) {
  const Outcome outcome = run_kaon(arguments);
  EXPECT_EQ(outcome.exit_code, exit_code) << arguments << "\n" << outcome.output << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, text)) << arguments << "\n" << outcome.errors;
  EXPECT_EQ(outcome.errors.rfind("kaon", 0), 0u) << arguments << "\n" << outcome.errors;
  return outcome;
}

/// Returns the links of an ILDG file, byte by byte, with their checksum: only the bytes before them have the date.
inline std::string links_of(const std::string& file) {
  const std::string bytes = read_text(file);
  const auto start = bytes.find("ildg-binary-data");
  EXPECT_NE(start, std::string::npos) << file;
  return bytes.substr(std::min(start, bytes.size()));
}

constexpr int usage = 2, input = 3, not_converged = 4;

/// Arguments of the program, and the text and the exit code of their refusal.
struct Refusal {
  std::string arguments, text;
  int exit_code = usage;
};

/// Each of these arguments after `start` is refused.
inline void expect_refusals(const std::string& start, const std::vector<Refusal>& refusals) {
  for (const Refusal& refusal : refusals) expect_failure(start + refusal.arguments, refusal.exit_code, refusal.text);
}

}  // namespace kaon::test
