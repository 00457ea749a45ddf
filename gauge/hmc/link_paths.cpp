// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/near_fields.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/link_paths.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;
using detail::NearSums;
using detail::SubLattice;

/// P(x) = U_s(x) P'(x+s), P' the path behind a step s. 198 flops.
template <class Links>
struct PathStep {
  using V = typename Links::Value;
  Links links, behind;
  int mu;
  bool forward;
  bool is_last;  ///< P' = 1

  KOKKOS_FUNCTION ColorMatrix<V> operator()(int index, int parity) const {
    const auto site = links.start(index, parity);
    const auto next = links.step(site, mu, forward ? +1 : -1);
    const ColorMatrix<V> link = forward ? links.load(site, mu) : adjoint(links.load(next, mu));
    return is_last ? link : product(link, behind.load(next, 0));
  }
};

/// out = P
template <class Links>
struct PathKernel {
  static constexpr int calls = 2;
  SubLattice node;
  Links out;
  PathStep<Links> step;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int parity = first; parity < last; ++parity) {
      out.store(step(index, parity), out.start(index, parity), 0);
    }
  }
};

/// V_mu = V_mu + w P.
template <class Links>
struct AddPathKernel {
  using V = typename Links::Value;
  static constexpr int calls = 2;
  SubLattice node;
  NearSums<double, V> sums;
  PathStep<Links> step;
  int mu;
  double weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int parity = first; parity < last; ++parity) {
      sums.add(weight, step(index, parity), index, parity, mu);
    }
  }
};

/// values(2 mu, x) + i values(2 mu + 1, x) = Tr V_mu(x).
struct TracesKernel {
  detail::SiteGauge<double> matrices;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const int number = detail::local_number(matrices.map, x);
    for (int mu = 0; mu < 4; ++mu) {
      const detail::Complex<double> sum = trace(matrices.load(x, mu));
      values(2 * mu, number) = sum.re;
      values(2 * mu + 1, number) = sum.im;
    }
  }
};

void require_steps(const LinkPath& path) {
  require(!path.empty(), "a path of links needs at least one step");
  for (const int step : path) {
    require(step != 0 && std::abs(step) <= directions, [&] {
      return fmt::format("the path ({}) has the step {}: steps are +1 to +4 forward in x to t, -1 to -4 backward",
                         fmt::join(path, ", "), step);
    });
  }
}

void require_closed(const LinkPath& path, const Coordinates& extents) {
  Coordinates end{};
  for (const int step : path) end[static_cast<std::size_t>(std::abs(step) - 1)] += step > 0 ? 1 : -1;
  for (std::size_t mu = 0; mu < end.size(); ++mu) {
    require(end[mu] % extents[mu] == 0, [&] {
      return fmt::format("the path ({}) is not closed: it ends at ({}, {}, {}, {}) from its beginning",
                         fmt::join(path, ", "), end[0], end[1], end[2], end[3]);
    });
  }
}

}  // namespace

void add_link_paths(GaugeField<double>& sums, const GaugeField<double>& links,
                    const std::array<std::vector<WeightedPath>, 4>& paths) {
  detail::require_storage(links.storage(), LinkStorage::full);
  detail::require_storage(sums.storage(), LinkStorage::full);
  const Lattice& lattice = links.lattice();
  require(sums.lattice() == lattice, "the sums of paths and the links must lie on one lattice");
  require(sums.data() != links.data(), "the sums of paths must not be the links themselves");
  for (const auto& of_direction : paths) {
    for (const WeightedPath& path : of_direction) {
      require_steps(path.steps);
      require(std::isfinite(path.weight),
              [&] { return fmt::format("the weight {} of a path of links is not finite", path.weight); });
    }
  }
  detail::with_near_matrices(lattice, [&]<class Matrices>() {
    using Access = typename Matrices::Access;
    const Matrices u(links);
    Matrices first(lattice, 1), second(lattice, 1);
    Matrices* behind = &first;
    Matrices* next = &second;
    const NearSums<double, typename Access::Value> out(sums);
    const auto step = [&](const LinkPath& path, std::size_t k) {
      return PathStep<Access>{u.access(), behind->access(), std::abs(path[k]) - 1, path[k] > 0, k + 1 == path.size()};
    };
    for (int mu = 0; mu < directions; ++mu) {
      for (const WeightedPath& path : paths[static_cast<std::size_t>(mu)]) {
        for (std::size_t k = path.steps.size() - 1; k > 0; --k) {
          detail::run_near("kaon::link_paths", lattice,
                           PathKernel<Access>{u.access().node, next->access(), step(path.steps, k)});
          next->exchange();
          std::swap(behind, next);
        }
        detail::run_near("kaon::add_link_paths", lattice,
                         AddPathKernel<Access>{u.access().node, out, step(path.steps, 0), mu, path.weight});
      }
    }
  });
}

std::vector<std::complex<double>> loop_traces(const GaugeField<double>& links, std::span<const LinkPath> loops) {
  const Lattice& lattice = links.lattice();
  for (const LinkPath& loop : loops) {
    require_steps(loop);
    require_closed(loop, lattice.extents());
  }
  std::vector<std::complex<double>> traces;
  while (traces.size() < loops.size()) {
    const std::size_t count = std::min(loops.size() - traces.size(), std::size_t(directions));
    std::array<std::vector<WeightedPath>, 4> paths;
    for (std::size_t k = 0; k < count; ++k) paths[k].push_back({loops[traces.size() + k]});
    GaugeField<double> products(lattice);
    add_link_paths(products, links, paths);
    const std::vector<double> sums =
        detail::ordered_site_sums<double>("kaon::loop_traces", lattice, 8, [&](const EntryValues& values) {
          return TracesKernel{detail::site_access(products), values};
        });
    const double scale = 1.0 / (3.0 * static_cast<double>(lattice.volume()));
    for (std::size_t k = 0; k < count; ++k)
      traces.push_back(scale * std::complex<double>(sums[2 * k], sums[2 * k + 1]));
  }
  return traces;
}

}  // namespace kaon
