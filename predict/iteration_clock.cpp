// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "predict/iteration_clock.hpp"

#include "core/base/partial_file.hpp"
#include "core/device/allocate.hpp"
#include "core/tuning/tuning_results.hpp"
#include "multigrid/setup/free_memory.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/tuning.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <unistd.h>

namespace kaon::detail {
namespace {

using Json = nlohmann::ordered_json;

/// The local lattice, its cut directions and the network.
Json to_json(const OneOfMany& one) {
  Json json{{"local", to_string(one.grid.local)}};
  if (!one.network) return json;
  std::string cut;
  for (std::size_t mu = 0; mu < 4; ++mu) cut += one.grid.cut()[mu] ? "xyzt"[mu] : '-';
  json["cut"] = cut;
  json["network"] = one.network->name;
  json["sums_us"] = fmt::format("{:.4g}", 1e6 * one.network->sum_latency);
  json["kernels_sum"] = one.network->kernels_sum;
  return json;
}

/// The content of a file of numbers, if it is one.
Json read_numbers(const std::filesystem::path& path) {
  constexpr int deepest = 3;
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto is_shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw std::runtime_error("brackets within brackets");
    return true;
  };
  try {
    Json numbers = Json::parse(text, is_shallow);
    if (numbers.is_object()) return numbers;
  } catch (const std::exception&) {
    // They are measured again.
  }
  return Json::object();
}

}  // namespace

OneOfMany one_of_many(const ProcessGrid& grid, const Network& network) {
  return {.grid = grid, .network = grid.count() == 1 ? std::nullopt : std::optional(network)};
}

Lattice OneOfMany::lattice(int reach) const {
  LatticeParameters parameters{.extents = grid.local, .process_grid = {1, 1, 1, 1}, .reach = reach};
  if (!network) return Lattice(parameters);
  parameters.partition = grid.cut();
  return Lattice(emulate(Communicator(), *network), parameters);
}

IterationClock::IterationClock(const PredictedQuark& quark) : quark_(quark) {
  const TuningSection here = tuning_results().sections.front();
  place_ = here.device + ", " + here.build;
  file_ = tuning_cache();
  if (file_.empty()) return;
  file_.replace_extension(".predict.json");
  numbers_ = read_numbers(file_);
}

void IterationClock::save() const {
  if (file_.empty()) return;
  try {
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path());
    PartialFile partial(file_, "predictions cannot be saved");
    std::ofstream(partial.path()) << numbers_.dump(2, ' ', true, Json::error_handler_t::replace) << "\n";
    if (::fsync(partial.descriptor()) == 0) partial.replace();
  } catch (const std::exception&) {
    // They are measured again.
  }
}

void IterationClock::require_free() const {
  const auto& [bytes, of] = needed_;
  if (bytes > free_memory().value_or(bytes)) SpareMemory::release_all();
  const double free = free_memory().value_or(bytes);
  require(bytes <= free, [&] {
    return fmt::format("one takes {:.3g} GB for {}, and {:.3g} GB are free", 1e-9 * bytes, of, 1e-9 * free);
  });
}

double IterationClock::saved(const std::string& precision, const Json& what, const std::function<double()>& measure) {
  Json& here = numbers_[place_];
  if (!here.is_object()) here = Json::object();
  Json measurement{{"action", quark_.family().program}, {"slices", quark_.slices()}, {"precision", precision}};
  measurement.update(what);
  const std::string key = measurement.dump();
  if (const auto found = here.find(key); found != here.end() && found->is_number()) return found->get<double>();
  require_free();
  const double number = measure();
  numbers_[place_][key] = number;
  save();
  return number;
}

double IterationClock::hop(PredictedSolve solve, const OneOfMany& one) {
  const std::string precision = quark_.precision_of(solve);
  Json what{{"what", "hop"}};
  what.update(to_json(one));
  return saved(precision, what, [&] { return hop_seconds(quark_, precision, one.lattice(quark_.family().reach())); });
}

IterationTimes IterationClock::times(PredictedSolve solve, const Coordinates& extents, const ProcessGrid& grid,
                                     const Network& network, const SetupChoice& choice) {
  const OneOfMany uncut{.grid = {{1, 1, 1, 1}, grid.local}}, cut = one_of_many(grid, network);
  IterationTimes times{.hop = hop(solve, uncut), .hop_with_halo = hop(solve, cut)};
  const std::string precision = quark_.precision_of(solve);
  const auto measure = [&](const OneOfMany& one) {
    if (solve.method == KrylovMethod::multigrid)
      return multigrid(one, levels_of(quark_, extents, grid, choice), choice.cycle_steps,
                       last_level(quark_, extents, grid, choice).inverted);
    Json what{{"what", "iteration"}, {"solver", solve.word()}};
    if (const int steps = quark_.block_steps(solve); steps > 0) what["steps"] = steps;
    if (solve.has_shifts) what["shifts"] = quark_.shifts;
    what.update(to_json(one));
    what["processes"] = one.processes();
    return std::vector<double>{saved(precision, what, [&] {
      return krylov_seconds(solve, quark_, precision, one.lattice(quark_.family().reach()));
    })};
  };
  times.alone = measure(uncut).front();
  const std::vector<double> found = measure(cut);
  times.iteration = found.front();
  times.shares.assign(found.begin() + 1, found.end());
  return times;
}

std::vector<double> IterationClock::multigrid(const OneOfMany& one, const std::vector<MultigridCoarsening>& levels,
                                              int cycle_steps, bool inverted) {
  Json what{{"what", "iteration"},
            {"solver", "multigrid"},
            {"vectors", levels.front().vectors},
            {"steps", cycle_steps},
            {"inverted", inverted}};
  for (const MultigridCoarsening& level : levels) what["blocks"].push_back(to_string(level.block));
  what.update(to_json(one));
  what["processes"] = one.processes();
  std::vector<double> measured, result;
  for (std::size_t k = 0; k < levels.size() + 2; ++k) {
    what["number"] = k;
    result.push_back(saved(quark_.precision_of({KrylovMethod::multigrid}), what, [&] {
      if (measured.empty()) {
        measured = multigrid_seconds(quark_, one.lattice(quark_.family().reach()), levels, cycle_steps, inverted);
      }
      return measured.at(k);
    }));
  }
  return result;
}

double IterationClock::copy_bandwidth() { return saved("double", {{"what", "copy"}}, copy_bytes_per_second); }

SolveOnField IterationClock::solve_on(const GaugeField<double>& links, double plaquette, PredictedSolve solve,
                                      const ProcessGrid& grid) {
  Json what{{"what", "iterations"},
            {"solver", solve.word()},
            {"extents", to_string(links.lattice().extents())},
            {"plaquette", fmt::format("{:.12f}", plaquette)},
            {"tolerance", fmt::format("{:.3g}", quark_.solver.tolerance)}};
  const bool by_levels = solve.method == KrylovMethod::multigrid;
  if (by_levels || solve.method == KrylovMethod::gcr_dd) what["blocks"] = to_string(grid.local);
  if (const int steps = quark_.block_steps(solve); steps > 0) what["steps"] = steps;
  for (const FermionParameter& parameter : family_parameters) {
    if (!quark_.family().reads(parameter.name)) continue;
    what[std::string(parameter.name)] = fmt::format("{:.12g}", parameter.get(quark_.physics));
  }
  const std::string precision = quark_.precision_of(solve);
  std::vector<double> measured;
  const auto number = [&](std::size_t k) {
    return saved(precision, what, [&] {
      if (measured.empty()) {
        // Many processes take as many vectors as one.
        const ProcessGrid uncut{{1, 1, 1, 1}, links.lattice().extents()};
        const SetupChoice choice =
            by_levels && grid.count() > 1 ? solve_on(links, plaquette, solve, uncut).choice : SetupChoice();
        const SolveOnField found = solve_once(solve, quark_, precision, links, grid, choice);
        measured = {found.iterations.value_or(0.0), static_cast<double>(found.choice.vectors.value_or(0)),
                    static_cast<double>(found.choice.cycle_steps)};
      }
      return measured[k];
    });
  };
  SolveOnField found;
  if (const double iterations = number(0); iterations > 0.0) found.iterations = iterations;
  if (!by_levels) return found;
  what["number"] = "vectors";
  if (const double vectors = number(1); vectors > 0.0) found.choice.vectors = static_cast<int>(vectors);
  what["number"] = "cycle steps";
  found.choice.cycle_steps = std::max(1, static_cast<int>(number(2)));
  return found;
}

}  // namespace kaon::detail
