// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/printable.hpp"

#include "tests/support/error_text.hpp"

#include <gtest/gtest.h>

namespace kaon {
namespace KAON_TEST_FILE {

using detail::printable;

TEST(Printable, KeepsText) {
  for (const std::string text :
       {"", "plain: 1.5e-3, [a.cpp:3]\n\ttwo lines", "\u00e9 \u03b2 \u20ac \U0001f40d", "back\\slash"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[2Jgone\a\r\b\x7f"), "\\x1b[2Jgone\\x07\\x0d\\x08\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b2J"), "\\xc2\\x9b2J");  // the same as ESC [
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
}

TEST(Printable, ShowsWhatIsNotUtf8) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");  // ESC-like bytes in a character that is too long
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // half of a pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond the last character
}

TEST(Printable, IsEveryError) { KAON_EXPECT_ERROR(require(false, "a record \x1b[31m"), "a record \\x1b[31m"); }

}  // namespace KAON_TEST_FILE
}  // namespace kaon
