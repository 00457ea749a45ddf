// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/message.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace kaon {
namespace KAON_TEST_FILE {

/// Text on standard error when the message is issued.
std::string standard_error_of(MessageKind kind, const std::string& text) {
  testing::internal::CaptureStderr();
  detail::tell(kind, text);
  return testing::internal::GetCapturedStderr();
}

TEST(MessageHandler, IsStandardErrorByDefault) {
  EXPECT_EQ(standard_error_of(MessageKind::notice, "going on"), "kaon: going on\n");
  EXPECT_EQ(standard_error_of(MessageKind::warning, "not used"), "kaon: warning: not used\n");
}

TEST(MessageHandler, TakesMessagesInsteadOfStandardError) {
  std::vector<std::string> told;
  const MessageHandler before = set_message_handler([&](MessageKind kind, const std::string& text) {
    told.push_back((kind == MessageKind::warning ? "w " : "n ") + text);
  });
  EXPECT_FALSE(before);
  EXPECT_EQ(standard_error_of(MessageKind::warning, "a"), "");
  EXPECT_EQ(standard_error_of(MessageKind::notice, "b"), "");
  EXPECT_EQ(told, (std::vector<std::string>{"w a", "n b"}));
  EXPECT_TRUE(set_message_handler({}));
  EXPECT_EQ(standard_error_of(MessageKind::notice, "c"), "kaon: c\n");
  EXPECT_EQ(told.size(), 2u);
}

TEST(MessageHandler, EndsNothingByAnException) {
  set_message_handler([](MessageKind, const std::string&) { throw std::runtime_error("no room"); });
  EXPECT_NO_THROW(detail::tell(MessageKind::warning, "a"));
  set_message_handler({});
}

TEST(MessageHandler, DoesWithoutAStandardErrorThatIsFullOrClosed) {
  const int kept = ::dup(STDERR_FILENO);
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  ::dup2(full, STDERR_FILENO);
  EXPECT_NO_THROW(detail::tell(MessageKind::warning, "a"));
  ::close(STDERR_FILENO);
  EXPECT_NO_THROW(detail::tell(MessageKind::warning, "a"));
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  ::close(full);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon
