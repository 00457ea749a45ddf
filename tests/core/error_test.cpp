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

TEST(Error, HasThePlaceOfTheErrorInItsMessageAlone) {
  const std::string inner = kaon::Error("the lattice is flat").what();
  EXPECT_EQ(kaon::Error("--size: " + inner).what(), "--size: " + inner);
  for (const std::string text : {"[source]", "sites = [[0, 0]]", "a list [of:words]"}) {
    EXPECT_TRUE(std::string(kaon::Error(text).what()).starts_with(text + " [error_test.cpp:")) << text;
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
