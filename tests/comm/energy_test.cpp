// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/comm/energy.hpp>
#include <kaon/core/execution.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kaon {
namespace {

/// A folder like Linux' powercap: a zone of each package, and zones within that are part of it.
class EnergyMeterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (on_device) GTEST_SKIP() << "packages are counted on hosts";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& zone, const std::string& name, double microjoules, double range = 65e9) const {
    std::filesystem::create_directories(folder_ / zone);
    std::ofstream(folder_ / zone / "name") << name << '\n';
    std::ofstream(folder_ / zone / "max_energy_range_uj") << fixed(range) << '\n';
    std::ofstream(folder_ / zone / "energy_uj") << fixed(microjoules) << '\n';
  }
  static std::string fixed(double value) { return std::to_string(static_cast<long long>(value)); }

  const std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "kaon_powercap";
  const Communicator alone_;
};

TEST_F(EnergyMeterTest, AddsUpPackagesAndNoPartsOfThem) {
  write("intel-rapl:0", "package-0", 5e6);
  write("intel-rapl:0:0", "core", 1e6);
  write("intel-rapl:1", "package-1", 7e6);
  const EnergyMeter meter(alone_, folder_);
  EXPECT_EQ(meter.joules(), 0.0);
  write("intel-rapl:0", "package-0", 8e6);
  write("intel-rapl:0:0", "core", 3e6);
  write("intel-rapl:1", "package-1", 11e6);
  EXPECT_EQ(meter.joules(), 7.0);
}

// Laptops count the same package by its registers and by mapped memory.
TEST_F(EnergyMeterTest, CountsPackagesOnce) {
  write("intel-rapl:0", "package-0", 5e6);
  write("intel-rapl-mmio:0", "package-0", 6e6);
  const EnergyMeter meter(alone_, folder_);
  write("intel-rapl:0", "package-0", 9e6);
  write("intel-rapl-mmio:0", "package-0", 10e6);
  EXPECT_EQ(meter.joules(), 4.0);
}

TEST_F(EnergyMeterTest, FollowsACounterThatBeginsAnew) {
  write("intel-rapl:0", "package-0", 64999e6);
  const EnergyMeter meter(alone_, folder_);
  write("intel-rapl:0", "package-0", 2e6);
  EXPECT_EQ(meter.joules(), 3.0);
}

TEST_F(EnergyMeterTest, HasNoneWhereACounterIsMissingOrTooShort) {
  EXPECT_FALSE(EnergyMeter(alone_, folder_).joules());
  write("intel-rapl:0", "package-0", 5e6);
  write("intel-rapl:1", "package-1", 5e6);
  const EnergyMeter meter(alone_, folder_);
  EXPECT_TRUE(meter.joules());
  std::filesystem::remove(folder_ / "intel-rapl:1" / "energy_uj");
  EXPECT_FALSE(meter.joules());
  EXPECT_FALSE(EnergyMeter(alone_, folder_).joules());
  std::filesystem::remove_all(folder_);
  write("intel-rapl:0", "package-0", 0.0, 1.0);  // restarts within nanoseconds
  EXPECT_FALSE(EnergyMeter(alone_, folder_).joules());
}

TEST(EnergyMeter, OfTheDeviceDoesNotFall) {
  const EnergyMeter meter{Communicator()};
  const std::optional<double> begin = meter.joules();
  const std::optional<double> end = meter.joules();
  ASSERT_EQ(begin.has_value(), end.has_value());
  if (begin) {
    EXPECT_LE(*begin, *end);
  }
}

}  // namespace
}  // namespace kaon
