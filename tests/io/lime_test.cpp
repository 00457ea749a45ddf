// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/lime.hpp"
#include "io/xml.hpp"
#include "tests/io/files.hpp"

#include <sys/stat.h>

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;
using Lime = test::FileTest;

void write_two_records(const std::filesystem::path& path) {
  OutputFile file(path);
  LimeWriter lime(file);
  lime.add("first-type", "a text", {.begins = true});
  lime.begin("second-type", 12, {.ends = true});
  lime.write(std::as_bytes(std::span("0123456789ab", 12)));
  lime.end();
  file.commit();
}

TEST_F(Lime, RecordsComeBack) {
  write_two_records(folder / "a.lime");
  const InputFile file(folder / "a.lime");
  EXPECT_TRUE(is_lime(file));
  EXPECT_EQ(file.size() % 8, 0u);
  const auto records = lime_records(file);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].type, "first-type");
  EXPECT_EQ(records[0].length, 6u);
  EXPECT_TRUE(records[0].begins_message && !records[0].ends_message);
  EXPECT_EQ(lime_text(file, records[0]), "a text");
  EXPECT_EQ(lime_text(file, records[1]), "0123456789ab");
  EXPECT_TRUE(records[1].ends_message);
}

TEST_F(Lime, RecordsHaveTheLayoutOfTheFormat) {
  write_two_records(folder / "a.lime");
  const std::string bytes = test::read_text(folder / "a.lime");
  EXPECT_EQ(bytes.substr(0, 16), std::string("\x45\x67\x89\xab\0\1\x80\0\0\0\0\0\0\0\0\6", 16));
  EXPECT_STREQ(bytes.c_str() + 16, "first-type");
  EXPECT_EQ(bytes.size(), 144u + 8 + 144 + 16);
}

TEST_F(Lime, TruncatedAndOverlongFilesAreRefused) {
  write_two_records(folder / "a.lime");
  const std::string bytes = test::read_text(folder / "a.lime");
  const auto message = [&](const std::string& content) {
    test::write_bytes(folder / "b.lime", content);
    return error_text([&] { lime_records(InputFile(folder / "b.lime")); });
  };
  expect_text(message(bytes.substr(0, bytes.size() - 8)),
              "is truncated: its LIME record second-type should have 12 bytes");
  expect_text(message(bytes.substr(0, 160)), "is truncated: a LIME record header of 144 bytes starts at byte 152");
  expect_text(message(bytes + "xyz"), "the 3 bytes after the record second-type are no LIME record");
  expect_text(message(bytes + std::string(200, 'a')), "the 200 bytes after the record second-type are no LIME record");
}

TEST_F(Lime, BlanksAndZerosMayFollowTheLastRecord) {
  write_two_records(folder / "a.lime");
  const std::string bytes = test::read_text(folder / "a.lime");
  for (const std::string& rest : {std::string("\n"), std::string("\r\n \t"), std::string(4096, '\0')}) {
    test::write_bytes(folder / "b.lime", bytes + rest);
    EXPECT_EQ(lime_records(InputFile(folder / "b.lime")).size(), 2u);
  }
  test::write_bytes(folder / "b.lime", bytes + std::string(longest_text + 1, '\0'));
  KAON_EXPECT_ERROR(lime_records(InputFile(folder / "b.lime")),
                    "bytes after the record second-type are no LIME record");
}

TEST_F(Lime, TheLastRecordNeedNoPadding) {
  write_two_records(folder / "a.lime");
  const std::string bytes = test::read_text(folder / "a.lime");
  test::write_bytes(folder / "b.lime", bytes.substr(0, bytes.size() - 4));
  EXPECT_EQ(lime_records(InputFile(folder / "b.lime")).size(), 2u);
}

TEST_F(Lime, ARecordMustGetTheAnnouncedBytes) {
  expect_text(error_text([&] {
                OutputFile file(folder / "a.lime");
                LimeWriter lime(file);
                lime.begin("type", 10);
                lime.write(std::as_bytes(std::span("abc", 3)));
                lime.end();
              }),
              "announced with 10 bytes got 3");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Xml, ValuesAreFoundAmongBlanksAttributesAndOthers) {
  const Xml xml(
      "FILE", "RECORD",
      "<?xml version='1.0'?><lxx>3</lxx>\n<!-- <lx>8</lx> --><lx > 16\t</lx><p:root xmlns:p='x'><p:lx>16</p:lx>"
      "<info a=\"b\">x &lt; y <![CDATA[& <z>]]></info><empty/><in><deep>1</deep>2</in></p:root>");
  EXPECT_EQ(xml.value("lx"), "16");
  EXPECT_EQ(xml.integer("lx"), 16);
  EXPECT_EQ(xml.value("info"), "x < y & <z>");
  EXPECT_EQ(xml.value("missing"), std::nullopt);
  EXPECT_EQ(xml.value("empty"), "");
  EXPECT_EQ(xml.value("deep"), std::nullopt);
  EXPECT_EQ(xml.value("in"), "<deep>1</deep>2");
  EXPECT_TRUE(xml.has("root"));
  EXPECT_FALSE(xml.has("p"));
  EXPECT_EQ(Xml("FILE", "RECORD", xml_element("t", "<a> & \"b\" 'c'")).value("t"), "<a> & \"b\" 'c'");
  EXPECT_FALSE(Xml("FILE", "RECORD", "a title <lx>").has("lx"));
  EXPECT_FALSE(Xml("FILE", "RECORD", "<?xml version='1.0'?>a title").has("a"));
}

TEST(Xml, IsRefusedWithItsPlace) {
  const auto message = [](const std::string& text) {
    return error_text([&] { Xml("FILE", "RECORD", text).integer("lx"); });
  };
  for (const std::string text : {"<lx>4", "<a><lx>4</a></lx>", "<lx>4</lx></a>", "<!-- <lx>4</lx>", "<lx 4>4</lx>"}) {
    expect_text(message(text), "FILE is damaged: the XML of its record RECORD cannot be read: ");
  }
  expect_text(message("<lx>4</ly>"), "Start-end tags mismatch at byte 7 of 10");
  expect_text(message("<lx>4</lx><lx>8</lx>"), "FILE: <lx> in its record RECORD stands twice: '4' and '8'");
  expect_text(message("<lx/>"), "FILE: <lx> in its record RECORD is '', which is no whole number");
  expect_text(message("<ly>4</ly>"), "FILE: <lx> in its record RECORD is missing");
  expect_text(message("<!DOCTYPE a [<!ENTITY n '4'>]><lx>&n;</lx>"), "is '&n;', which is no whole number");
}

// Seconds where each opening was followed to the end of the text.
TEST(Xml, OfUnclosedTagsIsReadOnce) {
  std::string unclosed, crossed = "<lx ";
  for (int n = 0; n < 200000; ++n) {
    unclosed += "<lx>";
    crossed += "<lx ";
  }
  for (const std::string& text : {unclosed, unclosed + "</ly>", crossed + "</lx>", crossed + "</lx><lx>4</lx>"}) {
    KAON_EXPECT_ERROR(Xml("FILE", "RECORD", text), "cannot be read");
  }
}

TEST_F(Lime, TextsAreShort) {
  OutputFile file(folder / "a.lime");
  LimeWriter(file).add("ildg-format", std::string(longest_text + 1, ' '));
  file.commit();
  const InputFile read(folder / "a.lime");
  KAON_EXPECT_ERROR(lime_text(read, lime_records(read).front()),
                    "its LIME record ildg-format has 1048577 bytes, more than the 1048576 that a text may have");
}

TEST(InputFile, IsNoNamedPipe) {
  const test::TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  KAON_EXPECT_ERROR(InputFile(folder / "pipe"), "it is not a regular file");
  KAON_EXPECT_ERROR(InputFile("/dev/null"), "it is not a regular file");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
