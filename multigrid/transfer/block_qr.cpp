// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/transfer/block_qr.hpp"

#include "core/fields/recycled_memory.hpp"
#include "core/fields/site_components.hpp"
#include "multigrid/transfer/block_qr_kernel.hpp"

#include <kaon/core/error.hpp>

#include <algorithm>

namespace kaon::detail {
namespace {

/// V_j(x) = v_j(x), for all vectors on W sites that share cache lines.
template <class T>
struct TakeVectors {
  AggregateSites sites;
  BasisMatrices<T> basis;
  SiteComponents<T> vectors;
  int blocks;  ///< of W sites of one parity
  int lanes;   ///< of columns

  KOKKOS_FUNCTION void operator()(const int number) const {
    const int parity = number / blocks, block = number - parity * blocks;
    const int places = 1 << sites.lane_shift, first = block * places;
    const int* const owners = sites.owners + parity * blocks * places + first;
    for (int component = 0; component < 2 * basis.site_rows; ++component) {
      const int chirality = component / basis.site_rows;
      for (int lane = 0; lane < places; ++lane) {
        const int aggregate = owners[lane] / sites.sites, site = owners[lane] - aggregate * sites.sites;
        const int row = site * basis.site_rows + component - chirality * basis.site_rows;
        T* to = basis.matrix(aggregate, chirality) +
                static_cast<std::size_t>(row) * static_cast<std::size_t>(2 * basis.vectors);
        const T* from = vectors.site(parity, first + lane, 0) + vectors.of_component(component);
        for (int j = 0; j < basis.vectors; to += 2 * lanes) {
          for (int of_pack = 0; of_pack < lanes; ++of_pack, ++j, from += vectors.stride) {
            to[of_pack] = from[0];
            to[lanes + of_pack] = from[vectors.re_to_im];
          }
        }
      }
    }
  }
};

/// Copies vectors by teams, for GPUs: a team copies `tile` sites of one parity. They lie side by side in a vector,
/// vectors in a row of V: numbers go from one order to the other through the team's memory.
template <class T>
struct TakeVectorsByTeams {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  static constexpr int tile = 32, most_vectors = 32;
  static constexpr int row = 2 * most_vectors + 2;  ///< an even number, whose half is odd: few conflicts of banks

  AggregateSites sites;
  BasisMatrices<T> basis;
  SiteComponents<T> vectors;
  int sites_of_parity;
  int team_bytes = tile * row * static_cast<int>(sizeof(T));

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int tiles = (sites_of_parity + tile - 1) / tile;
    const int parity = team.league_rank() / tiles, first_site = (team.league_rank() - parity * tiles) * tile;
    const int count = sites_of_parity - first_site < tile ? sites_of_parity - first_site : tile;
    T* const numbers = static_cast<T*>(team_memory(team, team_bytes));  // [site][vector][re, im]
    for (int component = 0; component < 2 * basis.site_rows; ++component) {
      for (int first = 0; first < basis.vectors; first += most_vectors) {
        const int of_pass = basis.vectors - first < most_vectors ? basis.vectors - first : most_vectors;
        for (int item = team.team_rank(); item < of_pass * tile; item += team.team_size()) {
          const int j = item / tile, site = item - j * tile;
          if (site >= count) continue;
          const T* const from = vectors.site(parity, first_site + site, first + j) + vectors.of_component(component);
          numbers[site * row + 2 * j] = from[0];
          numbers[site * row + 2 * j + 1] = from[vectors.re_to_im];
        }
        team.team_barrier();
        for (int item = team.team_rank(); item < of_pass * count; item += team.team_size()) {
          const int site = item / of_pass, j = item - site * of_pass;
          T* const to = row_of(parity * sites_of_parity + first_site + site, component) + 2 * (first + j);
          to[0] = numbers[site * row + 2 * j];
          to[1] = numbers[site * row + 2 * j + 1];
        }
        team.team_barrier();
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION T* row_of(int place, int component) const {
    const int owner = sites.owners[place], aggregate = owner / sites.sites, site = owner - aggregate * sites.sites;
    const int chirality = component / basis.site_rows;
    const int of_matrix = site * basis.site_rows + component - chirality * basis.site_rows;
    return basis.matrix(aggregate, chirality) +
           static_cast<std::size_t>(of_matrix) * static_cast<std::size_t>(2 * basis.vectors);
  }
};

template <class T, class V>
void run_block_qr(const BasisMatrices<T>& basis, const Aggregation& aggregation, double* pivots, int* replacements) {
  using Kernel = BlockQrKernel<T, V>;
  const Lattice& fine = aggregation.fine();
  const int matrices = 2 * static_cast<int>(aggregation.coarse().local_volume());
  constexpr std::size_t most_work = std::size_t{8} << 20;  // numbers: 64 MiB
  const std::size_t size = Kernel::work_size(basis.vectors);
  const int batch = std::min(matrices, std::max(256, static_cast<int>(most_work / size)));
  const int chunk = Kernel::rows_of_chunk(basis.vectors);
  const auto work = allocate_on<double>(fine, "kaon::block_qr", size * static_cast<std::size_t>(batch));
  Kernel kernel{aggregation.sites<T>(),
                basis,
                SiteMap::of<T>(fine),
                work.data(),
                pivots,
                replacements,
                smallest_independent_pivot<T>,
                0,
                chunk,
                Kernel::bytes(basis.vectors, chunk)};
  for (kernel.first = 0; kernel.first < matrices; kernel.first += batch) {
    launch_teams("kaon::block_qr", fine.execution(), std::min(batch, matrices - kernel.first), Kernel::max_team_size,
                 kernel);
  }
  fine.execution().fence("kaon::block_qr");  // before `work` is freed
}

}  // namespace

template <class T>
void take_vectors(const BasisMatrices<T>& basis, const Aggregation& aggregation, const SpinorField<T>& vectors) {
  const Lattice& fine = aggregation.fine();
  const AggregateSites sites = aggregation.sites<T>();
  if constexpr (on_device) {
    using Kernel = TakeVectorsByTeams<T>;
    const int sites_of_parity = static_cast<int>(fine.local_volume()) / fine.parities();
    const int tiles = (sites_of_parity + Kernel::tile - 1) / Kernel::tile;
    return launch_teams("kaon::take_vectors", fine.execution(), fine.parities() * tiles, Kernel::max_team_size,
                        Kernel{sites, basis, site_components(vectors), sites_of_parity});
  }
  const int all = static_cast<int>(fine.local_volume()) >> sites.lane_shift;
  Kokkos::parallel_for(
      "kaon::take_vectors", Kokkos::RangePolicy<Execution>(fine.execution(), 0, all),
      TakeVectors<T>{sites, basis, site_components(vectors), all / fine.parities(), column_lanes<T>(basis.vectors)});
}

template <class T>
BlockQrResult block_qr(const BasisMatrices<T>& basis, const Aggregation& aggregation) {
  const Lattice& fine = aggregation.fine();
  const Execution& execution = fine.execution();
  const auto matrices = static_cast<std::size_t>(2 * aggregation.coarse().local_volume());
  const auto pivots = allocate_on<double>(fine, "kaon::block_qr pivots", matrices);
  const auto replacements = allocate_on<int>(fine, "kaon::block_qr replacements", matrices);
  Kokkos::deep_copy(execution, pivots, 1.0);
  Kokkos::deep_copy(execution, replacements, 0);
  with_column_pack<T>(basis.vectors,
                      [&]<class V>() { run_block_qr<T, V>(basis, aggregation, pivots.data(), replacements.data()); });
  const auto of_matrix = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots);
  const auto noise = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), replacements);
  double smallest[] = {-1.0}, replaced[] = {0.0};  // the largest of - pivot
  for (std::size_t k = 0; k < matrices; ++k) {
    smallest[0] = std::max(smallest[0], -of_matrix(k));
    replaced[0] += noise(k);
  }
  const Communicator& processes = fine.communicator();
  processes.maximum(smallest);
  processes.sum(replaced);
  require(smallest[0] <= 0.0,
          "the near-null vectors could not be made orthonormal in an aggregate: give vectors that are not so nearly "
          "dependent, or fewer");
  return {smallest[0] == 0.0 ? 0.0 : -smallest[0], static_cast<int>(replaced[0])};
}

template void take_vectors(const BasisMatrices<double>&, const Aggregation&, const SpinorField<double>&);
template void take_vectors(const BasisMatrices<float>&, const Aggregation&, const SpinorField<float>&);
template BlockQrResult block_qr(const BasisMatrices<double>&, const Aggregation&);
template BlockQrResult block_qr(const BasisMatrices<float>&, const Aggregation&);

}  // namespace kaon::detail
