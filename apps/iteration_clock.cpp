// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "apps/iteration_clock.hpp"

#include "apps/command.hpp"
#include "core/base/partial_file.hpp"
#include "core/tuning/tuning_results.hpp"
#include "multigrid/geometry.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/tuning.hpp>
#include <kaon/gauge/initial_links.hpp>
#include <kaon/multigrid/multigrid.hpp>
#include <kaon/operators/normal.hpp>
#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/solvers/bicgstab.hpp>
#include <kaon/solvers/cg.hpp>
#include <kaon/solvers/gcr.hpp>
#include <kaon/solvers/in_precision.hpp>
#include <kaon/solvers/schwarz.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

namespace kaon::apps {
namespace {

/// No solve gets there: all run for as many iterations as they are allowed.
constexpr double unreachable = 1e-300;
constexpr int warm_up = 2;
/// Seconds of one measurement, where iterations are shorter; on a device they are.
constexpr double measured_seconds = on_device ? 0.05 : 0.3;

/// The Schur complement in double and in the precision of the iterations. Links are close to 1 and the quark is heavy,
/// where they are only timed.
template <class S>
struct Operators {
  WilsonClover<double> dirac;
  WilsonClover<S> inner;
  Schur<double> schur;
  Schur<S> inner_schur;

  Operators(const GaugeField<double>& links, double mass, double csw)
      : dirac(links, {.mass = mass, .csw = csw}),
        inner(dirac, std::is_same_v<S, double> ? LinkStorage::full : LinkStorage::two_rows),
        schur(dirac),
        inner_schur(inner) {}
};

GaugeField<double> timed_links(const Lattice& lattice) {
  GaugeField<double> links(lattice);
  set_weak(links, 0.2, {.seed = 1});
  return links;
}

/// Seconds of `body()`, the mean of as many as fill `measured_seconds`, the best of three such means.
template <class Body>
double seconds_of(const Execution& execution, const Body& body) {
  double best = std::numeric_limits<double>::infinity();
  const auto time = [&](int count) {
    execution.fence("kaon::predict: before");
    const Kokkos::Timer timer;
    for (int n = 0; n < count; ++n) body();
    execution.fence("kaon::predict: after");
    return timer.seconds() / count;
  };
  body();  // kernels are tuned
  const double first = time(1);
  const int count = static_cast<int>(std::clamp(measured_seconds / 3.0 / first, 1.0, 1000.0));
  for (int n = 0; n < 3; ++n) best = std::min(best, time(count));
  return best;
}

/// Seconds of an iteration of `solve(iterations, on_iteration)` after the first ones.
template <class Solve>
double seconds_of_iteration(const Solve& solve) {
  double seconds = 0.0;
  const auto run = [&](int iterations) {
    Kokkos::Timer timer;
    solve(warm_up + iterations, [&](int iteration, std::span<const double>) {
      if (iteration == warm_up) timer.reset();
      if (iteration > warm_up) seconds = timer.seconds() / (iteration - warm_up);
      return true;
    });
  };
  run(2);  // kernels are tuned
  run(4);
  const int count = static_cast<int>(std::clamp(measured_seconds / 2.0 / seconds, 4.0, 100.0));
  run(count);
  const double first = seconds;
  run(count);
  require(seconds > 0.0, "a solve ended before its iterations could be timed");
  return std::min(first, seconds);
}

template <class S>
double hop_seconds(const PredictedQuark& quark, const Lattice& lattice) {
  const Operators<S> operators(timed_links(lattice), 0.1, quark.csw);
  SpinorField<S> in(lattice, {.subset = Subset::odd}), out(lattice, {.subset = Subset::even});
  set_gaussian(in, {.seed = 2});
  return seconds_of(lattice.execution(), [&] { operators.inner.hop(out, in, {.term = SiteTerm::inverse}); });
}

template <class S>
double krylov_seconds(PredictedSolver solver, const PredictedQuark& quark, const Lattice& lattice) {
  const Operators<S> operators(timed_links(lattice), 0.1, quark.csw);
  const Schur<S>& schur = operators.inner_schur;
  SpinorField<S> b = schur.make_field(1), x = schur.make_field(1);
  set_gaussian(b, {.seed = 5});
  return seconds_of_iteration([&](int iterations, const OnIteration& on_iteration) {
    blas::set_zero(x);
    const SolverParameters bounds{.tolerance = unreachable, .max_iterations = iterations, .max_restarts = 0};
    const SolveRequest request{.on_iteration = on_iteration};
    if (solver == PredictedSolver::bicgstab) BiCgStab<S>(schur, bounds).solve(x, b, request);
    if (solver == PredictedSolver::cg) Cg<S>(NormalOperator<S>(schur), bounds).solve(x, b, request);
    if (solver == PredictedSolver::gcr_dd) {
      const Schwarz<S> blocks(schur, {.steps = quark.schwarz_steps});
      Gcr<S>(schur, blocks, {.solve = bounds}).solve(x, b, request);
    }
  });
}

Lattice whole_lattice(const Coordinates& extents) {
  return Lattice(LatticeParameters{.extents = extents, .process_grid = {1, 1, 1, 1}});
}

/// The levels that processes of a grid would choose.
std::vector<MultigridCoarsening> levels_of(const Coordinates& extents, const ProcessGrid& grid) {
  return detail::choose_levels(whole_lattice(extents), 12, grid.processes);
}

/// With the shares of the levels of the local lattice behind.
std::vector<double> multigrid_seconds(const PredictedQuark& quark, const Lattice& lattice,
                                      std::vector<MultigridCoarsening> levels, bool inverted) {
  const WilsonClover<double> dirac(timed_links(lattice), {.mass = 0.1, .csw = quark.csw});
  for (MultigridCoarsening& level : levels) level.bootstraps = 0;
  MultigridParameters parameters{.tolerance = 1e-12, .levels = levels, .cycle_steps = 1, .relaxation_steps = 2};
  if (!inverted) parameters.largest_inverse = 0;
  const Multigrid<double> multigrid(dirac, parameters);
  SpinorField<double> b = dirac.make_field(1), x = dirac.make_field(1);
  set_gaussian(b, {.seed = 5});
  std::vector<double> found{seconds_of_iteration([&](int, const OnIteration& on_iteration) {
    blas::set_zero(x);
    multigrid.solve(x, b, {.on_iteration = on_iteration});
  })};
  for (const auto& level : multigrid.report().levels) found.push_back(level.share);
  return found;
}

template <class S>
SolveResult solve_once(PredictedSolver solver, const PredictedQuark& quark, const GaugeField<double>& links,
                       const ProcessGrid& grid) {
  const Lattice& lattice = links.lattice();
  const Operators<S> operators(links, quark.mass, quark.csw);
  if (solver == PredictedSolver::multigrid) {
    const Multigrid<double> multigrid(operators.dirac,
                                      {.tolerance = quark.tolerance, .levels = levels_of(lattice.extents(), grid)});
    SpinorField<double> b = operators.dirac.make_field(1), x = operators.dirac.make_field(1);
    set_gaussian(b, {.seed = 5});
    return multigrid.solve(x, b);
  }
  const Schur<double>& schur = operators.schur;
  SpinorField<double> b = schur.make_field(1), x = schur.make_field(1);
  set_gaussian(b, {.seed = 5});
  const SolverParameters bounds{.tolerance = quark.tolerance};
  if (solver == PredictedSolver::bicgstab) {
    return BiCgStab<double, S>(schur, operators.inner_schur, bounds).solve(x, b);
  }
  if (solver == PredictedSolver::cg) {
    const NormalOperator<double> normal(schur);
    const NormalOperator<S> inner(operators.inner_schur);
    return Cg<double, S>(normal, inner, bounds).solve(x, b);
  }
  // As `PropagatorSolver` makes it, with blocks of the processes of the grid.
  const Schwarz<S> blocks(operators.inner_schur, {.block = grid.local, .steps = quark.schwarz_steps});
  if constexpr (std::is_same_v<S, double>) {
    return Gcr<double>(schur, blocks, {.solve = bounds}).solve(x, b);
  } else {
    const Gcr<S> gcr(operators.inner_schur, blocks, {.solve = {.tolerance = 0.1}});
    return InPrecision<double, S>(schur, gcr, {.tolerance = quark.tolerance, .max_refinements = 100}).solve(x, b);
  }
}

}  // namespace

OneOfMany one_of_many(const ProcessGrid& grid, const detail::Network& network) {
  return {.grid = grid, .network = grid.count() == 1 ? std::nullopt : std::optional(network)};
}

Lattice OneOfMany::lattice() const {
  LatticeParameters parameters{.extents = grid.local, .process_grid = {1, 1, 1, 1}};
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

IterationClock::~IterationClock() {
  if (!changed_ || file_.empty()) return;
  try {
    if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path());
    write_json(session_, "predict", file_, numbers_);
  } catch (const std::exception&) {
    // They are measured again.
  }
}

template <class Measure>
double IterationClock::kept(const std::string& name, const Measure& measure) {
  Json& here = numbers_[place_];
  if (!here.is_object()) here = Json::object();
  const std::string key = "clover " + quark_.precision + ", " + name;
  if (const auto found = here.find(key); found != here.end() && found->is_number()) return found->get<double>();
  const double number = measure();
  numbers_[place_][key] = number;
  changed_ = true;
  return number;
}

template <class Body>
auto IterationClock::with_precision(const Body& body) const {
  if (quark_.precision == "double") return body.template operator()<double>();
  if (quark_.precision == "single") return body.template operator()<float>();
  return body.template operator()<half>();
}

double IterationClock::hop(const OneOfMany& one) {
  return kept(fmt::format("hop {}", one.place()),
              [&] { return with_precision([&]<class S>() { return hop_seconds<S>(quark_, one.lattice()); }); });
}

IterationTimes IterationClock::times(PredictedSolver solver, const Coordinates& extents, const ProcessGrid& grid,
                                     const detail::Network& network) {
  const OneOfMany uncut{.grid = {{1, 1, 1, 1}, grid.local}}, cut = one_of_many(grid, network);
  IterationTimes times{.hop = hop(uncut), .hop_with_halo = hop(cut)};
  const auto measure = [&](const OneOfMany& one) {
    std::string what = solver_name(solver);
    if (solver == PredictedSolver::multigrid)
      return multigrid(one, levels_of(extents, grid), last_level(extents, grid).inverted);
    if (solver == PredictedSolver::gcr_dd) what += fmt::format(" of {} steps", quark_.schwarz_steps);
    return std::vector<double>{kept(fmt::format("{} {} of {}", what, one.place(), one.processes()), [&] {
      return with_precision([&]<class S>() { return krylov_seconds<S>(solver, quark_, one.lattice()); });
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
    result.push_back(kept(fmt::format("multigrid {} of {},{}, {}", one.place(), one.processes(), blocks, k), [&] {
      if (measured.empty()) measured = multigrid_seconds(quark_, one.lattice(), levels, inverted);
      return measured.at(k);
    }));
  }
  return result;
}

double IterationClock::copy_bandwidth() {
  return kept("copy", [&] {
    const Lattice lattice = whole_lattice(on_device ? Coordinates{32, 32, 32, 32} : Coordinates{16, 16, 16, 16});
    SpinorField<double> from(lattice, {}), to(lattice, {});
    set_gaussian(from, {.seed = 1});
    const double bytes = 2.0 * 24.0 * sizeof(double) * static_cast<double>(lattice.volume());
    return bytes / seconds_of(lattice.execution(), [&] { blas::copy(to, from); });
  });
}

std::optional<double> IterationClock::iterations(PredictedSolver solver, const GaugeField<double>& links,
                                                 double plaquette, const ProcessGrid& grid) {
  const bool by_blocks = solver == PredictedSolver::gcr_dd || solver == PredictedSolver::multigrid;
  std::string blocks = by_blocks ? " " + to_string(grid.local) : "";
  if (solver == PredictedSolver::gcr_dd) blocks += fmt::format(" {} steps", quark_.schwarz_steps);
  const std::string name =
      fmt::format("iterations of {}{}, {} plaquette {:.12f} mass {:.12g} csw {:.12g} to {:.3g}", solver_name(solver),
                  blocks, to_string(links.lattice().extents()), plaquette, quark_.mass, quark_.csw, quark_.tolerance);
  const double found = kept(name, [&] {
    const SolveResult result = with_precision([&]<class S>() { return solve_once<S>(solver, quark_, links, grid); });
    return result.converged() ? static_cast<double>(result.iterations()) : 0.0;
  });
  return found > 0.0 ? std::optional(found) : std::nullopt;
}

LastLevel last_level(const Coordinates& extents, const ProcessGrid& grid) {
  double sites = static_cast<double>(volume_of(extents)), components = 12.0;
  for (const MultigridCoarsening& level : levels_of(extents, grid)) {
    sites /= static_cast<double>(volume_of(level.block));
    components = 2.0 * level.vectors;
  }
  const double unknowns = 0.5 * components * sites;
  return {unknowns, unknowns <= MultigridParameters().largest_inverse};
}

}  // namespace kaon::apps
