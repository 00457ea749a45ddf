// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/corner_images.hpp"

#include "core/device/allocate.hpp"
#include "core/lattice/geometry.hpp"
#include "multigrid/domain_wall/image_kernels.hpp"
#include "multigrid/setup/free_memory.hpp"

#include <kaon/core/kept_fields.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace kaon::detail {
namespace {

/// Sites that M reaches in a direction.
constexpr int reach_of_images = 2;
/// Directions that M steps in across an edge, one step each.
constexpr int directions_of_edge = 2;
/// Packs that are added in single precision.
constexpr int steps_of_images = 64;

std::size_t as_size(int number) { return static_cast<std::size_t>(number); }

/// Colours of the sites of a cycle: neighbours have different ones.
int colors_of_cycle(int extent) { return extent == 1 ? 1 : 2 + extent % 2; }
int color_in_cycle(int site, int extent) { return extent % 2 == 1 && extent > 1 && site == extent - 1 ? 2 : site % 2; }

/// -1 or 1 if site x of a direction of an aggregate is less than `depth` sites from the lower or upper face, 0 if it is
/// not. Two aggregates in a direction are the same neighbour on both sides.
int face_beside(int x, int block, int coarse_extent, int depth) {
  if (coarse_extent == 1) return 0;
  const int of = x < depth ? -1 : x >= block - depth ? 1 : 0;
  return coarse_extent == 2 ? of * of : of;
}

/// Displacements of the aggregates whose columns a site sees.
std::vector<Coordinates> sources_of(const Coordinates& x, const Coordinates& block, const Coordinates& coarse) {
  std::vector<Coordinates> sources{{0, 0, 0, 0}};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int across = face_beside(x[mu], block[mu], coarse[mu], reach_of_images);
    if (across == 0) continue;
    Coordinates face{};
    face[mu] = across;
    sources.push_back(face);
    for (std::size_t nu = 0; nu < mu; ++nu) {
      Coordinates edge{};
      edge[mu] = face_beside(x[mu], block[mu], coarse[mu], reach_of_images / directions_of_edge);
      edge[nu] = face_beside(x[nu], block[nu], coarse[nu], reach_of_images / directions_of_edge);
      if (edge[mu] != 0 && edge[nu] != 0) sources.push_back(edge);
    }
  }
  return sources;
}

}  // namespace

struct CornerImages::Images {
  Kokkos::View<float*, Memory> memory;
  AggregateColumns rows{};
  int first = 0, columns = 0;  ///< of P

  Images(const Execution& execution, const CornerImages& of, int most) {
    const int all = of.positions_ * of.rows_of_site_, aggregates = of.transfer_.aggregation().sites().aggregates;
    memory =
        allocate_zeros<float>(execution, "kaon::CornerImages", 2 * as_size(all) * as_size(most) * as_size(aggregates));
    rows = {memory.data(), most, all};
  }
};

bool CornerImages::fit(const Aggregation& aggregation) {
  bool fits = aggregation.fine().communicator().size() == 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    fits = fits && (aggregation.block()[mu] >= 2 * reach_of_images || aggregation.coarse().extents()[mu] <= 2);
  }
  return fits;
}

CornerImages::CornerImages(const SlicedTransfer& transfer, const CornerDisplacements& displacements,
                           const int* neighbors)
    : transfer_(transfer), displacements_(displacements), neighbors_(neighbors) {
  constexpr int pack = on_device ? 1 : AggregateColumns::pack;
  rows_of_site_ = (transfer.fine_domain().components_of_all_slices() + pack - 1) / pack * pack;
  make_positions();
  make_pairs();
  make_colors();
}

void CornerImages::make_positions() {
  const Aggregation& aggregation = transfer_.aggregation();
  const Coordinates& block = aggregation.block();
  const SiteRange range = aggregation.sites_of(transfer_.fine_domain().subset);
  for (const int kind : {0, 1}) {
    const std::vector<Coordinates> sites = sites_of_aggregate(block, kind, aggregation.fine().parities());
    for (int x = 0; x < range.count[kind]; ++x) {
      const Coordinates& at = sites[as_size(range.first[kind] + x)];
      for (const Coordinates& source : sources_of(at, block, aggregation.coarse().extents())) {
        parts_[kind].push_back({x, displacements_.number(source)});
      }
    }
  }
  positions_ = static_cast<int>(std::max(parts_[0].size(), parts_[1].size()));
  std::vector<int> table;
  for (const std::vector<Part>& of_kind : parts_) {
    for (std::size_t p = 0; p < as_size(positions_); ++p) {
      const Part part = p < of_kind.size() ? of_kind[p] : Part{-1, 0};
      table.insert(table.end(), {part.site, part.source});
    }
  }
  of_parts_ = kernel_table("kaon::CornerImages", table);
}

void CornerImages::make_pairs() {
  const int count = displacements_.count();
  const auto minus = [&](int e, int other) {
    Coordinates d = displacements_[e];
    for (std::size_t mu = 0; mu < 4; ++mu) d[mu] -= displacements_[other][mu];
    return displacements_.number(d);
  };
  const int zero = displacements_.number({0, 0, 0, 0});
  std::vector<int> opposites, half, all;
  for (int d = 0; d < count; ++d) {
    opposites.push_back(minus(zero, d));
    if (d <= opposites.back()) half.push_back(d);
    all.push_back(d);
  }
  /// Entries of (e', e), of each kind: positions of the same site.
  using Entries = std::array<std::vector<int>, 2>;
  std::vector<Entries> entries_of(as_size(count * count));
  for (const std::size_t kind : {0U, 1U}) {
    const std::vector<Part>& parts = parts_[kind];
    for (std::size_t p = 0; p < parts.size(); ++p) {
      for (std::size_t q = 0; q < parts.size(); ++q) {
        if (parts[p].site != parts[q].site) continue;
        auto& of_pair = entries_of[as_size(parts[p].source * count + parts[q].source)][kind];
        of_pair.insert(of_pair.end(), {static_cast<int>(p), static_cast<int>(q)});
      }
    }
  }
  std::vector<int> first_pairs{0}, pairs, entries;
  for (int d = 0; d < count; ++d) {
    for (int left = 0; left < count; ++left) {
      for (int right = 0; right < count; ++right) {
        const Entries& of_pair = entries_of[as_size(left * count + right)];
        if ((of_pair[0].empty() && of_pair[1].empty()) || minus(right, left) != d) continue;
        pairs.push_back(minus(zero, left));
        for (const std::vector<int>& of_kind : of_pair) {
          pairs.insert(pairs.end(), {static_cast<int>(entries.size() / 2), static_cast<int>(of_kind.size() / 2)});
          entries.insert(entries.end(), of_kind.begin(), of_kind.end());
        }
      }
    }
    first_pairs.push_back(static_cast<int>(pairs.size()) / ImagePairs::numbers);
  }
  first_pairs_ = kernel_table("kaon::CornerImages", first_pairs);
  pairs_ = kernel_table("kaon::CornerImages", pairs);
  entries_ = kernel_table("kaon::CornerImages", entries);
  opposites_ = kernel_table("kaon::CornerImages", opposites);
  half_ = kernel_table("kaon::CornerImages", half);
  all_ = kernel_table("kaon::CornerImages", all);
}

void CornerImages::make_colors() {
  const Lattice& coarse = transfer_.aggregation().coarse();
  const SiteMap map = SiteMap::of<float>(coarse);
  std::vector<int> colors;
  for (const int extent : coarse.extents()) colors_ *= colors_of_cycle(extent);
  for (int a = 0; a < static_cast<int>(coarse.local_volume()); ++a) {
    int x[4];
    map.coordinates({a / map.sites, a % map.sites, 0}, x);
    int color = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      color = color * colors_of_cycle(coarse.extents()[mu]) + color_in_cycle(x[mu], coarse.extents()[mu]);
    }
    colors.push_back(color);
  }
  of_colors_ = kernel_table("kaon::CornerImages", colors);
}

double CornerImages::bytes() const {
  return 2.0 * sizeof(float) * positions_ * rows_of_site_ * transfer_.aggregation().sites().aggregates;
}

int CornerImages::columns_in_memory(int at_once) const {
  if (bytes() / (2.0 * sizeof(float)) > std::numeric_limits<int>::max()) return 0;  // kernels number them by 32 bits
  const Lattice& lattice = transfer_.aggregation().fine();
  const double of_fields = 8.0 * SlicedTransfer::bytes(transfer_.aggregation(), transfer_.fine_domain(), at_once);
  const int all = transfer_.vectors();
  int columns = count_in_memory(lattice, of_fields, bytes(), 0, all);
  if (columns < all) columns = std::max(0, columns - at_once);
  const int by_waves = 2 * displacements_.count() * all;
  return columns > 0 && applications(columns) < by_waves ? columns : 0;
}

int CornerImages::applications(int columns) const {
  int total = 0;
  for (int first = 0; first < transfer_.vectors(); first += columns) total += transfer_.vectors() - first;
  return colors_ * total;
}

void CornerImages::apply(Images& images, const LinearOperator<float>& m, int first, int count, int at_once) const {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<int>>;
  const Aggregation& aggregation = transfer_.aggregation();
  images.first = first;
  images.columns = count;
  for (int done = 0; done < count; done += at_once) {
    const SpinorParameters shape = transfer_.fine_domain().with_right_hand_sides(std::min(at_once, count - done));
    Temporaries<float> fields(aggregation.fine(), shape, 2);
    for (int color = 0; color < colors_; ++color) {
      transfer_.get_columns(fields[0], first + done, of_colors_.data(), color);
      m.apply(fields[1], fields[0]);
      const GatherImages kernel{FieldOfAggregates::of(aggregation, fields[1]),
                                images.rows,
                                {of_parts_.data(), positions_},
                                {neighbors_, displacements_.count()},
                                of_colors_.data(),
                                color,
                                shape.right_hand_sides,
                                done,
                                rows_of_site_,
                                aggregation.sites().aggregates};
      Kokkos::parallel_for("kaon::gather_images", Policy(aggregation.fine().execution(), 0, kernel.items()), kernel);
    }
  }
}

void CornerImages::multiply_images(const CornerMatrices& matrices, const Images& left, const Images& right) const {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>>;
  const Execution& execution = transfer_.aggregation().fine().execution();
  const bool same = left.first == right.first;
  const Table& wanted = same ? half_ : all_;
  const int displacements = static_cast<int>(wanted.size()), aggregates = transfer_.aggregation().sites().aggregates;
  const ImageFactors factors{
      left.rows,
      right.rows,
      matrices,
      {first_pairs_.data(), pairs_.data(), entries_.data(), transfer_.aggregation().sites().kinds},
      {neighbors_, matrices.displacements},
      wanted.data(),
      displacements,
      left.first,
      right.first,
      left.columns,
      right.columns,
      rows_of_site_,
      steps_of_images};
  const auto launch = [&](const auto& kernel) {
    launch_teams("kaon::image_products", execution, aggregates * displacements * kernel.tiles * kernel.groups,
                 aggregate_team_size, kernel);
  };
  if constexpr (on_device) {
    constexpr int most = 3, side = ImageTiles<1, 1>::side;  // columns of a thread, and threads
    const int tiles = column_groups(left.columns, side * most), groups = column_groups(right.columns, side * most);
    with_count<most>(column_groups(left.columns, side * tiles), [&]<int J>() {
      with_count<most>(column_groups(right.columns, side * groups), [&]<int K>() {
        launch(ImageTiles<J, K>{factors, tiles, groups, ImageTiles<J, K>::bytes()});
      });
    });
  } else {
    const int groups = column_groups(right.columns);
    with_count<most_columns_of_team>(column_groups(right.columns, groups), [&]<int K>() {
      launch(ImageProducts<K>{factors, column_groups(left.columns), groups});
    });
  }
  const AdjointCorners kernel{matrices,      {neighbors_, matrices.displacements},
                              wanted.data(), opposites_.data(),
                              displacements, left.first,
                              right.first,   left.columns,
                              right.columns};
  Kokkos::parallel_for("kaon::adjoint_corners", Policy(execution, 0, kernel.items(aggregates)), kernel);
}

void CornerImages::multiply(const CornerMatrices& matrices, const LinearOperator<float>& m, int columns,
                            int at_once) const {
  const Execution& execution = transfer_.aggregation().fine().execution();
  const int all = transfer_.vectors();
  Images held(execution, *this, columns);
  std::optional<Images> others;
  if (columns < all) others.emplace(execution, *this, at_once);
  for (int first = 0; first < all; first += columns) {
    apply(held, m, first, std::min(columns, all - first), at_once);
    multiply_images(matrices, held, held);
    for (int other = first + columns; other < all; other += at_once) {
      apply(*others, m, other, std::min(at_once, all - other), at_once);
      multiply_images(matrices, held, *others);
    }
  }
  execution.fence("kaon::CornerImages");  // before the images are freed
}

}  // namespace kaon::detail
