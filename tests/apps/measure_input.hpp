// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/apps/cli_test.hpp"
#include "tests/support/program.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

// Inputs of `kaon measure` and two gauge fields.
namespace kaon::test {

using Json = nlohmann::json;

/// An input with point sources, whose lines the refusals name.
inline const std::string good = R"([quark.l]
action = "clover"
csw = 1.0
mass = 0.3
[quark.s]
action = "clover"
csw = 1.0
mass = 0.5
[source]
kind = "point"
sites = [[0, 0, 0, 0], [1, 2, 3, 5]]
[sink.wide]
width = 1.5
steps = 4
[[meson]]
quarks = ["l", "l"]
gammas = ["g5", "g4g5:g5"]
momenta = [[0, 0, 0], [0, 0, 1]]
sinks = ["point", "wide"]
[[meson]]
quarks = ["l", "s"]
[[baryon]]
kind = "nucleon"
quarks = ["l", "s"]
[solver]
tolerance = 1e-11
)";

/// `good` with the line that starts with `start` replaced.
inline std::string with(const std::string& start, const std::string& line) {
  const std::size_t begin = ("\n" + good).find("\n" + start);
  EXPECT_NE(begin, std::string::npos) << start;
  std::string text = good;
  return text.replace(begin, text.find('\n', begin) - begin, line);
}

/// A line of `with` with a nucleon's three-point functions before [solver], in line 25. `lines` replace its other keys.
inline std::string three_point(const std::string& lines) {
  return "[[three_point]]\nkind = \"nucleon\"\nquarks = [\"l\", \"s\"]\n" + lines + "\n[solver]";
}

class Measure : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TemporaryFolder;
    expect_success("generate --size 4,4,4,8 --beta 6 --start hot --seed 5 --sweeps 2 --save-every 1 --output " +
                   (*shared_ / "q"));
  }
  static void TearDownTestSuite() { delete shared_; }

  static std::string field(int number) { return *shared_ / ("q_00000" + std::to_string(number) + ".lime"); }
  static std::string both() { return field(1) + " " + field(2); }

  /// Writes an input for a folder of its own and returns its name.
  std::string input(const std::string& folder, const std::string& format = "json", const std::string& text = good,
                    const std::string& layout = "plain") const {
    const std::string name = folder_ / (folder + ".toml");
    std::ofstream(name) << text << "[output]\nfolder = \"" << folder_ / folder << "\"\nformat = \"" << format
                        << "\"\nlayout = \"" << layout << "\"\n";
    return name;
  }

  Json result(const std::string& folder, int number) const {
    return Json::parse(read_text(folder_ / (folder + "/q_00000" + std::to_string(number) + ".json")));
  }

  TemporaryFolder folder_;
  static inline TemporaryFolder* shared_ = nullptr;
};

}  // namespace kaon::test
