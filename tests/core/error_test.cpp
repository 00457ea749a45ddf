// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/error.hpp>

#include <gtest/gtest.h>

#include <string>

TEST(Error, SaysWhatIsWrongAndWhere) {
  try {
    kaon::require(false, "the lattice is flat");
    FAIL() << "require(false) returned";
  } catch (const kaon::Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("the lattice is flat"), std::string::npos) << what;
    EXPECT_NE(what.find("error_test.cpp"), std::string::npos) << what;
  }
}

TEST(Error, MakesItsMessageOnlyWhenNeeded) {
  bool made = false;
  kaon::require(true, [&] {
    made = true;
    return std::string("unused");
  });
  EXPECT_FALSE(made);
}
