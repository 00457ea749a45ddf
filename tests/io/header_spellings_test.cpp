// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/io/foreign_files.hpp"
#include "tests/io/random_links.hpp"

#include <kaon/io/gauge_file.hpp>

#include <fmt/format.h>

#include <functional>

// Headers as other codes spell them, and headers that must not be read by their beginnings. docs/formats.md lists them.

namespace kaon::io {
namespace KAON_TEST_FILE {

using test::error_text;
using test::expect_text;
using test::lime_record;

const Coordinates extents{4, 2, 6, 4};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// A spelling of a header, in which `to` is in place of `from`; {} is the value that is right.
struct Spelling {
  std::string from, to;
  std::string refusal{};  ///< part of the error; empty: the links are read, and what is stated is found
  bool stated = true;     ///< the plaquette
};

/// Reads `file_of(spelling)` for all spellings.
void expect_readings(const std::vector<Spelling>& spellings, const HostLinks& links,
                     const std::function<std::string(const Spelling&)>& file_of) {
  const test::TemporaryFolder folder;
  for (const Spelling& spelling : spellings) {
    SCOPED_TRACE(testing::Message() << "'" << spelling.from << "' -> '" << spelling.to << "'");
    test::write_bytes(folder / "a", file_of(spelling));
    if (!spelling.refusal.empty()) {
      const std::string text = error_text([&] { read_links(folder / "a"); });
      expect_text(text, folder / "a");
      expect_text(text, spelling.refusal);
      continue;
    }
    HostGaugeFile read;
    ASSERT_NO_THROW(read = read_links(folder / "a")) << error_text([&] { read_links(folder / "a"); });
    EXPECT_EQ(read.links.links, links.links);
    EXPECT_TRUE(read.header.checksum.has_value());
    EXPECT_EQ(read.header.plaquette.has_value(), spelling.stated);
    EXPECT_NEAR(read.header.plaquette.value_or(StatedNumber{plaquette(links)}).value, plaquette(links), 1e-6);
  }
}

/// A NERSC archive whose header has another line for the key `from`; an empty key: another end of all lines.
std::string nersc_file(const std::string& valid, const Spelling& spelling) {
  const std::string end = "END_HEADER\n";
  const std::size_t body = valid.find(end) + end.size();
  std::string header = valid.substr(0, body);
  if (spelling.from.empty()) return replaced(header, "\n", spelling.to) + valid.substr(body);
  const std::size_t at = header.find(spelling.from), line = header.find('\n', at);
  const std::size_t equals = header.find(" = ", at);
  const std::string value = equals < line ? header.substr(equals + 3, line - equals - 3) : "";
  return header.replace(at, line - at, replaced(spelling.to, "{}", value)) + valid.substr(body);
}

TEST(HeaderSpellings, OfNerscArchivesAreRead) {
  const test::TemporaryFolder folder;
  const HostLinks links = test::random_links(extents);
  const auto expect = [&](const WriteOptions& options, const std::vector<Spelling>& spellings) {
    write_links(folder / "valid", links, options);
    const std::string valid = test::read_text(folder / "valid");
    expect_readings(spellings, links, [&](const Spelling& spelling) { return nersc_file(valid, spelling); });
  };
  const std::string number = "which is no number";
  expect(
      {.format = GaugeFormat::nersc},
      {{"", "\r\n"},
       {"", " \n"},
       {"BEGIN_HEADER", "begin_header"},
       {"END_HEADER", "  End_Header  "},
       {"DATATYPE", "DATATYPE = 4D_SU3_GAUGE_3X3"},
       {"DATATYPE", "datatype=4d_su3_gauge_3x3"},
       {"DATATYPE", "DATATYPE = \"{}\""},
       {"DATATYPE", "", "its NERSC header has no line DATATYPE"},
       {"DATATYPE", "DATATYPE = 4D_SU3_GAUGE_3x3x", "is none of 4D_SU3_GAUGE, 4D_SU3_GAUGE_3x3"},
       {"FLOATING_POINT", "FLOATING_POINT = IEEE64"},
       {"FLOATING_POINT", "floating_point\t=\tieee64big"},
       {"FLOATING_POINT", "FLOATING_POINT = 'IEEE 64 BIG'"},
       {"FLOATING_POINT", "FLOATING_POINT = IEEE64_BIG_ENDIAN"},
       {"FLOATING_POINT", "FLOATING_POINT = IEEE-64-Big"},
       {"FLOATING_POINT", "FLOATING_POINT = IEEE64MIDDLE", "is none of IEEE32, IEEE32BIG"},
       {"FLOATING_POINT", "FLOATING_POINT = IEEE640BIG", "is none of IEEE32, IEEE32BIG"},
       {"DIMENSION_1", "DIMENSION_1 = +04"},
       {"DIMENSION_1", "dimension_1 =4   "},
       {"DIMENSION_1", "DIMENSION_1 = {}\nDIMENSION_1 = {}"},
       {"DIMENSION_1", "DIMENSION_1 = {}\ndimension_1 = 8", "says DIMENSION_1 = 4 and DIMENSION_1 = 8"},
       {"DIMENSION_1", "DIMENSION_1 = 4.0", "DIMENSION_1 = 4.0, " + number},
       {"DIMENSION_1", "DIMENSION_1 = 4x", "DIMENSION_1 = 4x, " + number},
       {"DIMENSION_1", "DIMENSION_1 = 4294967300", number},
       {"CHECKSUM", "CHECKSUM = 0x{}"},
       {"CHECKSUM", "CHECKSUM = 0X{}"},
       {"CHECKSUM", "checksum={}"},
       {"CHECKSUM", "CHECKSUM = {}h", number},
       {"CHECKSUM", "CHECKSUM = 1{}", number},
       {"CHECKSUM", "CHECKSUM =", number},
       {"PLAQUETTE", "PLAQUETTE  = {}"},
       {"PLAQUETTE", "plaquette={}"},
       {"PLAQUETTE", "PLAQUETTE = \" {} \""},
       {"PLAQUETTE", "BETA = 6.0", "", false},
       {"PLAQUETTE", "PLAQUETTE = {}x", "PLAQUETTE in its NERSC header is '"},
       {"PLAQUETTE", "PLAQUETTE = 1e-2147483648", "is '1e-2147483648', which is no number, or none that kaon can hold"},
       {"PLAQUETTE", "PLAQUETTE = nan", number},
       {"PLAQUETTE", "PLAQUETTE = +-0.5", number},
       {"PLAQUETTE", "PLAQUETTE =", number},
       {"LINK_TRACE", "LINK_TRACE = {}x", "LINK_TRACE in its NERSC header is '"}});
  expect({.format = GaugeFormat::nersc, .byte_order = ByteOrder::little},
         {{"FLOATING_POINT", "FLOATING_POINT = ieee64Little"},
          {"FLOATING_POINT", "FLOATING_POINT = IEEE64 LITTLE ENDIAN"},
          {"FLOATING_POINT", "FLOATING_POINT = IEEE64"}});
}

/// The links in a LIME file as Grid, QDP++ and MILC write them, with the plaquette in usqcdInfo or in xlf-info.
struct LimeTexts {
  std::string plaquette;  ///< its digits
  std::string private_file =
      "<?xml version=\"1.0\"?><scidacFile><version>1.1</version><spacetime>4</spacetime><dims>4 2 6 4 </dims>"
      "<volfmt>0</volfmt></scidacFile>";
  std::string private_record =
      "<?xml version=\"1.0\"?><scidacRecord><datatype>QDP_D3_ColorMatrix</datatype><precision>D</precision>"
      "<colors>3</colors><spins>4</spins><typesize>144</typesize><datacount>4</datacount></scidacRecord>";
  std::string record{};
  std::string ildg_format =
      "<?xml version=\"1.0\"?><ildgFormat xmlns=\"http://www.lqcd.org/ildg\"><version>1.0</version>"
      "<field>su3gauge</field><precision>64</precision><lx>4</lx><ly>2</ly><lz>6</lz><lt>4</lt></ildgFormat>";
  std::string xlf_info{};

  /// The text with a spelling. It must occur.
  static std::string with(const std::string& text, const Spelling& spelling, const std::string& value) {
    EXPECT_NE(text.find(spelling.from), text.npos);
    return replaced(text, spelling.from, replaced(spelling.to, "{}", value));
  }
};

class LimeHeaderSpellings : public test::FileTest {
 protected:
  LimeHeaderSpellings() {
    right_.plaquette = fmt::format("{:.12g}", plaquette(links_));
    right_.record = fmt::format(
        "<?xml version=\"1.0\"?><usqcdInfo><version>1.0</version><plaq>{}</plaq><linktr>{:.6e}</linktr>"
        "<info>beta = 6</info></usqcdInfo>",
        right_.plaquette, link_trace(links_));
  }

  std::string file(const LimeTexts& texts) const {
    std::string bytes;
    if (!texts.xlf_info.empty()) bytes += lime_record("xlf-info", texts.xlf_info, true, true);
    if (!texts.private_file.empty()) bytes += lime_record("scidac-private-file-xml", texts.private_file, true, true);
    bytes += lime_record("ildg-format", texts.ildg_format, true);
    if (!texts.private_record.empty()) bytes += lime_record("scidac-private-record-xml", texts.private_record);
    bytes += lime_record("scidac-record-xml", texts.record) + lime_record("ildg-binary-data", body_);
    return bytes + lime_record("scidac-checksum", checksum_, false, true);
  }

  /// One of the texts in several spellings.
  void expect(std::string LimeTexts::*text, const std::vector<Spelling>& spellings) const {
    expect_readings(spellings, links_, [&](const Spelling& spelling) {
      LimeTexts texts = right_;
      texts.*text = LimeTexts::with(texts.*text, spelling, right_.plaquette);
      return file(texts);
    });
  }

  const HostLinks links_ = test::random_links(extents);
  const std::string body_ = test::big_endian_links(links_), checksum_ = test::scidac_checksum(body_, 576);
  LimeTexts right_;
};

TEST_F(LimeHeaderSpellings, OfIldgFormatAreRead) {
  const std::string lx = "<lx>4</lx>", whole = "which is no whole number";
  expect(&LimeTexts::ildg_format,
         {{lx, "<lx> 4\r\n </lx>"},
          {lx, "<lx unit=\"sites\">4</lx >"},
          {lx, "<!-- <lx>16</lx> --><lx>4</lx>"},
          {lx, "<lx><!-- 16 -->4</lx>"},
          {lx, "<lx><![CDATA[ 4 ]]></lx>"},
          {lx, "<lx>&#52;</lx>"},
          {lx, "<lx>+04</lx>"},
          {lx, "<i:lx>4</i:lx>"},
          {lx, "<lx>4</lx><lx>4</lx>"},
          {"<", "\n\t<"},
          {"su3gauge", " SU3Gauge "},
          {"<precision>64", "<precision> 64 "},
          {"<version>1.0</version>", "<version/>"},
          {"<?xml version=\"1.0\"?>", ""},
          {"<?xml version=\"1.0\"?>", "\xEF\xBB\xBF<?xml version=\"1.0\"?>"},
          {"<?xml version=\"1.0\"?>", "\r\n<!DOCTYPE ildgFormat [<!ENTITY n \"16\">]>"},
          {"</ildgFormat>", "</ildgFormat>\n<!-- end -->\n" + std::string(9, '\0')},
          {"</ildgFormat>", "</ildgFormat>" + std::string("\0<lx>8</lx>", 11)},
          {lx, "<lx>4", "the XML of its record ildg-format cannot be read: Start-end tags mismatch"},
          {"</ildgFormat>", "", "the XML of its record ildg-format cannot be read: Start-end tags mismatch"},
          {lx, "<lx/>", "<lx> in its record ildg-format is '', " + whole},
          {lx, "", "<lx> in its record ildg-format is missing"},
          {lx, "<lx>4x</lx>", "<lx> in its record ildg-format is '4x', " + whole},
          {lx, "<lx>4e0</lx>", whole},
          {lx, "<lx>4.0</lx>", whole},
          {lx, "<lx>0x4</lx>", whole},
          {lx, "<lx>4 4</lx>", whole},
          {lx, "<lx>99999999999</lx>", whole},
          {lx, "<lx>4</lx><lx>16</lx>", "<lx> in its record ildg-format stands twice: '4' and '16'"},
          {"<precision>64", "<precision>64bit", "<precision> in its record ildg-format is '64bit', " + whole},
          {"su3gauge", "su3gaugefield", "describes a field 'su3gaugefield', not su3gauge"}});
  right_.ildg_format = replaced(replaced(right_.ildg_format, "</", "</ildg:"), "<", "<ildg:");
  right_.ildg_format = replaced(replaced(right_.ildg_format, "<ildg:/ildg:", "</ildg:"), "<ildg:?", "<?");
  expect(&LimeTexts::ildg_format,
         {{"xmlns=", "xmlns:ildg="}, {"<ildg:lx>4</ildg:lx>", "<ildg:lx>4</ildg:lx><lxx>8</lxx>"}});
}

TEST_F(LimeHeaderSpellings, OfScidacPrivateFileXmlAreRead) {
  const std::string dims = "4 2 6 4 ", volfmt = "<volfmt>0</volfmt>", four = "which is not four numbers";
  expect(&LimeTexts::private_file,
         {{dims, "4 \n2 \n6 \n4"},
          {dims, "4\t2\t6\t4"},
          {dims, "\r\n  4\r\n  2\r\n  6\r\n  4\r\n"},
          {dims, "4  2  6  4"},
          {dims, "04 +2 6 4"},
          {dims, "<!-- 8 8 8 8 -->4 2 6 4"},
          {"<dims>", "<q:dims a='b'>", "Start-end tags mismatch"},
          {"<dims>4 2 6 4 </dims>", "<q:dims a='b'>4 2 6 4</q:dims>"},
          {"<dims>4 2 6 4 </dims>", ""},
          {volfmt, "<volfmt>\n0\n</volfmt>"},
          {volfmt, ""},
          {"<spacetime>4</spacetime>", "<spacetime/>"},
          {"</scidacFile>", "</scidacFile>\n\n" + std::string(3, '\0')},
          {dims, "4 2 6", four},
          {dims, "4 2 6 4 8", four},
          {dims, "4,2,6,4", four},
          {dims, "4-2-6-4", four},
          {dims, "4 2x6 4", four},
          {dims, "4 2 6 99999999999", four},
          {dims, "4 2 6 4.0", four},
          {dims, "4 2 6 4x", four},
          {dims, "", four},
          {dims, "4 2 6 8", "contradicts itself: extents 4x2x6x4 in ildg-format, 4x2x6x8 in scidac-private-file-xml"},
          {volfmt, "<volfmt>1</volfmt>",
           "is one of QIO's part files NAME.vol0000, NAME.vol0001 and so on (its volfmt is not 0)"},
          {volfmt, "<volfmt>0x</volfmt>", "<volfmt> in its record scidac-private-file-xml is '0x'"},
          {volfmt, "<volfmt/>", "<volfmt> in its record scidac-private-file-xml is ''"}});
}

TEST_F(LimeHeaderSpellings, OfScidacPrivateRecordXmlAreRead) {
  const std::string typesize = "<typesize>144</typesize>", datacount = "<datacount>4</datacount>",
                    colors = "<colors>3</colors>", in_record = " in its record scidac-private-record-xml is ";
  expect(&LimeTexts::private_record,
         {{"<precision>D<", "<precision> d <"},
          {"<precision>D<", "<precision><![CDATA[D]]><"},
          {colors, ""},
          {colors, "<colors/>"},
          {colors, "<colors> 3\n</colors>"},
          {"<spins>4</spins>", "<spins></spins>"},
          {typesize, "<typesize>\t0144 </typesize>"},
          {typesize + datacount, "<typesize>576</typesize><datacount>1</datacount>"},
          {typesize + datacount, datacount + typesize},
          {"QDP_D3_ColorMatrix", "GRID_D_LorentzVector4_ColourMatrix3"},
          {"<datatype>QDP_D3_ColorMatrix</datatype>", "<datatype/>"},
          {"<scidacRecord>", "<scidacRecord><version>1.1</version><date>Sun Dec  4 20:49:06 2005 UTC</date>"},
          {"<scidacRecord>", "<scidacRecord><recordtype>0</recordtype><!-- <typesize>72</typesize> -->"},
          {"</scidacRecord>", "</scidacRecord>\r\n"},
          {"<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\" standalone='yes'?>\n"},
          {typesize, "<typesize>144.0</typesize>", "<typesize>" + in_record + "'144.0', which is no whole number"},
          {typesize, "<typesize>144 bytes</typesize>", "<typesize>" + in_record + "'144 bytes'"},
          {typesize, "<typesize/>", "<typesize>" + in_record + "''"},
          {typesize, "<typesize>1073741968</typesize>", "4 of 1073741968 bytes at each site), not a gauge field"},
          {typesize, "<typesize>-1073741680</typesize>", "4 of -1073741680 bytes at each site), not a gauge field"},
          {typesize, "", "<typesize> in its record scidac-private-record-xml is missing"},
          {datacount, "<datacount>4e0</datacount>", "<datacount>" + in_record + "'4e0'"},
          {colors, "<colors>3.0</colors>", "<colors>" + in_record + "'3.0'"},
          {"<spins>4<", "<spins>four<", "<spins>" + in_record + "'four'"},
          {typesize, "<typesize>144</typesizes>", "the XML of its record scidac-private-record-xml cannot be read"}});
  // Without ildg-format the record alone states the precision.
  const std::string of_scidac =
      lime_record("scidac-private-file-xml", right_.private_file, true, true) +
      lime_record("scidac-private-record-xml", replaced(right_.private_record, ">D<", ">Double<"), true) +
      lime_record("scidac-binary-data", body_, false, true);
  expect_readings({{"", "", "precision is neither 32 nor 64 bits"}}, links_,
                  [&](const Spelling&) { return of_scidac; });
}

TEST_F(LimeHeaderSpellings, OfUsqcdInfoAreRead) {
  const std::string plaq = "<plaq>" + right_.plaquette + "</plaq>";
  expect(&LimeTexts::record,
         {{plaq, "<plaq> {} </plaq>"},
          {plaq, "<plaq>\r\n{}\r\n</plaq>"},
          {plaq, "<plaq>+{}</plaq>"},
          {plaq, "<plaq norm=\"1\">{}</plaq>"},
          {plaq, "<u:plaq>{}</u:plaq>"},
          {plaq, "<plaq>{}e0</plaq>"},
          {plaq, "<plaq>{}E+00</plaq>"},
          {plaq, "<!-- <plaq>0.1</plaq> --><plaq>{}</plaq>"},
          {plaq, "<plaq><![CDATA[{}]]></plaq>"},
          {plaq, "", "", false},
          {plaq, "<plaq/>", "", false},
          {plaq, "<plaq> </plaq>", "", false},
          {"usqcdInfo", "weakField", "", false},
          {"<info>", "<info>a &lt; b &amp; c "},
          {"<info>beta = 6</info>", "<info><![CDATA[<plaq>0.1</plaq> & a < b]]></info>"},
          {"<info>beta = 6</info>", "<info><plaq>0.1</plaq></info>"},
          {"</usqcdInfo>", "</usqcdInfo>" + std::string(2, '\0')},
          {plaq, "<plaq>{}x</plaq>", "", false},
          {plaq, "<plaq>1e-2147483648</plaq>", "", false},
          {plaq, "<plaq>1e</plaq>", "", false},
          {plaq, "<plaq>0,5</plaq>", "", false},
          {plaq, "<plaq>0.5 0.5</plaq>", "", false},
          {plaq, "<plaq>nan</plaq>", "", false},
          {plaq, "<plaq>inf</plaq>", "", false},
          {plaq, "<plaq>0x1p-1</plaq>", "", false},
          {plaq, "<plaq>{}</plaq><plaq>0.5</plaq>", "", false},
          {plaq, "<plaq>0.5</plaq>",
           "wrong plaquette: the file states 0.5 (<plaq> in its record scidac-record-xml), its links give"},
          {plaq, "<plaq>{}", "", false},
          // QIO's writers do not escape the text of a user, and its readers do not mind.
          {"<info>beta = 6</info>", "<info>light mass < strange mass</info>"},
          {"<info>beta = 6</info>", "<info>beta & kappa by <me@site.edu></info>"},
          {"<info>beta = 6</info>", "<info>lines<br>broken</info>"},
          {"<info>beta = 6</info>", "<info>lines<br>broken"},
          {"<info>beta = 6</info>", "<info>a < b</info><plaq>0.5</plaq>"},
          {plaq + "<linktr>", "<plaq>0.5</plaq><br><linktr>", "wrong plaquette: the file states 0.5"},
          {plaq + "<linktr>", "<plaq>unknown</plaq><br><linktr>", "", false}});
  right_.record = "plain text <plaq>0.1</plaq>";
  expect(&LimeTexts::record, {{"plain text", "another text", "", false}});
}

TEST_F(LimeHeaderSpellings, OfXlfInfoAreRead) {
  right_.record = "";
  right_.xlf_info = "?";
  expect(&LimeTexts::xlf_info,
         {{"?", "\n plaquette = {}\n trajectory nr = 10\n beta = 6.000000, kappa = 0.177000, mu = 0.500000\n"},
          {"?", "plaquette = {}\n trajectory nr = \n trajectory nr = 200\n beta = 5.69\n"},
          {"?", "plaquette = {}"},
          {"?", "plaquette={}\r\nbeta = 6\r\n"},
          {"?", "Plaquette\t=\t{}\n"},
          {"?", "PLAQUETTE = {}, trajectory nr = 1"},
          {"?", "beta = 6.0, plaquette = {}, kappa = 0.1"},
          {"?", "plaquette = {} trajectory nr = 3\n"},
          {"?", "average plaquette = {}\n"},
          {"?", "old_plaquette = 0.3\nplaquette = {}\n"},
          {"?", "energy of plaquette 0.3 = unknown\nplaquette = {}\n"},
          {"?", "plaquette =\nplaquette = {}\n"},
          {"?", "plaquette = {}\n" + std::string(5, '\0')},
          {"?", "<?xml version=\"1.0\"?>\n<xlf-info>\n  <plaquette>{}</plaquette>\n</xlf-info>"},
          {"?", "<xlf-info><plaquette>{}</plaquette><2kappamu>0.01</2kappamu><c2_rec>0</c2_rec></xlf-info>"},
          {"?", "plaquette = \nbeta = 6.0\n", "", false},
          {"?", "trajectory nr = 10\n", "", false},
          {"?", "the plaquette\n", "", false},
          {"?", "plaquette = {}x\n", "", false},
          {"?", "plaquette = 1e-2147483648\n", "", false},
          {"?", "plaquette = unknown\n", "", false},
          {"?", "plaquette = 0.5\n", "wrong plaquette: the file states 0.5 (plaquette in its record xlf-info)"},
          {"?", "<xlf-info><plaquette>{}</plaquette><note>a < b</note></xlf-info>"},
          {"?", "<xlf-info><plaquette>{}</xlf-info>", "", false}});
}

TEST_F(LimeHeaderSpellings, OfUsersThatAreNoXmlAreNotes) {
  right_.record = "<usqcdInfo><plaq>0,5</plaq><info>a < b</info></usqcdInfo>";
  right_.xlf_info = "plaquette = unknown\n";
  test::write_bytes(folder / "a", file(right_));
  const std::vector<std::string> notes = read_links(folder / "a").report.notes;
  ASSERT_EQ(notes.size(), 3u);
  expect_text(notes[0], "the XML of its record scidac-record-xml cannot be read: ");
  expect_text(notes[1], "<plaq> in its record scidac-record-xml is '0,5', which is no number");
  expect_text(notes[2], "plaquette in its record xlf-info is 'unknown', which is no number");
}

TEST_F(LimeHeaderSpellings, OfPartFilesAreNamed) {
  test::write_bytes(folder / "a.vol0001",
                    lime_record("scidac-sitelist", std::string(64, '\0'), true, true) +
                        lime_record("scidac-binary-data", body_.substr(0, body_.size() / 2), true, true));
  KAON_EXPECT_ERROR(read_links(folder / "a.vol0001"),
                    "is one of QIO's part files NAME.vol0000, NAME.vol0001 and so on");
}

TEST_F(LimeHeaderSpellings, MayEndInBlanksAndZeros) {
  for (const std::string& end : {std::string("\n"), std::string("\r\n"), std::string(512, '\0')}) {
    test::write_bytes(folder / "a", file(right_) + end);
    EXPECT_EQ(read_links(folder / "a").links.links, links_.links);
  }
  test::write_bytes(folder / "a", file(right_) + "end");
  KAON_EXPECT_ERROR(read_links(folder / "a"), "is too long or damaged: the 3 bytes after the record scidac-checksum");
}

/// The records of gpt's format.lime and format.grid_scidac.
class GptFile : public LimeHeaderSpellings {
 protected:
  std::string gpt_file(const std::string& body, const std::string& grid, int count, const std::string& type) const {
    const std::string declaration = "<?xml version='1.0' encoding='utf-8'?>\n";
    const auto record = [](const std::string& kind, const std::string& text) {
      return lime_record(kind, text, true, true);
    };
    return record("gpt-binary-data", body) +
           record("scidac-checksum", declaration + test::scidac_checksum(body, body.size() / 192)) +
           record("gpt-format", fmt::format("{}<gptFormat><grid>{}</grid><n>{}</n><otype>{}</otype></gptFormat>",
                                            declaration, grid, count, type));
  }
  const std::string type_ = "ot_matrix_su_n_fundamental_group(3);none";
};

TEST_F(GptFile, IsReadByItsRecordGptFormat) {
  const std::string lime = gpt_file(body_, "[4,2,6,4];double;full", 4, type_);
  const std::string placeholders =
      lime_record("grid-format", "<FieldMetaData><nd>0</nd><dimension/><checksum>0</checksum></FieldMetaData>", true,
                  true) +
      lime_record("scidac-record-xml", "<emptyUserRecord><dummy>0</dummy></emptyUserRecord>", true, true) +
      lime_record("scidac-private-record-xml",
                  "<scidacRecord><version>1</version><date/><recordtype>0</recordtype><datatype>0</datatype>"
                  "<precision>0</precision><colors>0</colors><spins>0</spins><typesize>0</typesize>"
                  "<datacount>0</datacount></scidacRecord>",
                  true, true);
  const std::string scidac = placeholders + replaced(lime, std::string("gpt-binary-data\0", 16), "ildg-binary-data");
  for (const std::string& bytes : {lime, scidac}) {
    test::write_bytes(folder / "a", bytes);
    const HostGaugeFile read = read_links(folder / "a");
    EXPECT_EQ(read.links.links, links_.links);
    EXPECT_TRUE(read.header.checksum.has_value());
  }
  const auto message = [&](const std::string& from, const std::string& to) {
    test::write_bytes(folder / "a", replaced(lime, from, to));
    return error_text([&] { read_links(folder / "a"); });
  };
  expect_text(message("[4,2,6,4]", "[4,2,6,x]"), "<grid> in its record gpt-format is '[4,2,6,x];double;full', which");
  expect_text(message("[4,2,6,4]", "[4,26,4,]"), "which is not a grid of four extents with all sites");
  expect_text(message("le;full", "le;half"), "which is not a grid of four extents with all sites");
  expect_text(message("[4,2,6,4]", "[4,2,6,2]"), "is too long: its record gpt-binary-data has 110592 bytes");
  expect_text(message("<n>4</n>", "<n>2</n>"),
              "holds ot_matrix_su_n_fundamental_group(3) (2 of 144 bytes at each site)");
  expect_text(message("(3)", "[3)"), "(4 of 0 bytes at each site), not a gauge field");
}

// gpt reverses the bytes of each eight.
TEST_F(GptFile, OfSinglePrecisionHasTheImaginaryPartFirst) {
  std::string body;
  for (const std::complex<double> z : links_.links) {
    test::append(body, static_cast<float>(z.imag()), ByteOrder::big);
    test::append(body, static_cast<float>(z.real()), ByteOrder::big);
  }
  test::write_bytes(folder / "a", gpt_file(body, "[4,2,6,4];single;full", 4, type_));
  const HostGaugeFile read = read_links(folder / "a");
  EXPECT_EQ(read.header.bits, 32);
  EXPECT_EQ(read.links.links, test::rounded_to_float(links_.links));
}

/// Records belong to bodies by their order and their messages.
TEST_F(LimeHeaderSpellings, DescribeTheBodyOfTheirMessage) {
  using Flags = std::array<bool, 2>;
  const auto format = [&](Flags f) { return lime_record("ildg-format", right_.ildg_format, f[0], f[1]); };
  const auto body = [&](Flags f) { return lime_record("ildg-binary-data", body_, f[0], f[1]); };
  const auto other = [&](Flags f) { return lime_record("scidac-binary-data", "others", f[0], f[1]); };
  const auto sum = [&](Flags f) { return lime_record("scidac-checksum", checksum_, f[0], f[1]); };
  const auto other_sum = [&](Flags f) {
    return lime_record("scidac-checksum", test::scidac_checksum("others", 6), f[0], f[1]);
  };
  constexpr Flags begin{true, false}, in{false, false}, end{false, true}, alone{true, true};
  const auto read = [&](const std::string& bytes) {
    test::write_bytes(folder / "a", bytes);
    return read_links(folder / "a");
  };
  std::string damaged_body = body_;
  damaged_body[1007] ^= 1;
  const std::vector<std::string> with_checksum{
      format(begin) + body(in) + sum(end),
      format(begin) + sum(in) + body(end),
      sum(begin) + format(in) + body(end),
      body(begin) + sum(in) + format(end),
      body(begin) + format(in) + sum(end),
      format(in) + body(in) + sum(in),           // no flags
      format(begin) + body(end) + sum(alone),    // tmLQCD
      format(begin) + body(in) + sum(begin),     // tmLQCD with LEMON
      format(begin) + body(begin) + sum(begin),  // older
      sum(alone) + format(begin) + body(end),
      format(begin) + body(in) + sum(in) + sum(end),                // twice the same
      format(in) + body(in) + sum(in) + other(in) + other_sum(in),  // two bodies in a message, sums behind
      format(in) + sum(in) + body(in) + other_sum(in) + other(in),  // or before
      other(begin) + other_sum(end) + format(begin) + sum(in) + body(end),
      other_sum(begin) + other(end) + format(begin) + body(in) + sum(end)};
  for (std::size_t k = 0; k < with_checksum.size(); ++k) {
    SCOPED_TRACE(testing::Message() << "order " << k);
    const HostGaugeFile good = read(with_checksum[k]);
    EXPECT_EQ(good.links.links, links_.links);
    EXPECT_TRUE(good.header.checksum.has_value());
    KAON_EXPECT_ERROR(read(replaced(with_checksum[k], body_, damaged_body)), "wrong checksum");
  }
  // Checksums of another message do not count.
  for (const std::string& bytes : {format(begin) + body(end) + other_sum(begin) + other(end),
                                   other(begin) + other_sum(end) + format(begin) + body(end)}) {
    EXPECT_FALSE(read(bytes).header.checksum.has_value());
  }
  // Two that disagree are refused, with both.
  for (const std::string& bytes :
       {format(begin) + body(in) + sum(in) + other_sum(end), format(begin) + other_sum(in) + body(in) + sum(end),
        format(begin) + body(in) + sum(end) + other_sum(alone)}) {
    KAON_EXPECT_ERROR(read(bytes), "contradicts itself: two records scidac-checksum state suma ");
  }
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
