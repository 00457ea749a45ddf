// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/options.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string_view>

namespace kaon::perf {
namespace {

constexpr std::string_view direction_names = "xyzt";
const CLI::Validator direction_letters(
    [](const std::string& text) {
      const bool known = text.find_first_not_of(direction_names) == std::string::npos;
      return known ? "" : fmt::format("{}: some of the letters {} are needed", text, direction_names);
    },
    "");
const std::map<std::string, HaloPrecision> halos{
    {"field", HaloPrecision::field}, {"single", HaloPrecision::single}, {"half", HaloPrecision::half}};

/// Values as they are given.
struct Words {
  std::vector<int> extents, grid;  ///< four numbers each time
  std::string cut;                 ///< letters
};

/// kaon's options, which set `options` and `words`.
std::unique_ptr<CLI::App> parser(Options& options, Words& words) {
  auto app =
      std::make_unique<CLI::App>("kaon's benchmarks. Host threads: OMP_NUM_THREADS, default all cores.", "kaon_perf");
  app->set_help_flag();
  app->allow_extras();
  const auto add_four = [&](const char* name, std::vector<int>& numbers, const char* text) {
    CLI::Option* option = app->add_option(name, numbers, text);
    option->delimiter(',')->type_size(4)->check(CLI::Range(1, std::numeric_limits<int>::max()).description(""));
    option->type_name("X,Y,Z,T");
    return option;
  };
  add_four("--kaon_extents", words.extents,
           "A lattice to measure on; may be given several times (default: 16^4 and 24^4 on the host, 16^4 and 32^4 on "
           "a GPU)");
  add_four("--kaon_grid", words.grid, "Processes in each direction (default: chosen by kaon)")->expected(1);
  app->add_option("--kaon_partition", words.cut, "Directions that are cut on one process too, to see what halos cost")
      ->check(direction_letters)
      ->type_name("xyzt");
  app->add_option("--kaon_halo", options.halo,
                  "Precision in which halos travel at most, in hops and in the iterations of whole solves (default: "
                  "that of the fields)")
      ->transform(CLI::CheckedTransformer(halos).description(""))
      ->type_name("field|single|half");
  app->add_option("--kaon_gauge", options.gauge,
                  "A gauge field: its lattice is measured on too, also with whole solves (solve_...), c_sw = 1.769")
      ->type_name("FILE");
  app->add_flag("--kaon_ignore_stated_plaquette", options.ignore_stated_plaquette,
                "Read that file although its links have another plaquette than it states");
  app->add_option("--kaon_kappa", options.kappa, "kappa of these solves")
      ->check(CLI::Range(1e-9, 1.0))
      ->capture_default_str();
  app->add_option("--kaon_mass", options.staggered_mass, "Mass of those of staggered quarks")
      ->check(CLI::Range(1e-9, 1.0))
      ->capture_default_str();
  app->add_option("--kaon_copy_mib", options.copy_mebibytes,
                  "MiB of each of the two arrays of the copy whose bandwidth is the ceiling, much larger than caches")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  return app;
}

}  // namespace

Options take_options(std::vector<std::string>& arguments) {
  Options options;
  Words words;
  const std::unique_ptr<CLI::App> app = parser(options, words);
  try {
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  arguments = app->remaining();
  require(words.extents.size() % 4 == 0, "--kaon_extents: four numbers are needed, as in --kaon_extents=16,16,16,16");
  for (auto next = words.extents.begin(); next != words.extents.end(); next += 4) {
    std::copy_n(next, 4, options.lattices.emplace_back().begin());
  }
  std::ranges::copy(words.grid, options.process_grid.begin());
  for (const char letter : words.cut) options.partition[direction_names.find(letter)] = true;
  if (options.lattices.empty() && options.gauge.empty()) {
    const int large = on_device ? 32 : 24;
    options.lattices = {{16, 16, 16, 16}, {large, large, large, large}};
  }
  return options;
}

void print_help() {
  Options options;
  Words words;
  fmt::print("{}\n", parser(options, words)->help());
  benchmark::PrintDefaultHelp();
}

}  // namespace kaon::perf
