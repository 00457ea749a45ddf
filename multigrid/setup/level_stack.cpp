// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/setup/level_stack.hpp"

#include "core/lattice/workspace.hpp"
#include "multigrid/coarse/whole_system.hpp"

#include <kaon/solvers/krylov.hpp>

#include <utility>

namespace kaon::detail {

LevelStack::LevelStack(const MultigridParameters& parameters, MakeSmoother make_smoother, int v_cycle_smoothing)
    : parameters_(parameters),
      make_smoother_(std::move(make_smoother)),
      v_cycle_smoothing_(v_cycle_smoothing),
      cycle_steps_(parameters.cycle_steps.value_or(setup_cycle_steps)) {
  parameters_.near_null_vectors = nullptr;
}

LevelStack::~LevelStack() {
  if (aggregations_.empty()) return;  // moved from
  drop();
  const Lattice& fine = aggregations_.front().fine();
  fine.execution().fence("kaon::Hierarchy");
  fine.workspace().release();  // on this process alone: halos remain
}

void LevelStack::cut(const Lattice& fine, std::vector<MultigridCoarsening> coarsenings) {
  coarsenings_ = std::move(coarsenings);
  std::vector<Aggregation> aggregations;
  for (const MultigridCoarsening& coarsening : coarsenings_) {
    aggregations.emplace_back(aggregations.empty() ? fine : aggregations.back().coarse(), coarsening.block);
  }
  aggregations_ = std::move(aggregations);
}

void LevelStack::add(const Ref<EvenOddOperator<float>>& matrix) {
  levels_.push_back(std::make_unique<Level>(Level{matrix, make_system(matrix)}));
  if (!is_last(size() - 1)) set_smoother(size() - 1, {});
}

void LevelStack::drop_below(int level) {
  levels_.resize(static_cast<std::size_t>(level) + 1);
  (*this)[level].cycle.reset();
  (*this)[level].transfer.reset();
}

const LinearOperator<float>& LevelStack::cycle(int level) const {
  if (is_last(level)) return **(*this)[level].solver;
  return *(*this)[level].cycle;
}

void LevelStack::make_cycle(int level) {
  Level& above = (*this)[level];
  const Level& next = (*this)[level + 1];
  above.cycle = std::make_unique<Cycle>(*above.system, CoarseCorrection{*above.transfer, *next.system, **next.solver},
                                        *above.smoother);
  if (level == 0) return;
  if (cycle_steps_ == 1) {
    above.solver = Ref<LinearOperator<float>>(*above.cycle);
  } else {
    above.solver = Gcr<float>(*above.system, *above.cycle, {.krylov_space = cycle_steps_, .steps = cycle_steps_});
  }
}

void LevelStack::make_cycles() {
  for (int level = size() - 2; level >= 0; --level) make_cycle(level);
}

void LevelStack::set_cycle_steps(int steps) {
  cycle_steps_ = steps;
  make_cycles();
}

Ref<LinearOperator<float>> LevelStack::smoother_with(int level, const Weights& weights) const {
  if (level == 0 && make_smoother_) return make_smoother_(weights);
  return make_relaxation<float>(*(*this)[level].system, parameters_, weights);
}

void LevelStack::set_smoother(int level, const Weights& weights) {
  (*this)[level].smoother.reset();
  (*this)[level].smoother = smoother_with(level, weights);
  (*this)[level].weights = weights;
}

int LevelStack::smoothing_degree() const {
  return parameters_.smoothing_steps.value_or(cycle_steps_ == 1 ? v_cycle_smoothing_ : smoothing_steps);
}

void LevelStack::set_bottom(ExactInverse inverse) {
  exact_bottom_ = true;
  (*this)[size() - 1].solver = std::move(inverse);
}

void LevelStack::iterate_bottom(const Weights& weights) {
  Level& bottom = (*this)[size() - 1];
  exact_bottom_ = false;
  bottom.weights = weights;
  if (weights.empty()) {
    bottom.solver = Gcr<float>(*bottom.system,
                               {.krylov_space = most_bottom_iterations / 2,
                                .solve = {.tolerance = bottom_tolerance, .max_iterations = most_bottom_iterations}});
  } else {
    bottom.solver = Richardson<float>(*bottom.system, weights);
  }
}

void LevelStack::set_cycle_of(const LevelStack& other) {
  for (int level = 0; level < size() - 1; ++level) set_smoother(level, other[level].weights);
  if (!exact_bottom_) iterate_bottom(other[size() - 1].weights);
  set_cycle_steps(other.cycle_steps());
}

SpinorField<float> LevelStack::near_null_vectors() const {
  SpinorField<float> vectors = (*this)[0].matrix->make_field(coarsening(0).vectors);
  (*this)[0].transfer->prolong(vectors, (*this)[0].restricted[0]);
  return vectors;
}

}  // namespace kaon::detail
