// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/output_file.hpp"
#include "tests/io/files.hpp"

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;

TEST(OutputFile, AppearsWhenComplete) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "a", "old");
  {
    OutputFile file(folder / "a");
    file.write("new content");
    file.rewrite(0, "NEW");
    EXPECT_EQ(test::read_bytes(folder / "a"), "old");
    file.commit();
  }
  EXPECT_EQ(test::read_bytes(folder / "a"), "NEW content");
  EXPECT_EQ(folder.count(), 1);
}

TEST(OutputFile, LeavesNothingBehindWhenNotComplete) {
  const test::TemporaryFolder folder;
  test::write_bytes(folder / "a", "old");
  {
    OutputFile file(folder / "a");
    file.write("half");
    EXPECT_EQ(folder.count(), 2);
  }
  EXPECT_EQ(test::read_bytes(folder / "a"), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const test::TemporaryFolder folder;
  expect_text(error_text([&] { OutputFile(folder / "missing/a"); }), "missing/a: no file can be made in its folder");
  expect_text(error_text([&] { OutputFile{folder.path()}; }), "it is a folder");
  expect_text(error_text([] { OutputFile("/dev/null"); }), "cannot write /dev/null: it is not a regular file");
  EXPECT_EQ(folder.count(), 0);
}

TEST(OutputFile, LeavesNothingBehindWhenTheDiskIsFull) {
  const test::TemporaryFolder folder;
  const test::FileSizeLimit limit(1000);
  expect_text(error_text([&] {
                OutputFile file(folder / "a");
                for (int k = 0; k < 100; ++k) file.write("0123456789abcdef0123456789abcdef");
              }),
              "nothing was left behind");
  EXPECT_EQ(folder.count(), 0);
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
