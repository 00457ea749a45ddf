// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/message.hpp>
#include <kaon/solvers/adapters.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

namespace kaon {

void detail::tell_fallback(const FallbackParameters& parameters, const Lattice& lattice, const std::string& notice) {
  if (parameters.on_fallback) return parameters.on_fallback(notice);
  if (lattice.communicator().rank() == 0) detail::tell(MessageKind::notice, notice);
}

std::optional<SolveRequest> detail::taken_over(SolveResult& done, const SolveRequest& request,
                                               const FallbackParameters& parameters, const Lattice& lattice) {
  if (done.stopped) return std::nullopt;
  SolveRequest rest = request.after(done);
  rest.active.clear();
  std::size_t failed = 0;
  std::string reason;
  for (SolveResult::RightHandSide& r : done.right_hand_sides) {
    rest.active.push_back(r.status != SolveStatus::converged);
    if (r.status == SolveStatus::converged) continue;
    reason = fmt::format("{} at a residual of {:.1e} after {} iterations", to_string(r.status), r.true_residual,
                         r.iterations);
    ++failed;
    ++r.fallbacks;
  }
  if (failed == 0) return std::nullopt;
  detail::tell_fallback(parameters, lattice,
                        fmt::format("{} of {} right-hand sides did not converge ({}): going on {}", failed,
                                    done.right_hand_sides.size(), reason, parameters.how));
  lattice.release_memory();  // of the solver that gave up: the next one needs its own
  return rest;
}

template <class T>
SolveResult detail::go_on(const SolveResult& done, const Solver<T>& solver, SpinorField<T>& x, const SpinorField<T>& b,
                          const SolveRequest& request) {
  if (done.right_hand_sides.empty()) return solver.solve(x, b, request);
  SpinorField<T> reached = blas::clone(x);
  SolveResult more = solver.solve(x, b, request);
  for (std::size_t k = 0; k < more.right_hand_sides.size(); ++k) {
    SolveResult::RightHandSide& r = more.right_hand_sides[k];
    const SolveResult::RightHandSide& before = done.right_hand_sides[k];
    if (r.status == SolveStatus::converged || r.true_residual <= before.true_residual) continue;
    if (!std::isfinite(before.true_residual)) continue;
    blas::copy(x.right_hand_side(static_cast<int>(k)), reached.right_hand_side(static_cast<int>(k)));
    r.true_residual = before.true_residual;
    r.error_per_residual = before.error_per_residual;
    r.error_at_least = before.error_at_least;
    r.error = before.error;
  }
  return more;
}

template SolveResult detail::go_on(const SolveResult&, const Solver<double>&, SpinorField<double>&,
                                   const SpinorField<double>&, const SolveRequest&);
template SolveResult detail::go_on(const SolveResult&, const Solver<float>&, SpinorField<float>&,
                                   const SpinorField<float>&, const SolveRequest&);

template <class T>
Fallback<T>::Fallback(Ref<Solver<T>> first, std::function<Ref<Solver<T>>()> next, const FallbackParameters& parameters)
    : first_(std::move(first)), make_next_(std::move(next)), parameters_(parameters) {
  require(make_next_ != nullptr, "a fallback needs a solver to fall back to");
  require(parameters.share > 0.0 && parameters.share < 1.0, [&] {
    return fmt::format("the share {} of the iterations of the first solver must lie between 0 and 1", parameters.share);
  });
}

template <class T>
SolveResult Fallback<T>::solve(SpinorField<T>& x, const SpinorField<T>& b, const SolveRequest& request) const {
  SolveRequest of_first = request;
  for (int& bound : of_first.iterations) bound = static_cast<int>(std::ceil(parameters_.share * bound));
  SolveResult total = first_->solve(x, b, of_first);
  const auto of_next = detail::taken_over(total, request, parameters_, this->lattice());
  if (!of_next) return total;
  if (!next_) next_ = make_next_();
  const Solver<T>& next = **next_;
  require(&next.solved_operator() == &first_->solved_operator(), "both solvers of a fallback must solve one operator");
  total.append(detail::go_on(total, next, x, b, *of_next), *of_next);
  return total;
}

template class Fallback<double>;
template class Fallback<float>;

}  // namespace kaon
