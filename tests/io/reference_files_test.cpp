// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "tests/io/files.hpp"
#include "tests/support/data.hpp"
#include "tests/support/largest_difference.hpp"

#include <kaon/io/gauge_file.hpp>

// Gauge fields of other codes, against plaquettes and link traces computed by an independent program.

namespace kaon::io {
namespace KAON_TEST_FILE {

struct Reference {
  const char* file;
  GaugeFormat format;
  Coordinates extents;
  int bits;
  ByteOrder byte_order;
  double plaquette;
  double link_trace;
  double link_trace_rounding;  ///< half a unit of the last digit known
};

class ReferenceFile : public ::testing::TestWithParam<Reference> {};

TEST_P(ReferenceFile, HasTheKnownPlaquetteAndLinkTrace) {
  const Reference& reference = GetParam();
  KAON_TEST_DATA_FILE(path, reference.file);
  const ReadOptions options{.extents = reference.extents};
  const HostGaugeFile read = read_links(path, options);
  EXPECT_EQ(read.header.format, reference.format);
  EXPECT_EQ(read.header.extents, reference.extents);
  EXPECT_EQ(read.header.bits, reference.bits);
  EXPECT_EQ(read.header.byte_order, reference.byte_order);
  EXPECT_NEAR(read.report.plaquette, reference.plaquette, 1e-12);
  EXPECT_NEAR(read.report.link_trace, reference.link_trace, reference.link_trace_rounding);
  EXPECT_EQ(read.header.checksum.value_or(Checksum{}), read.header.checksum ? *read.report.checksum : Checksum{});

  const GaugeFileHeader header = inspect_gauge(path, options);
  EXPECT_EQ(header.format, reference.format);
  EXPECT_EQ(header.extents, reference.extents);
}

using enum GaugeFormat;
using enum ByteOrder;

constexpr Reference references[] = {
    {"milc/lat.sample.l8888", milc, {8, 8, 8, 8}, 32, little, 0.593560240433, -6.4563862e-4, 1e-11},
    {"milc/lat.sample.l8", scidac, {8, 8, 8, 8}, 32, big, 0.873640874413, 0.965058852, 1e-9},
    {"milc/lat.sample.l4448.ll", milc, {4, 4, 4, 8}, 32, little, 0.554004687947, 0.621316795, 1e-9},
    {"milc/lat.sample.l4448.gf", milc, {4, 4, 4, 8}, 32, big, 0.569055725854, 0.751466184, 1e-9},
    {"milc/lat.sample.l4444", milc, {4, 4, 4, 4}, 32, little, 0.594850158947, 0.646758737, 1e-9},
    {"milc/lat.sample.l4444.scidac", scidac, {4, 4, 4, 4}, 32, big, 0.594850158947, 0.646758737, 1e-9},
    {"milc/lat.sample.l4444.ildg", ildg, {4, 4, 4, 4}, 32, big, 0.594850158947, 0.646758737, 1e-9},
    {"weak_field/weak_field.lime", ildg, {4, 4, 4, 8}, 64, big, 0.994804132267, 0.379449349, 1e-9},
    {"nersc/t_nersc.cfg", nersc, {4, 4, 4, 4}, 32, big, 0.038242289324, 0.463032210, 1e-9},
    {"nersc/tests_x32_nersc.cfg", nersc, {32, 4, 4, 8}, 32, big, 0.994690434439, 0.379328457, 1e-9},
    {"nersc/lat..400", nersc, {4, 4, 4, 8}, 64, little, 0.598545559083, -7.741846e-4, 1e-10},
    {"ildg/L4T8conf", ildg, {4, 4, 4, 8}, 64, big, 0.635005572229, 0.004385211, 1e-9},
    {"ildg/conf.00200", ildg, {4, 4, 4, 4}, 64, big, 0.571077111695, -0.004703155, 1e-9},
    {"ildg/ildg.l8t4b3360_QUDA", scidac, {8, 8, 8, 4}, 64, big, 0.311637548993, 0.002564709, 1e-9},
    {"ildg/conf_08080808.ildg", ildg, {8, 8, 8, 8}, 64, big, 0.555243594507, 6.749e-4, 1e-7},
    {"other/8x8x8x8b6.0000id3n1", dd_alphaamg, {8, 8, 8, 8}, 64, little, 0.592431699204, 0.003552634, 1e-9},
    {"other/openQCD_qcd1_pb_L8T8_b6.0_c1.234_k0.13_r0_id4n1",
     openqcd,
     {8, 8, 8, 8},
     64,
     little,
     0.001669681144,
     -2.216e-5,
     1e-8},
};

INSTANTIATE_TEST_SUITE_P(OfOtherCodes, ReferenceFile, ::testing::ValuesIn(references), [](const auto& info) {
  std::string name = info.param.file;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

// One field, once in single precision by two rows, once in double.
TEST(ReferenceFiles, TheSameFieldInTwoFormatsIsTheSame) {
  KAON_TEST_DATA_FILE(path, "nersc/t_nersc.cfg");
  const HostGaugeFile single = read_links(path);
  const HostGaugeFile twice = read_links(test::data_folder() / "ildg/t_dprec_ildg.lime");
  EXPECT_EQ(twice.header.bits, 64);
  EXPECT_NEAR(twice.report.plaquette, 0.0382422893, 5e-10);
  double worst = 0;
  for (std::size_t k = 0; k < single.links.links.size(); ++k) {
    worst = test::larger(worst, std::abs(single.links.links[k] - twice.links.links[k]));
  }
  EXPECT_LT(worst, 1e-6);
}

TEST(ReferenceFiles, TheFoldedSignIsReported) {
  KAON_TEST_DATA_FILE(path, "ildg/ildg.l8t4b3360_QUDA");
  const HostGaugeFile read = read_links(path);
  ASSERT_EQ(read.report.notes.size(), 1u);
  test::expect_text(read.report.notes[0], "the antiperiodic sign folded into the time links of the last time slice");
  KAON_EXPECT_ERROR(read_links(path, {.unfold_antiperiodic = false}), "512 of 8192 links are not in SU(3)");
}

TEST(ReferenceFiles, ADamagedFileIsRefusedWithBothReasons) {
  KAON_TEST_DATA_FILE(path, "bad/lat.sample.5p7");
  const std::string text = test::error_text([&] { read_links(path); });
  test::expect_text(text, "wrong checksum: the file states sum29 2e218ab1 sum31 2d188e6b, its body gives sum29");
  test::expect_text(text, "192 of 2048 links are not in SU(3)");
}

TEST(ReferenceFiles, ForcesAreNoGaugeField) {
  KAON_TEST_DATA_FILE(path, "nersc/force_reference");
  KAON_EXPECT_ERROR(read_links(path), "8192 of 8192 links are not in SU(3)");
  EXPECT_EQ(inspect_gauge(path).rows, 3);
}

TEST(ReferenceFiles, FatLinksAreReadOnlyWhenAskedFor) {
  KAON_TEST_DATA_FILE(path, "milc/fat.l8");
  KAON_EXPECT_ERROR(read_links(path), "links are not in SU(3)");
  EXPECT_GT(read_links(path, {.require_special_unitary = false}).report.unitarity_deviation, 1);
}

TEST(ReferenceFiles, OtherFieldsInLimeAreNoGaugeField) {
  KAON_TEST_DATA_FILE(path, "milc/ksvector.src.sample.l8");
  KAON_EXPECT_ERROR(read_links(path),
                    "holds QDP_F3_ColorVector (1 of 24 bytes at each site), not a gauge field (4 of 72 bytes)");
}

TEST(ReferenceFiles, ExtentsThatAFileDoesNotStateAreAskedFor) {
  KAON_TEST_DATA_FILE(path, "ildg/conf_08080808.ildg");
  KAON_EXPECT_ERROR(read_links(path), "does not state its extents");
}

}  // namespace KAON_TEST_FILE
}  // namespace kaon::io
