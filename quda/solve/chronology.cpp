// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/solve/chronology.hpp"
#include "quda/client/call.hpp"
#include "solvers/adapters/forecast.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace kaon::quda {
namespace {

constexpr int histories = 12;  // QUDA_MAX_CHRONO

using History = std::vector<SpinorField<double>>;

struct Chronology {
  std::array<History, histories> earlier;     // the newest solution of each first
  std::vector<SpinorField<double>> resident;  // of the last solve with `make_resident_solution`
};

Chronology& chronology() { return state().held<Chronology>(); }

History& history(int index) {
  require(index >= 0 && index < histories,
          [&] { return fmt::format("chrono_index = {}: 0 to {} are possible", index, histories - 1); });
  return chronology().earlier[static_cast<std::size_t>(index)];
}

bool same_shape(const SpinorField<double>& a, const SpinorField<double>& b) {
  return a.lattice() == b.lattice() && a.parameters() == b.parameters();
}

}  // namespace

bool extrapolate(SpinorField<double>& x, const SpinorField<double>& b, const MatrixDescription& matrix,
                 const Operator& of, const QudaInvertParam& given) {
  if (given.chrono_use_resident == 0) return false;
  const History& kept = history(given.chrono_index);
  if (kept.empty() || !same_shape(kept[0], x)) return false;
  if (kept.size() == 1) {
    blas::copy(x, kept[0]);
    return true;
  }
  detail::forecast(x, b, kept, matrix.normal ? detail::ForecastNorm::error : detail::ForecastNorm::residual,
                   [&](SpinorField<double>& out, const SpinorField<double>& in) { of.apply(out, in, matrix); });
  return true;
}

void remember(const SpinorField<double>& x, const QudaInvertParam& given) {
  if (given.chrono_make_resident == 0) return;
  History& kept = history(given.chrono_index);
  const auto most = static_cast<std::size_t>(std::max(given.chrono_max_dim, 1));
  if (!kept.empty() && !same_shape(kept[0], x)) kept.clear();
  require(kept.size() <= most, [&] {
    return fmt::format("chrono_max_dim = {} is below the {} solutions that are kept: call flushChronoQuda first",
                       given.chrono_max_dim, kept.size());
  });
  if (kept.empty() || given.chrono_replace_last == 0) {
    if (kept.size() == most) kept.pop_back();
    kept.insert(kept.begin(), blas::clone(x));
  } else {
    kept[0] = blas::clone(x);
  }
}

void forget_solutions(int index) {
  if (index >= 0) return history(index).clear();
  for (History& kept : chronology().earlier) kept.clear();
}

void keep_solutions(std::vector<SpinorField<double>> solutions) { chronology().resident = std::move(solutions); }

SpinorField<double> kept_solutions(int count, const Operator& of, const MatrixDescription& matrix) {
  SpinorField<double> x = of.make_field(matrix.subset(), count);
  const std::vector<SpinorField<double>>& resident = chronology().resident;
  require(static_cast<int>(resident.size()) >= count, [&] {
    return fmt::format(
        "use_resident_solution = 1, but {} solutions are kept, not {}: solve with make_resident_solution = 1 before",
        resident.size(), count);
  });
  for (int k = 0; k < count; ++k) {
    SpinorField<double> one = x.range(k, 1);
    const SpinorField<double>& kept = resident[static_cast<std::size_t>(k)];
    require(same_shape(kept, one), "use_resident_solution = 1, but the kept solutions are of other sites or quarks");
    blas::copy(one, kept);
  }
  return x;
}

}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void flushChronoQuda(int index) {
  call(__func__, [&] { forget_solutions(index); });
}
}
