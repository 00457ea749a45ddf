// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid.hpp"

namespace kaon::reference {

Multigrid::Multigrid(const CoarseOperator& fine, const MultigridParameters& parameters,
                     const std::vector<Spinor>& vectors)
    : parameters_(parameters), generator_(parameters.seed) {
  levels_.push_back({CoarseSchur(fine, parameters_.parity)});
  set_up(0, vectors);
}

LinearMap Multigrid::system_map(std::size_t level) const {
  return [&system = levels_[level].system](const Spinor& x) { return system.apply(x); };
}

Spinor Multigrid::relaxed_noise(std::size_t level) {
  const CoarseSchur& system = levels_[level].system;
  // MR on S v = 0 from noise: v shrinks, least in the lowest modes.
  const Spinor noise = system.own(random_vector(system.op().size(), generator_));
  const Relaxed relaxed = minimal_residual(
      system_map(level), {noise, add(Spinor(noise.size()), -1.0, system.apply(noise))}, parameters_.setup_steps, 1.0);
  return normalized(system.reconstruct(relaxed.x, Spinor(noise.size())));
}

void Multigrid::set_up(std::size_t level, std::vector<Spinor> vectors) {
  if (is_last(level)) {
    levels_[level].inverse = inverse(levels_[level].system.dense_matrix());
    return;
  }
  const CoarseningParameters& coarsening = parameters_.levels[level];
  while (vectors.size() < coarsening.vectors) vectors.push_back(relaxed_noise(level));
  build_next(level, vectors);
  for (int step = 0; step < coarsening.bootstraps; ++step) {
    if (parameters_.orthonormalize) vectors = orthonormalized(std::move(vectors));
    for (Spinor& v : vectors) {
      const CoarseSchur& system = levels_[level].system;
      v = normalized(system.reconstruct(cycle(system.prepare(v), level), v));
    }
    build_next(level, vectors);
  }
}

void Multigrid::build_next(std::size_t level, const std::vector<Spinor>& vectors) {
  levels_.erase(levels_.begin() + static_cast<std::ptrdiff_t>(level) + 1, levels_.end());
  const CoarseOperator& op = levels_[level].system.op();
  const Aggregates aggregates(op.extents(), parameters_.levels[level].block);
  levels_[level].vectors = vectors;
  levels_[level].prolongator.emplace(aggregates, op.components(), vectors);
  const Prolongator& p = prolongator(level);
  if (level == 0) pivots_.push_back(p.smallest_pivot());

  std::vector<Spinor> restricted;
  for (const Spinor& v : vectors) restricted.push_back(p.restrict(v));
  CoarseSchur next(coarsen(op, p), parameters_.parity);
  levels_.push_back({std::move(next)});
  set_up(level + 1, restricted);
}

Spinor Multigrid::coarse_correction(std::size_t level, const Spinor& r, const LinearMap& solve) const {
  const CoarseSchur& system = levels_[level].system;
  const CoarseSchur& coarse = levels_[level + 1].system;
  const Spinor b = prolongator(level).restrict(system.apply_site_term(r));
  const Spinor c = coarse.reconstruct(solve(coarse.prepare(b)), b);
  return system.own(prolongator(level).prolong(c));
}

// K_l: what a level is solved with from the level above it.
Spinor Multigrid::solve_level(std::size_t level, const Spinor& s) const {
  const LinearMap cycle_of_level = [&](const Spinor& r) { return cycle(r, level); };
  if (is_last(level)) return cycle_of_level(s);
  return gcr(system_map(level), cycle_of_level, s, 0.0, parameters_.cycle_steps).x;
}

Spinor Multigrid::cycle(const Spinor& r, std::size_t level) const {
  const CoarseSchur& system = levels_[level].system;
  if (is_last(level)) {
    const std::vector<Complex> own = system.own_components(r);
    std::vector<Complex> solution(own.size());
    add_product(levels_[level].inverse, own.data(), solution.data());
    return system.field_of(solution);
  }
  Relaxed state = minimal_residual(system_map(level), {Spinor(r.size()), system.own(r)}, parameters_.smoothing_before,
                                   parameters_.omega);
  const Spinor d = coarse_correction(level, state.r, [&](const Spinor& s) { return solve_level(level + 1, s); });
  state.x = add(state.x, 1.0, d);
  state.r = add(state.r, -1.0, system.apply(d));
  return minimal_residual(system_map(level), std::move(state), parameters_.smoothing_after, parameters_.omega).x;
}

GcrResult solve_multigrid(const Multigrid& multigrid, const Spinor& b, double tolerance, int max_steps) {
  const CoarseSchur& system = multigrid.system(0);
  GcrResult result = gcr([&](const Spinor& x) { return system.apply(x); },
                         [&](const Spinor& r) { return multigrid.cycle(r); }, system.prepare(b), tolerance, max_steps);
  result.x = system.reconstruct(result.x, b);
  return result;
}

GcrResult solve_unpreconditioned(const CoarseSchur& system, const Spinor& b, double tolerance, int max_steps) {
  GcrResult result = gcr([&](const Spinor& x) { return system.apply(x); }, [](const Spinor& r) { return r; },
                         system.prepare(b), tolerance, max_steps);
  result.x = system.reconstruct(result.x, b);
  return result;
}

}  // namespace kaon::reference
