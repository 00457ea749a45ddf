// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/tuning/tuning.hpp"
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/coarse/coarse_pack_kernel.hpp"
#include "multigrid/coarse/coarse_part_kernel.hpp"
#include "multigrid/coarse/coarse_tile_kernel.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

namespace kaon::detail {

/// Bytes that a team uses: several teams share the memory of a multiprocessor, and a host's first cache holds 32 KiB.
inline constexpr int most_shape_bytes = std::min(most_team_bytes, (on_device ? 48 : 32) * 1024);

template <class L>
int column_words(int components) {
  return components / word_rows<L>(components);
}

/// Bytes of a team's memory in a shape.
template <class L>
int part_kernel_bytes(int components, int terms, const LaunchShape& shape) {
  const int parts = shape.threads_per_site / column_words<L>(components);
  return shape.sites * shape.right_hand_sides * components * (terms + parts) * 2 * static_cast<int>(sizeof(float));
}

/// Whether `CoarseTileKernel` exists.
template <class L>
inline constexpr bool has_coarse_tiles = has_tile_products&& teams_have_warps&& std::is_same_v<L, half>;

/// Number of terms whose inputs `CoarseTileKernel` copies at a time.
template <class Kernel>
int terms_of_tiles(int components, int terms) {
  int at_once = std::max(1, terms);
  while (at_once > 1 && (terms % at_once != 0 || Kernel::bytes(components, at_once, 1) > most_shape_bytes)) --at_once;
  return at_once;
}

/// Adds the shapes of `CoarseTileKernel`.
template <int tiles>
void add_tile_shapes(std::vector<LaunchShape>& shapes, int components, int terms, int right_hand_sides) {
  using Kernel = CoarseTileKernel<FieldInputs, tiles>;
  if (components % Kernel::strip_rows != 0 || Kernel::taken - right_hand_sides > Kernel::taken / 4) return;
  const int at_once = terms_of_tiles<Kernel>(components, terms);
  for (const int parts : {1, 2, 4}) {
    const int threads = Kernel::threads(components, parts);
    if (threads > Kernel::max_team_size || at_once * components % (Kernel::tile_columns * parts) != 0) continue;
    if (Kernel::bytes(components, at_once, parts) > most_team_bytes) continue;
    shapes.push_back({.threads_per_site = threads, .right_hand_sides = Kernel::taken});
  }
}

template <class L>
std::vector<LaunchShape> coarse_part_shapes(int components, int terms, int right_hand_sides) {
  const int words = column_words<L>(components);
  std::vector<LaunchShape> shapes;
  const auto add = [&](int sites, int parts, int taken) {
    const LaunchShape shape{.sites = sites, .threads_per_site = parts * words, .right_hand_sides = taken};
    const int team = sites * shape.threads_per_site;
    if (team > 512 || (parts > 1 && parts > terms * components / 4)) return;
    if (part_kernel_bytes<L>(components, terms, shape) > most_shape_bytes) return;
    if (std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) shapes.push_back(shape);
  };
  // Standard: a site a team, and with enough threads for it as many right-hand sides as fit.
  for (const int least_parts : {4, 1}) {
    for (int taken = std::min(4, right_hand_sides) >= 3 ? 4 : std::min(2, right_hand_sides); taken > 0; taken /= 2) {
      for (int parts = 8; parts >= least_parts; parts /= 2) add(1, parts, taken);
    }
  }
  const LaunchShape standard = shapes.front();
  shapes.clear();
  shapes.push_back(standard);
  for (const int taken : {1, 2, 4}) {
    if (taken >= 2 * right_hand_sides) break;
    for (const int parts : {1, 2, 4, 8, 16, 32}) {
      for (const int sites : {1, 2, 4, 8}) {
        if (sites * parts * words >= 32 || sites == 8) add(sites, parts, taken);
      }
    }
  }
  if constexpr (has_coarse_tiles<L>) {
    add_tile_shapes<2>(shapes, components, terms, right_hand_sides);
    add_tile_shapes<3>(shapes, components, terms, right_hand_sides);
  }
  return shapes;
}

template <int rows, int taken, class Sum>
void launch_parts_with(const std::string& label, const Execution& execution, const Sum& sum, const LaunchShape& shape) {
  const int words = sum.components / rows;
  CoarsePartKernel<Sum, rows, taken> kernel;
  kernel.sum = sum;
  kernel.team_sites = shape.sites;
  kernel.parts = shape.threads_per_site / words;
  kernel.groups = (sum.right_hand_sides + taken - 1) / taken;
  kernel.team_bytes = part_kernel_bytes<typename Sum::Stored>(sum.components, sum.terms, shape);
  kernel.by_groups = Divisor(kernel.groups);
  kernel.by_words = Divisor(words);
  kernel.by_parts = Divisor(kernel.parts);
  kernel.by_components = Divisor(sum.components);
  kernel.by_terms = Divisor(std::max(1, sum.terms));
  const int tiles = (sum.sites + shape.sites - 1) / shape.sites, teams = tiles * kernel.groups;
  kernel.sum.halo.pack.teams = std::min(sum.halo.pack.teams, teams);
  launch_teams(label, execution, teams, shape.sites * shape.threads_per_site, kernel);
}

template <int rows, class Sum>
void launch_parts_by_rows(const std::string& label, const Execution& execution, const Sum& sum,
                          const LaunchShape& shape) {
  switch (shape.right_hand_sides) {
    case 1:
      return launch_parts_with<rows, 1>(label, execution, sum, shape);
    case 2:
      return launch_parts_with<rows, 2>(label, execution, sum, shape);
    default:
      return launch_parts_with<rows, 4>(label, execution, sum, shape);
  }
}

template <int tiles, class Inputs>
void launch_tiles(const std::string& label, const Execution& execution, const CoarseSum<half, Inputs>& sum,
                  const LaunchShape& shape) {
  using Kernel = CoarseTileKernel<Inputs, tiles>;
  Kernel kernel;
  const int terms = terms_of_tiles<Kernel>(sum.components, sum.terms);
  const int groups = (sum.right_hand_sides + kernel.taken - 1) / kernel.taken;
  kernel.sum = sum;
  kernel.parts = shape.threads_per_site / kernel.threads(sum.components, 1);
  kernel.team_bytes = kernel.bytes(sum.components, terms, kernel.parts);
  kernel.by_groups = Divisor(groups);
  kernel.by_components = Divisor(sum.components);
  kernel.by_terms = Divisor(terms);
  kernel.sum.halo.pack.teams = std::min(sum.halo.pack.teams, sum.sites * groups);
  launch_teams(label, execution, sum.sites * groups, shape.threads_per_site, kernel);
}

template <class Sum>
void launch_parts(const std::string& label, const Execution& execution, const Sum& sum, const LaunchShape& shape) {
  using L = typename Sum::Stored;
  using Inputs = typename Sum::InputsOf;
  if constexpr (has_coarse_tiles<L>) {
    if (shape.right_hand_sides == CoarseTileKernel<Inputs, 2>::taken) {
      return launch_tiles<2>(label, execution, sum, shape);
    }
    if (shape.right_hand_sides == CoarseTileKernel<Inputs, 3>::taken) {
      return launch_tiles<3>(label, execution, sum, shape);
    }
  }
  constexpr int rows = word_rows<L>(4), fewer_rows = word_rows<L>(Inputs::divisor);
  if (rows == word_rows<L>(sum.components)) return launch_parts_by_rows<rows>(label, execution, sum, shape);
  launch_parts_by_rows<fewer_rows>(label, execution, sum, shape);
}

template <class Sum>
void launch_packs(const std::string& label, const Execution& execution, const Sum& sum) {
  const int bytes = std::max(1, sum.terms) * 2 * sum.components * static_cast<int>(sizeof(float));
  const int threads = execution.concurrency();
  const int share = (sum.sites + threads - 1) / threads;
  constexpr int enough = 8192;  // numbers of the matrices of a team: fewer would show the time to start it
  const int team_sites = std::clamp(enough / (sum.components * sum.components), 1, share);
  const int together = std::clamp(most_shape_bytes / bytes, 1, pack_right_hand_sides);
  with_lanes<float>(sum.lanes, [&]<class V>() {
    const CoarsePackKernel<Sum, V> kernel{sum, team_sites, together, together * bytes};
    launch_teams(label, execution, (sum.sites + team_sites - 1) / team_sites, 1, kernel);
  });
}

template <class L, class Inputs>
void run_coarse_sum(std::string_view label, const Lattice& lattice, const CoarseSum<L, Inputs>& sum) {
  const Execution& execution = lattice.execution();
  const std::string name(label);
  if (const auto forced = forced_coarse_shape(); forced && sum.neighbors != nullptr) {
    return launch_parts(name, execution, sum, *forced);
  }
  if constexpr (!on_device) {
    launch_packs(name, execution, sum);
  } else {
    const int link_reals = 2 * sum.components * sum.components;
    TuningKey key = tuning_key<float>(label, lattice, link_reals, sum.right_hand_sides);
    if (std::is_same_v<L, half>) key.precision = "single with half links";  // the size of words decides on the shape
    const auto shapes = [&] { return coarse_part_shapes<L>(sum.components, sum.terms, sum.right_hand_sides); };
    const TunedLaunch tuned(
        key, lattice, [&] { return shapes().front(); },
        [&](int stage, const LaunchShape&) { return stage == 0 ? shapes() : std::vector<LaunchShape>(); });
    launch_parts(name, execution, sum, tuned.shape());
  }
}

}  // namespace kaon::detail
