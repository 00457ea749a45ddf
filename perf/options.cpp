// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "perf/options.hpp"

#include "core/base/number_of.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/execution.hpp>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kaon::perf {
namespace {

constexpr std::string_view extents_option = "--kaon_extents=";
constexpr std::string_view gauge_option = "--kaon_gauge=";
constexpr std::string_view plaquette_option = "--kaon_ignore_stated_plaquette";
constexpr std::string_view kappa_option = "--kaon_kappa=";
constexpr std::string_view mass_option = "--kaon_mass=";
constexpr std::string_view grid_option = "--kaon_grid=";
constexpr std::string_view partition_option = "--kaon_partition=";
constexpr std::string_view halo_option = "--kaon_halo=";
constexpr std::string_view copy_option = "--kaon_copy_mib=";

/// The whole of `text` as a positive number, or 0.
int positive_number(std::string_view text) { return std::max(0, detail::number_of<int>(text).value_or(0)); }

/// A number between 0 and 1.
double parse_fraction(std::string_view option, std::string_view text) {
  const double value = detail::number_of<double>(text).value_or(0.0);
  require(value > 0.0 && value < 1.0,
          [&] { return fmt::format("{}{}: a number between 0 and 1 is needed", option, text); });
  return value;
}

Coordinates parse_four(std::string_view option, std::string_view text) {
  Coordinates extents{};
  std::string_view rest = text;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const std::size_t comma = rest.find(',');
    extents[mu] = positive_number(rest.substr(0, comma));
    require(extents[mu] > 0 && (comma == std::string_view::npos) == (mu == 3), [&] {
      return fmt::format("{}{}: four positive numbers are needed, as in {}16,16,16,16", option, text, option);
    });
    rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  }
  return extents;
}

std::array<bool, 4> parse_directions(std::string_view text) {
  constexpr std::string_view names = "xyzt";
  std::array<bool, 4> directions{};
  for (const char letter : text) {
    const std::size_t mu = names.find(letter);
    require(mu != std::string_view::npos,
            [&] { return fmt::format("{}{}: some of the letters {} are needed", partition_option, text, names); });
    directions[mu] = true;
  }
  return directions;
}

HaloPrecision parse_halo(std::string_view text) {
  if (text == "single") return HaloPrecision::single;
  if (text == "half") return HaloPrecision::half;
  require(text == "field", [&] { return fmt::format("{}{}: field, single or half is needed", halo_option, text); });
  return HaloPrecision::field;
}

std::vector<Coordinates> default_lattices() {
  const int large = on_device ? 32 : 24;
  return {{16, 16, 16, 16}, {large, large, large, large}};
}

}  // namespace

Options take_options(int& argc, char** argv) {
  Options options;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with(extents_option)) {
      options.lattices.push_back(parse_four(extents_option, argument.substr(extents_option.size())));
    } else if (argument.starts_with(grid_option)) {
      options.process_grid = parse_four(grid_option, argument.substr(grid_option.size()));
    } else if (argument.starts_with(partition_option)) {
      options.partition = parse_directions(argument.substr(partition_option.size()));
    } else if (argument.starts_with(halo_option)) {
      options.halo = parse_halo(argument.substr(halo_option.size()));
    } else if (argument.starts_with(gauge_option)) {
      options.gauge = argument.substr(gauge_option.size());
    } else if (argument == plaquette_option) {
      options.ignore_stated_plaquette = true;
    } else if (argument.starts_with(kappa_option)) {
      options.kappa = parse_fraction(kappa_option, argument.substr(kappa_option.size()));
    } else if (argument.starts_with(mass_option)) {
      options.staggered_mass = parse_fraction(mass_option, argument.substr(mass_option.size()));
    } else if (argument.starts_with(copy_option)) {
      const int mebibytes = positive_number(argument.substr(copy_option.size()));
      require(mebibytes > 0, [&] { return fmt::format("{}: a positive number is needed", argument); });
      options.copy_mebibytes = static_cast<std::size_t>(mebibytes);
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  argv[argc] = nullptr;
  if (options.lattices.empty() && options.gauge.empty()) options.lattices = default_lattices();
  return options;
}

void print_help() {
  fmt::print(
      "kaon_perf: kaon's benchmarks. Host threads: OMP_NUM_THREADS, default all cores.\n\n"
      "          [{}X,Y,Z,T]\n"
      "              a lattice to measure on; may be given several times\n"
      "              (default: 16^4 and 24^4 on the host, 16^4 and 32^4 on a GPU)\n"
      "          [{}X,Y,Z,T]\n"
      "              processes in each direction (default: chosen by kaon)\n"
      "          [{}xyzt]\n"
      "              directions that are cut even where there is one process, to see what halos cost\n"
      "          [{}field|single|half]\n"
      "              precision in which halos travel at most, in hops and in the iterations of whole solves (default:\n"
      "              that of the fields)\n"
      "          [{}FILE]\n"
      "              a gauge field: its lattice is measured on too, also with whole solves (solve_...), c_sw = 1.769\n"
      "          [{}]\n"
      "              read that file although its links have another plaquette than it states\n"
      "          [{}K]\n"
      "              kappa of these solves (default: 0.1345)\n"
      "          [{}M]\n"
      "              mass of those of staggered quarks (default: 0.02)\n"
      "          [{}N]\n"
      "              MiB of each of the two arrays of the copy whose bandwidth is the ceiling,\n"
      "              much larger than the caches (default: 512)\n\n",
      extents_option, grid_option, partition_option, halo_option, gauge_option, plaquette_option, kappa_option,
      mass_option, copy_option);
  benchmark::PrintDefaultHelp();
}

}  // namespace kaon::perf
