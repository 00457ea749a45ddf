// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
//
// main of tests that run on any number of processes: every process runs every test, and one that fails on any process
// fails the program. The first process reports as usual, the others only what failed there.
#include "tests/support/processes.hpp"

#include <kaon/comm/session.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const kaon::Communicator* all_processes = nullptr;

class FailuresOnly final : public ::testing::EmptyTestEventListener {
 private:
  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "process %d, %s, %s:%d:\n%s\n", all_processes->rank(), test_.c_str(),
                 result.file_name() ? result.file_name() : "", result.line_number(), result.summary());
  }
  std::string test_;
};

}  // namespace

const kaon::Communicator& kaon::test::processes() { return *all_processes; }

int main(int argc, char** argv) {
  setenv("KAON_TUNE_CACHE", "", 1);
  setenv("KAON_MPI", "on", 0);  // some tests call MPI themselves, also where no launcher started them
  ::testing::InitGoogleTest(&argc, argv);
  // An exception on one process would leave the others waiting: it ends all of them.
  GTEST_FLAG_SET(catch_exceptions, false);
  const kaon::Session session(argc, argv);
  all_processes = &session.communicator();
  if (all_processes->rank() != 0) {
    ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOnly);
  }
  const bool failed = RUN_ALL_TESTS() != 0;
  return all_processes->any(failed) ? 1 : 0;
}
