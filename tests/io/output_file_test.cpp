// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "tests/io/files.hpp"

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;
using WrittenFile = test::FileTest;

TEST_F(WrittenFile, AppearsWhenComplete) {
  test::write_bytes(folder / "a", "old");
  {
    OutputFile file(folder / "a");
    file.write("new content");
    file.rewrite(0, "NEW");
    EXPECT_EQ(test::read_text(folder / "a"), "old");
    file.commit();
  }
  EXPECT_EQ(test::read_text(folder / "a"), "NEW content");
  EXPECT_EQ(folder.entries(), 1);
}

TEST_F(WrittenFile, LeavesNothingBehindWhenNotComplete) {
  test::write_bytes(folder / "a", "old");
  {
    OutputFile file(folder / "a");
    file.write("half");
    EXPECT_EQ(folder.entries(), 2);
  }
  EXPECT_EQ(test::read_text(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

// A folder that takes the name of the third in the last moment.
TEST_F(WrittenFile, OfASetThatCannotAllBeNamedIsTakenBack) {
  test::write_bytes(folder / "old", "old");
  std::filesystem::create_hard_link(folder / "old", folder / "other name");
  for (const bool fails : {true, false}) {
    {
      OutputFile old(folder / "old"), fresh(folder / "fresh"), last(folder / "last");
      for (OutputFile* file : {&old, &fresh, &last}) file->write("new");
      if (fails) std::filesystem::create_directory(folder / "last");
      old.take_name();
      fresh.take_name();
      EXPECT_EQ(test::read_text(folder / "old"), "new");
      if (fails) {
        KAON_EXPECT_ERROR(last.take_name(), "last: it is a folder");
      } else {
        last.take_name();
        for (OutputFile* file : {&old, &fresh, &last}) file->keep_name();
      }
    }
    EXPECT_EQ(test::read_text(folder / "old"), fails ? "old" : "new");
    EXPECT_EQ(test::read_text(folder / "other name"), "old");
    EXPECT_EQ(std::filesystem::exists(folder / "fresh"), !fails);
    EXPECT_EQ(folder.entries(), fails ? 3 : 4);
    if (fails) std::filesystem::remove(folder / "last");
  }
}

TEST_F(WrittenFile, SaysWhyItCannotBeWritten) {
  KAON_EXPECT_ERROR(OutputFile(folder / "missing/a"), "missing/a: no file can be made in its folder");
  KAON_EXPECT_ERROR(OutputFile{folder.path()}, "it is a folder");
  KAON_EXPECT_ERROR(OutputFile("/dev/null"), "cannot write /dev/null: it is not a regular file");
  EXPECT_EQ(folder.entries(), 0);
}

TEST_F(WrittenFile, LeavesNothingBehindWhenTheDiskIsFull) {
  const test::FileSizeLimit limit(1000);
  expect_text(error_text([&] {
                OutputFile file(folder / "a");
                for (int k = 0; k < 100; ++k) file.write("0123456789abcdef0123456789abcdef");
              }),
              "nothing was left behind");
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
