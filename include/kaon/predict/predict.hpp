// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/coordinates.hpp>
#include <kaon/core/gauge_field.hpp>
#include <kaon/quarks/families.hpp>
#include <kaon/quarks/solve_options.hpp>

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaon {

/// A solve whose time is predicted. `cg` solves the normal system: that on one parity for staggered quarks, S^dag S
/// for others.
struct PredictedSolve {
  KrylovMethod method = KrylovMethod::bicgstab;
  bool has_shifts = false;  ///< several shifts of the normal system together

  auto operator<=>(const PredictedSolve&) const = default;
  /// The method's word, or "multi-shift".
  std::string_view word() const { return has_shifts ? "multi-shift" : entry_of(method).word; }
  /// Whether it converges for quarks of a family.
  bool suits(const FermionFamily& family) const {
    if (method == KrylovMethod::multigrid && family.kind == OperatorKind::indefinite) return false;  // it has no model
    return method == KrylovMethod::cg || entry_of(method).solves_for(family.kind);
  }
};
/// All solves that can be predicted.
inline constexpr std::array predicted_solves{
    PredictedSolve{KrylovMethod::bicgstab}, PredictedSolve{KrylovMethod::cg}, PredictedSolve{KrylovMethod::gcr_dd},
    PredictedSolve{KrylovMethod::multigrid}, PredictedSolve{KrylovMethod::cg, true}};
/// Their words.
std::vector<std::string_view> predicted_words();
/// The solve of a word. Throws `Error` for words of none.
PredictedSolve predicted_solve(std::string_view word);
/// The words of the usual solves of a family, which commas separate.
std::string_view usual_solves(const FermionFamily& family);
/// The solves of words that commas separate. Throws `Error` for words of none.
std::vector<PredictedSolve> solves_of(std::string_view words);

/// The quark whose solves are predicted.
struct PredictedQuark {
  FermionParameters physics{FermionAction::wilson_clover, 0.0, std::nullopt, 0.0, 0.0};  ///< clover, csw 0 by default
  std::string precision = "half";  ///< of the iterations; the solution is in double
  int shifts = 10;
  SolveOptions solver{};  ///< the tolerance, and the options of the method

  const FermionFamily& family() const { return family_of(physics.action); }
  int slices() const { return family().reads("slices") ? physics.slices : 1; }
  /// Returns the steps on the blocks of a solve; 0 if it has no blocks.
  int block_steps(PredictedSolve solve) const { return solver.block_steps(solve.method); }
  /// The precision of the iterations of a solve: several shifts are swept in single where others iterate in half, and
  /// multigrid has its cycles in single at most.
  std::string precision_of(PredictedSolve solve) const {
    if (solve.method == KrylovMethod::multigrid && precision == "double") return "single";
    return solve.has_shifts && precision == "half" ? "single" : precision;
  }
};

/// How processes cut a lattice.
struct ProcessGrid {
  Coordinates processes{1, 1, 1, 1};
  Coordinates local{};

  int count() const { return static_cast<int>(volume_of(processes)); }
  std::array<bool, 4> cut() const;
  /// Sites at the faces of a local lattice.
  std::ptrdiff_t surface() const;
};
/// The only directions that grids may cut; none: grids may cut any direction.
using CutDirections = std::optional<std::array<bool, 4>>;
/// The directions of letters such as "zt"; none without letters. Throws `Error` for letters of no direction.
CutDirections directions_of(std::string_view letters);

/// Seconds measured on one device for one process of a grid.
struct IterationTimes {
  double hop = 0.0;              ///< uncut
  double hop_with_halo = 0.0;    ///< cut, over the network
  double alone = 0.0;            ///< an iteration, uncut
  double iteration = 0.0;        ///< an iteration, cut, over the network
  std::vector<double> shares{};  ///< of multigrid's levels
};
/// The seconds of an iteration by their causes.
struct IterationParts {
  double interior = 0.0, halo = 0.0, vectors = 0.0, sums = 0.0;
  double noise = 0.0;  ///< seconds by which parts came out negative
  double total() const { return interior + halo + vectors + sums; }
};

/// The prediction of a solve on a number of processes.
struct Prediction {
  PredictedSolve solve{};
  ProcessGrid grid{};
  IterationParts parts{};
  IterationTimes times{};
  std::optional<double> iterations{};
  std::optional<double> efficiency{};  ///< none for a solve that does not converge
  std::string note{};

  /// Seconds of a solve, or of an iteration where these were not counted.
  double seconds() const { return parts.total() * iterations.value_or(1.0); }
};

struct PredictOptions {
  PredictedQuark quark{};
  Coordinates extents{};
  std::string network = "ndr";  ///< its name, or "us,GB/s[,us of a stage of a sum]"
  std::vector<int> processes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512};
  CutDirections cut{};
  std::map<PredictedSolve, double> iterations{};  ///< of solves, if they are not counted on `links`
  std::optional<double> memory{};                 ///< bytes of a device; none: as the device reports
  std::optional<GaugeField<double>> links{};      ///< on which iterations are counted
  /// Called with each number of processes that cannot be predicted, and why.
  std::function<void(const std::string& note)> on_note{};
};

/// Predicts times of solves on many processes from measurements of one, which are saved beside the results of tuning.
/// docs/scaling.md describes the model.
class Predictor {
 public:
  /// Throws `Error` for a network of an unknown name.
  explicit Predictor(PredictOptions options);
  ~Predictor();
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  const Coordinates& extents() const;
  /// A prediction for each number of processes that the lattice and the memory here allow.
  std::vector<Prediction> predict(PredictedSolve solve);
  /// Bytes of a solve on the whole lattice.
  double bytes(PredictedSolve solve) const;
  /// Fewest processes whose memory holds a solve; none where that of a device is not known.
  std::optional<double> fewest(PredictedSolve solve) const;
  /// The notes so far, without repetitions.
  const std::vector<std::string>& notes() const;
  /// Returns predictions, the network and the notes as a JSON object (docs/scaling.md). Throws `Error` without
  /// predictions.
  std::string json(const std::vector<Prediction>& predictions) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kaon
