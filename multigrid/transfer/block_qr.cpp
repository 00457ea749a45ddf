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

/// V_j(x) = v_j(x). A team copies `tile` sites of one parity. They lie side by side in a vector, vectors in a row of V:
/// numbers go from one order to the other through the team's memory.
struct TakeVectors {
  static constexpr int max_team_size = 256;
  static constexpr unsigned min_teams = 2;
  static constexpr int tile = 32, most_vectors = 32;
  static constexpr int row = 2 * most_vectors + 2;  ///< an even number, whose half is odd: few conflicts of banks

  AggregateSites sites;
  BasisMatrices<float> basis;
  SiteComponents<float> vectors;
  int sites_of_parity;
  int lanes;  ///< of columns
  int team_bytes = tile * row * static_cast<int>(sizeof(float));

  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const int tiles = (sites_of_parity + tile - 1) / tile;
    const int parity = team.league_rank() / tiles, first_site = (team.league_rank() - parity * tiles) * tile;
    const int count = sites_of_parity - first_site < tile ? sites_of_parity - first_site : tile;
    float* const numbers = static_cast<float*>(team_memory(team, team_bytes));  // [site][vector][re, im]
    for (int component = 0; component < 2 * basis.site_rows; ++component) {
      for (int first = 0; first < basis.vectors; first += most_vectors) {
        const int of_pass = basis.vectors - first < most_vectors ? basis.vectors - first : most_vectors;
        for (int item = team.team_rank(); item < of_pass * tile; item += team.team_size()) {
          const int j = item / tile, site = item - j * tile;
          if (site >= count) continue;
          const float* const from =
              vectors.site(parity, first_site + site, first + j) + vectors.of_component(component);
          numbers[site * row + 2 * j] = from[0];
          numbers[site * row + 2 * j + 1] = from[vectors.re_to_im];
        }
        team.team_barrier();
        for (int item = team.team_rank(); item < of_pass * count; item += team.team_size()) {
          const int site = item / of_pass, j = item - site * of_pass;
          const int column = first + j;
          float* const to = row_of(parity * sites_of_parity + first_site + site, component) +
                            column / lanes * 2 * lanes + column % lanes;
          to[0] = numbers[site * row + 2 * j];
          to[lanes] = numbers[site * row + 2 * j + 1];
        }
        team.team_barrier();
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION float* row_of(int place, int component) const {
    const int owner = sites.owners[place], aggregate = owner / sites.sites, site = owner - aggregate * sites.sites;
    const int chirality = component / basis.site_rows;
    const int of_matrix = site * basis.site_rows + component - chirality * basis.site_rows;
    return basis.matrix(aggregate, chirality) +
           static_cast<std::size_t>(of_matrix) * static_cast<std::size_t>(2 * basis.vectors);
  }
};

template <class V>
void run_block_qr(const BasisMatrices<float>& basis, const Aggregation& aggregation, double* pivots,
                  int* replacements) {
  using Kernel = BlockQrKernel<V>;
  const Lattice& fine = aggregation.fine();
  const int matrices = 2 * static_cast<int>(aggregation.coarse().local_volume());
  constexpr std::size_t most_work = std::size_t{8} << 20;  // numbers: 64 MiB
  const std::size_t size = Kernel::work_size(basis.vectors);
  const int batch = std::min(matrices, std::max(256, static_cast<int>(most_work / size)));
  const int chunk = Kernel::rows_of_chunk(basis.vectors);
  const auto work = allocate_on<double>(fine, "kaon::block_qr", size * static_cast<std::size_t>(batch));
  Kernel kernel{aggregation.sites(),
                basis,
                SiteMap::of<float>(fine),
                work.data(),
                pivots,
                replacements,
                smallest_independent_pivot,
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

void take_vectors(const BasisMatrices<float>& basis, const Aggregation& aggregation,
                  const SpinorField<float>& vectors) {
  const Lattice& fine = aggregation.fine();
  const int sites_of_parity = static_cast<int>(fine.local_volume()) / fine.parities();
  const int tiles = (sites_of_parity + TakeVectors::tile - 1) / TakeVectors::tile;
  launch_teams(
      "kaon::take_vectors", fine.execution(), fine.parities() * tiles, TakeVectors::max_team_size,
      TakeVectors{aggregation.sites(), basis, site_components(vectors), sites_of_parity, column_lanes(basis.vectors)});
}

BlockQrResult block_qr(const BasisMatrices<float>& basis, const Aggregation& aggregation) {
  const Lattice& fine = aggregation.fine();
  const Execution& execution = fine.execution();
  const auto matrices = static_cast<std::size_t>(2 * aggregation.coarse().local_volume());
  const auto pivots = allocate_on<double>(fine, "kaon::block_qr pivots", matrices);
  const auto replacements = allocate_on<int>(fine, "kaon::block_qr replacements", matrices);
  Kokkos::deep_copy(execution, pivots, 1.0);
  Kokkos::deep_copy(execution, replacements, 0);
  with_column_pack(basis.vectors,
                   [&]<class V>() { run_block_qr<V>(basis, aggregation, pivots.data(), replacements.data()); });
  const auto of_matrix = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), pivots);
  const auto noise = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), replacements);
  double smallest = 1.0, replaced = 0.0;
  for (std::size_t k = 0; k < matrices; ++k) {
    smallest = std::min(smallest, of_matrix(k));
    replaced += noise(k);
  }
  const Communicator& processes = fine.communicator();
  smallest = -processes.maximum(-smallest);
  require(smallest >= 0.0,
          "the near-null vectors could not be made orthonormal in an aggregate: give vectors that are not so nearly "
          "dependent, or fewer");
  return {smallest == 0.0 ? 0.0 : smallest, static_cast<int>(processes.sum(replaced))};
}

}  // namespace kaon::detail
