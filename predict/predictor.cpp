// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "predict/iteration_clock.hpp"
#include "predict/model.hpp"
#include "predict/timed_solves.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kaon {
namespace {

/// Part of an iteration above which noise is named.
constexpr double much_noise = 0.05;

/// Bytes of the device on which kernels run; none: not known.
std::optional<double> device_bytes() {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<double>(Kokkos::Cuda().cuda_device_prop().totalGlobalMem);
#else
  return {};
#endif
}

using Json = nlohmann::ordered_json;

Json json_of(const Prediction& row, const PredictedQuark& quark) {
  Json json{{"solver", row.solve.word()},
            {"precision", quark.precision_of(row.solve)},
            {"processes", row.grid.count()},
            {"grid", row.grid.processes},
            {"local_extents", row.grid.local},
            {"seconds",
             {{"interior", row.parts.interior},
              {"halo", row.parts.halo},
              {"vectors", row.parts.vectors},
              {"sums", row.parts.sums},
              {"noise", row.parts.noise},
              {"iteration", row.parts.total()}}},
            {"hop", row.times.hop},
            {"hop_with_halo", row.times.hop_with_halo},
            {"level_shares", row.times.shares},
            {"efficiency", row.efficiency ? Json(*row.efficiency) : Json()},
            {"note", row.note}};
  if (row.iterations) {
    json["iterations"] = *row.iterations;
    json["solve_seconds"] = row.seconds();
  }
  return json;
}

void add_note(Prediction& prediction, const std::string& text) {
  prediction.note += (prediction.note.empty() ? "" : ", ") + text;
}

}  // namespace

std::vector<std::string_view> predicted_words() {
  std::vector<std::string_view> words;
  for (const PredictedSolve& solve : predicted_solves) words.push_back(solve.word());
  return words;
}

PredictedSolve predicted_solve(std::string_view word) {
  const auto found = std::ranges::find(predicted_solves, word, &PredictedSolve::word);
  require(found != predicted_solves.end(),
          [&] { return fmt::format("'{}' is none of {}", word, fmt::join(predicted_words(), ", ")); });
  return *found;
}

std::string_view usual_solves(const FermionFamily& family) {
  return PredictedSolve{}.suits(family) ? "bicgstab,gcr-dd" : "cg";
}

std::vector<PredictedSolve> solves_of(std::string_view words) {
  std::vector<PredictedSolve> solves;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(','));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    solves.push_back(predicted_solve(word));
  }
  return solves;
}

CutDirections directions_of(std::string_view letters) {
  if (letters.empty()) return {};
  std::array<bool, 4> directions{};
  for (const char letter : letters) {
    const std::size_t mu = std::string_view("xyzt").find(letter);
    require(mu < 4, [&] { return fmt::format("'{}' has a letter beside x, y, z, t", letters); });
    directions[mu] = true;
  }
  return directions;
}

class Predictor::Impl {
 public:
  explicit Impl(PredictOptions options)
      : options_(std::move(options)), network_(detail::parse_network(options_.network, 1)), clock_(options_.quark) {
    require(network_.processes == 1, [&] {
      return fmt::format("sums run over each of the numbers of processes, not over {}", network_.processes);
    });
    if (!options_.links) return;
    options_.extents = options_.links->lattice().extents();
    plaquette_ = plaquette(*options_.links).average;
  }

  std::vector<Prediction> predict(PredictedSolve solve) {
    std::vector<Prediction> found;
    for (const int processes : options_.processes) {
      const std::vector<ProcessGrid> candidates =
          detail::candidate_grids(options_.extents, processes, options_.quark.family().reach(), options_.cut);
      if (candidates.empty()) {
        leave_out(processes, "cannot cut " + to_string(options_.extents) + " " + why_no_grid(processes));
        continue;
      }
      try {
        detail::Network network = network_;
        network.processes = processes;
        clock_.require_memory(bytes(solve) / processes, std::string(solve.word()));
        found.push_back(predicted(solve, best_grid(solve, candidates, network), network));
      } catch (const Error& error) {  // of local lattices that are too large, or too small for multigrid
        leave_out(processes, fmt::format("cannot be measured here: {}", error.what()));
        continue;
      }
      // Times of solves are compared with times of solves alone.
      const bool counted = options_.links || options_.iterations.contains(solve);
      const auto first =
          std::ranges::find(found, counted, [](const Prediction& one) { return one.iterations.has_value(); });
      Prediction& last = found.back();
      if (last.iterations.has_value() == counted) {
        last.efficiency = first->seconds() * first->grid.count() / (last.seconds() * last.grid.count());
      }
    }
    return found;
  }

  double bytes(PredictedSolve solve) const {
    return detail::bytes_of_site(solve, options_.quark) * static_cast<double>(volume_of(options_.extents));
  }

  std::optional<double> fewest(PredictedSolve solve) const {
    const std::optional<double> memory = options_.memory ? options_.memory : device_bytes();
    if (!memory) return {};
    return std::ceil(bytes(solve) / *memory);
  }

  const Coordinates& extents() const { return options_.extents; }
  const std::vector<std::string>& notes() const { return notes_; }

  std::string json(const std::vector<Prediction>& predictions) const {
    require(!predictions.empty(), [&] { return fmt::format("nothing can be predicted: {}", fmt::join(notes_, "; ")); });
    const PredictedQuark& quark = options_.quark;
    Json rows = Json::array();
    for (const Prediction& row : predictions) rows.push_back(json_of(row, quark));
    const Json result{{"extents", options_.extents},
                      {"network",
                       {{"name", network_.name},
                        {"latency", network_.latency},
                        {"bandwidth", network_.bandwidth},
                        {"sum_latency", network_.sum_latency}}},
                      {"action", quark.family().program},
                      {"slices", quark.slices()},
                      {"shifts", quark.shifts},
                      {"precision", quark.precision},
                      {"predictions", rows},
                      {"notes", notes_}};
    return result.dump();
  }

 private:
  void leave_out(int processes, const std::string& why) {
    const std::string note = fmt::format("{} process{} {}", processes, processes == 1 ? "" : "es", why);
    if (options_.on_note) options_.on_note(note);
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
  }

  /// Why there are no `candidate_grids`: "into even parts".
  std::string why_no_grid(int processes) const {
    const int reach = options_.quark.family().reach();
    const bool without_cut = options_.cut && !detail::candidate_grids(options_.extents, processes, reach).empty();
    const CutDirections directions = without_cut ? options_.cut : CutDirections();
    const bool are_even = !detail::candidate_grids(options_.extents, processes, 0, directions).empty();
    return (are_even ? fmt::format("into parts of {} sites or more in each direction, which hops over {} sites need",
                                   reach + 1, reach)
                     : "into even parts") +
           (without_cut ? " in the directions of --cut" : "");
  }

  /// The grid on which a hop with its halos takes the least time.
  ProcessGrid best_grid(PredictedSolve solve, const std::vector<ProcessGrid>& candidates,
                        const detail::Network& network) {
    if (candidates.size() == 1) return candidates.front();
    return *std::ranges::min_element(
        candidates, {}, [&](const ProcessGrid& grid) { return clock_.hop(solve, detail::one_of_many(grid, network)); });
  }

  Prediction predicted(PredictedSolve solve, const ProcessGrid& grid, const detail::Network& network) {
    Prediction result{.solve = solve, .grid = grid};
    detail::SolveOnField on_field;
    if (options_.links) {
      clock_.require_memory(bytes(solve), std::string(solve.word()) + " of the whole lattice");
      on_field = clock_.solve_on(*options_.links, plaquette_, solve, grid);
      if (!on_field.iterations) add_note(result, "does not converge");
      result.iterations = on_field.iterations;
    }
    clock_.require_memory(bytes(solve) / grid.count(), std::string(solve.word()));
    result.times = clock_.times(solve, options_.extents, grid, network, on_field.choice);
    result.parts = detail::parts_of(result.times, detail::hops_of(solve, options_.quark));
    if (solve.method == KrylovMethod::multigrid) {
      const detail::LastLevel last = detail::last_level(options_.quark, options_.extents, grid, on_field.choice);
      if (!last.inverted) {
        add_note(result, fmt::format("last level of {:.0f} unknowns iterates", last.unknowns));
      } else if (grid.count() > 1) {
        const double seconds = detail::last_level_seconds(last.unknowns, network, clock_.copy_bandwidth());
        result.parts = detail::with_last_level(result.parts, result.times, seconds);
      }
    }
    const auto given = options_.iterations.find(solve);
    if (given != options_.iterations.end()) result.iterations = given->second;
    if (result.parts.noise > much_noise * result.parts.total()) {
      add_note(result, fmt::format("noise of {:.0f} us", 1e6 * result.parts.noise));
    }
    if (const auto least = fewest(solve); least && grid.count() < *least) add_note(result, "does not fit in memory");
    return result;
  }

  PredictOptions options_;
  detail::Network network_;
  detail::IterationClock clock_;
  double plaquette_ = 0.0;
  std::vector<std::string> notes_;
};

Predictor::Predictor(PredictOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Predictor::~Predictor() = default;

const Coordinates& Predictor::extents() const { return impl_->extents(); }
std::vector<Prediction> Predictor::predict(PredictedSolve solve) { return impl_->predict(solve); }
double Predictor::bytes(PredictedSolve solve) const { return impl_->bytes(solve); }
std::optional<double> Predictor::fewest(PredictedSolve solve) const { return impl_->fewest(solve); }
const std::vector<std::string>& Predictor::notes() const { return impl_->notes(); }
std::string Predictor::json(const std::vector<Prediction>& predictions) const { return impl_->json(predictions); }

}  // namespace kaon
