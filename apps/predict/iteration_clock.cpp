// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/predict/iteration_clock.hpp"

#include "apps/cli/command.hpp"
#include "apps/files/prepared_files.hpp"
#include "core/base/partial_file.hpp"
#include "core/device/allocate.hpp"
#include "core/tuning/tuning_results.hpp"
#include "multigrid/setup/free_memory.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/tuning.hpp>

#include <fstream>
#include <iterator>
#include <utility>

namespace kaon::apps {

OneOfMany one_of_many(const ProcessGrid& grid, const detail::Network& network) {
  return {.grid = grid, .network = grid.count() == 1 ? std::nullopt : std::optional(network)};
}

Lattice OneOfMany::lattice(int reach) const {
  LatticeParameters parameters{.extents = grid.local, .process_grid = {1, 1, 1, 1}, .reach = reach};
  if (!network) return Lattice(parameters);
  parameters.partition = grid.cut();
  return Lattice(detail::emulate(Communicator(), *network), parameters);
}

std::string OneOfMany::place() const {
  std::string text = to_string(grid.local);
  if (!network) return text;
  text += " ";
  for (std::size_t mu = 0; mu < 4; ++mu) text += grid.cut()[mu] ? "xyzt"[mu] : '-';
  return fmt::format("{} {}, sums {:.4g} us{}", text, network->name, 1e6 * network->sum_latency,
                     network->kernels_sum ? " in kernels" : "");
}

IterationClock::IterationClock(const Session& session, const PredictedQuark& quark) : session_(session), quark_(quark) {
  const TuningSection here = tuning_results().sections.front();
  place_ = here.device + ", " + here.build;
  file_ = tuning_cache();
  if (file_.empty()) return;
  file_.replace_extension(".predict.json");
  std::ifstream file(file_);
  try {
    if (file) numbers_ = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception&) {
    numbers_ = Json::object();  // measured anew
  }
  if (!numbers_.is_object()) numbers_ = Json::object();
}

void IterationClock::save() const {
  if (file_.empty()) return;
  try {
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path());
    write_json(session_, "predict", file_, numbers_);
  } catch (const std::exception&) {
    // They are measured again.
  }
}

void IterationClock::require_free() const {
  const auto& [bytes, of] = needed_;
  if (bytes > detail::free_memory().value_or(bytes)) detail::SpareMemory::release_all();
  const double free = detail::free_memory().value_or(bytes);
  require(bytes <= free, [&] {
    return fmt::format("one takes {:.3g} GB for {}, and {:.3g} GB are free", 1e-9 * bytes, of, 1e-9 * free);
  });
}

template <class Measure>
double IterationClock::kept(const std::string& precision, const std::string& name, const Measure& measure) {
  Json& here = numbers_[place_];
  if (!here.is_object()) here = Json::object();
  std::string quark{quark_.family().program};
  if (quark_.slices() > 1) quark += fmt::format(" of {} slices", quark_.slices());
  const std::string key = fmt::format("{} {}, {}", quark, precision, name);
  if (const auto found = here.find(key); found != here.end() && found->is_number()) return found->get<double>();
  require_free();
  const double number = measure();
  numbers_[place_][key] = number;
  save();
  return number;
}

double IterationClock::hop(PredictedSolver solver, const OneOfMany& one) {
  const std::string precision = quark_.precision_of(solver);
  return kept(precision, fmt::format("hop {}", one.place()),
              [&] { return hop_seconds(quark_, precision, one.lattice(quark_.reach())); });
}

IterationTimes IterationClock::times(PredictedSolver solver, const Coordinates& extents, const ProcessGrid& grid,
                                     const detail::Network& network) {
  const OneOfMany uncut{.grid = {{1, 1, 1, 1}, grid.local}}, cut = one_of_many(grid, network);
  IterationTimes times{.hop = hop(solver, uncut), .hop_with_halo = hop(solver, cut)};
  const std::string precision = quark_.precision_of(solver);
  const auto measure = [&](const OneOfMany& one) {
    std::string what = "iteration of " + solver_name(solver);
    if (solver == PredictedSolver::multigrid)
      return multigrid(one, levels_of(quark_, extents, grid), last_level(quark_, extents, grid).inverted);
    if (solver == PredictedSolver::gcr_dd) what += fmt::format(" of {} steps in whole cycles", quark_.schwarz_steps);
    if (solver == PredictedSolver::multi_shift) what += fmt::format(" of {} shifts", quark_.shifts);
    return std::vector<double>{kept(precision, fmt::format("{} {} of {}", what, one.place(), one.processes()), [&] {
      return krylov_seconds(solver, quark_, precision, one.lattice(quark_.reach()));
    })};
  };
  times.alone = measure(uncut).front();
  const std::vector<double> found = measure(cut);
  times.iteration = found.front();
  times.shares.assign(found.begin() + 1, found.end());
  return times;
}

std::vector<double> IterationClock::multigrid(const OneOfMany& one, const std::vector<MultigridCoarsening>& levels,
                                              bool inverted) {
  std::string blocks = inverted ? "" : " iterated";
  for (const MultigridCoarsening& level : levels) blocks += " " + to_string(level.block);
  std::vector<double> measured, result;
  for (std::size_t k = 0; k < levels.size() + 2; ++k) {
    const std::string name =
        fmt::format("iteration of multigrid {} of {},{}, {}", one.place(), one.processes(), blocks, k);
    result.push_back(kept(quark_.precision_of(PredictedSolver::multigrid), name, [&] {
      if (measured.empty()) measured = multigrid_seconds(quark_, one.lattice(quark_.reach()), levels, inverted);
      return measured.at(k);
    }));
  }
  return result;
}

double IterationClock::copy_bandwidth() { return kept("double", "copy", copy_bytes_per_second); }

std::optional<double> IterationClock::iterations(PredictedSolver solver, const GaugeField<double>& links,
                                                 double plaquette, const ProcessGrid& grid) {
  const bool by_blocks = solver == PredictedSolver::gcr_dd || solver == PredictedSolver::multigrid;
  std::string blocks = by_blocks ? " " + to_string(grid.local) : "";
  if (solver == PredictedSolver::gcr_dd) blocks += fmt::format(" {} steps", quark_.schwarz_steps);
  const FermionParameters& quark = quark_.physics;
  std::string physics = fmt::format("mass {:.12g}", quark.mass);
  for (const auto& [parameter, value] :
       {std::pair("csw", quark.csw), std::pair("u0", quark.u0), std::pair("m5", quark.m5)}) {
    if (quark_.family().reads(parameter)) physics += fmt::format(" {} {:.12g}", parameter, value);
  }
  if (quark_.slices() > 1) physics += fmt::format(" b {:.12g} c {:.12g}", quark.b, quark.c);
  const std::string name =
      fmt::format("iterations of {}{}, {} plaquette {:.12f} {} to {:.3g}", solver_name(solver), blocks,
                  to_string(links.lattice().extents()), plaquette, physics, quark_.tolerance);
  const std::string precision = quark_.precision_of(solver);
  const double found = kept(precision, name, [&] {
    const SolveResult result = solve_once(solver, quark_, precision, links, grid);
    return result.converged() ? static_cast<double>(result.iterations()) : 0.0;
  });
  return found > 0.0 ? std::optional(found) : std::nullopt;
}

}  // namespace kaon::apps
