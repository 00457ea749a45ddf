// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/child_process.hpp"
#include "tests/io/files.hpp"

#include <kaon/core/error.hpp>

#include <array>
#include <csignal>
#include <functional>
#include <span>

namespace kaon::io {
namespace KAON_TEST_FILE {

using Send = ChildProcess::Send;

constexpr double seconds = 1.0;

void send_text(const Send& send, const std::string& text) { send(std::as_bytes(std::span(text))); }

TEST(ChildProcess, SendsBytes) {
  const std::string text(100000, 'x');
  ChildProcess child("file", "library", seconds, [&](const Send& send) {
    send_text(send, "first");
    send_text(send, text);
  });
  std::array<std::byte, 5> first{};
  child.receive(first);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(first.data()), first.size()), "first");
  EXPECT_EQ(child.receive_all(), text);
}

// The reader may end first, while the child still wants to send.
TEST(ChildProcess, EndsWithItsObject) {
  ChildProcess child("file", "library", seconds, [&](const Send& send) {
    while (true) send_text(send, std::string(100000, 'x'));
  });
  std::array<std::byte, 5> first{};
  child.receive(first);
}

TEST(ChildProcess, FailsAlone) {
  const auto error = [](const std::function<void(const Send&)>& action) {
    return test::error_text([&] {
      ChildProcess child("file", "library", seconds, [&](const Send& send) {
        send_text(send, "abc");
        action(send);
      });
      std::array<std::byte, 5> more{};
      child.receive(more);
    });
  };
  const std::string damaged = "file is damaged: library fails when it reads the file";
  test::expect_text(error([](const Send&) { std::raise(SIGSEGV); }), damaged);
  test::expect_text(error([](const Send&) {
                      for (volatile int k = 0;; k = k + 1) {
                      }
                    }),
                    damaged);
  test::expect_text(error([](const Send&) { throw Error("the file has no field"); }), "the file has no field");
  test::expect_text(error([](const Send&) {}), "file: library reads less than was expected");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
