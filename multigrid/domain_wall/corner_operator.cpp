// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/domain_wall/corner_operator.hpp"

#include "core/device/allocate.hpp"
#include "core/fields/element_order.hpp"
#include "core/lattice/geometry.hpp"
#include "multigrid/domain_wall/corner_images.hpp"
#include "multigrid/domain_wall/corner_kernels.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/normal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace kaon::detail {
namespace {

using Cplx = std::complex<double>;

/// Right-hand sides that a team has in registers, and packs of rows that a thread of a device has there.
constexpr int most_right_hand_sides_of_team = on_device ? 6 : 4, most_packs_of_team = on_device ? 3 : 1;

/// e^{ip a} at the sites of this process, p in units of 2 pi / extent.
Kokkos::View<float*, Memory> plane_wave(const Lattice& lattice, const Coordinates& momentum) {
  const SiteMap map = SiteMap::of<float>(lattice);
  const auto phases =
      Kokkos::View<float*, Memory>("kaon::CornerOperator phases", 2 * static_cast<std::size_t>(lattice.local_volume()));
  const auto on_host = Kokkos::create_mirror_view(phases);
  for (int number = 0; number < static_cast<int>(lattice.local_volume()); ++number) {
    int a[4];
    map.coordinates({number / map.sites, number % map.sites, 0}, a);
    double turns = 0.0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      turns += static_cast<double>(momentum[mu] * (a[mu] + map.origin[mu])) / lattice.extents()[mu];
    }
    const Cplx phase = std::polar(1.0, 2.0 * std::numbers::pi * turns);
    on_host(2 * static_cast<std::size_t>(number)) = static_cast<float>(phase.real());
    on_host(2 * static_cast<std::size_t>(number) + 1) = static_cast<float>(phase.imag());
  }
  Kokkos::deep_copy(phases, on_host);
  return phases;
}

/// The inverse of the matrix e^{ipd} of one direction: [d][p].
void invert_waves(Complex<double> (&weights)[3][3], const CornerDisplacements& displacements, std::size_t mu,
                  int extent) {
  const int count = displacements.counts()[mu];
  int stride = 1;
  for (std::size_t nu = 0; nu < mu; ++nu) stride *= displacements.counts()[nu];
  const auto wave = [&](int p, int d) {
    const double turns = static_cast<double>(displacements.momentum(p * stride)[mu]) * displacements[d * stride][mu];
    return std::polar(1.0, 2.0 * std::numbers::pi * turns / extent);
  };
  // Gauss-Jordan elimination of [waves | 1]; the waves are far from dependent.
  Cplx rows[3][6] = {};
  for (int p = 0; p < count; ++p) {
    for (int d = 0; d < count; ++d) rows[p][d] = wave(p, d);
    rows[p][count + p] = 1.0;
  }
  for (int c = 0; c < count; ++c) {
    int best = c;
    for (int r = c; r < count; ++r) {
      if (std::abs(rows[r][c]) > std::abs(rows[best][c])) best = r;
    }
    std::swap(rows[c], rows[best]);
    const Cplx inverse = 1.0 / rows[c][c];
    for (Cplx& number : rows[c]) number *= inverse;
    for (int r = 0; r < count; ++r) {
      const Cplx factor = rows[r][c];
      for (int k = 0; r != c && k < 2 * count; ++k) rows[r][k] -= factor * rows[c][k];
    }
  }
  for (int d = 0; d < count; ++d) {
    for (int p = 0; p < count; ++p) weights[d][p] = {rows[d][count + p].real(), rows[d][count + p].imag()};
  }
}

}  // namespace

CornerDisplacements::CornerDisplacements(const Coordinates& coarse_extents) : extents_(coarse_extents), counts_{} {
  for (std::size_t mu = 0; mu < 4; ++mu) counts_[mu] = std::min(3, extents_[mu]);
}

Coordinates CornerDisplacements::operator[](int number) const {
  Coordinates d = lexicographic_site(number, counts_);
  for (std::size_t mu = 0; mu < 4; ++mu) d[mu] -= counts_[mu] == 3 ? 1 : 0;
  return d;
}

Coordinates CornerDisplacements::momentum(int number) const {
  Coordinates p = lexicographic_site(number, counts_);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (counts_[mu] == 3) p[mu] *= (extents_[mu] + 1) / 3;  // waves about a third of a turn apart
  }
  return p;
}

int CornerDisplacements::number(const Coordinates& displacement) const {
  int result = 0;
  for (std::size_t mu = 4; mu-- > 0;) {
    // three displacements -1, 0 and 1 have the numbers 0, 1 and 2
    const int first = counts_[mu] == 3 ? 1 : 0;
    result = result * counts_[mu] + (displacement[mu] + first + 2 * extents_[mu]) % extents_[mu];
  }
  return result;
}

double CornerOperator::bytes(const Lattice& coarse, int vectors) {
  const CornerMatrices shape{nullptr, CornerDisplacements(coarse.extents()).count(), vectors};
  return static_cast<double>(coarse.local_volume()) * shape.packs() * static_cast<double>(shape.numbers()) *
         sizeof(float);
}

CornerOperator::CornerOperator(const SlicedTransfer& transfer, int range)
    : lattice_(transfer.aggregation().coarse()),
      domain_(transfer.coarse_domain()),
      displacements_(lattice_.extents()),
      sites_(static_cast<int>(lattice_.local_volume())),
      size_(transfer.vectors()) {
  const Coordinates& block = transfer.aggregation().block();
  for (std::size_t mu = 0; mu < 4; ++mu) {
    require(block[mu] >= range || lattice_.extents()[mu] <= 3, [&] {
      return fmt::format(
          "aggregates of {} sites are too small for a coarse lattice of {}: operators of domain wall "
          "quarks reach {} sites, so give aggregates of {} sites, or at most three of them in a "
          "direction",
          to_string(block), to_string(lattice_.extents()), range, range);
    });
  }
  make_neighbors();
  matrices_ = allocate_zeros<float>(lattice_.execution(), "kaon::CornerOperator",
                                    static_cast<std::size_t>(bytes(lattice_, size_)) / sizeof(float));
}

CornerOperator::CornerOperator(const SlicedTransfer& transfer, const LinearOperator<float>& fine, int range,
                               int at_once)
    : CornerOperator(transfer, range) {
  make_matrices(transfer, fine, at_once);
}

CornerOperator::CornerOperator(OfNormal, const SlicedTransfer& transfer, const LinearOperator<float>& m, int at_once)
    : CornerOperator(transfer, range_of_normal) {
  if (!multiply_images(transfer, m, at_once)) make_matrices(transfer, NormalOperator<float>(m), at_once);
}

void CornerOperator::make_neighbors() {
  const SiteMap map = SiteMap::of<float>(lattice_);
  const Coordinates& local = lattice_.local_extents();
  std::vector<int> neighbors;
  for (int site = 0; site < sites_; ++site) {
    int a[4];
    map.coordinates({site / map.sites, site % map.sites, 0}, a);
    for (int d = 0; d < displacements_.count(); ++d) {
      Coordinates process{};
      int x[4];
      for (std::size_t mu = 0; mu < 4; ++mu) {
        const int extent = lattice_.extents()[mu];
        const int global = (a[mu] + map.origin[mu] + displacements_[d][mu] + extent) % extent;
        process[mu] = global / local[mu];
        x[mu] = global % local[mu];
      }
      const Place place = map.place(x);
      neighbors.push_back(lattice_.rank_at(process) * sites_ + place.parity * map.sites + place.index);
    }
  }
  neighbors_ = kernel_table("kaon::CornerOperator", neighbors);
}

bool CornerOperator::multiply_images(const SlicedTransfer& transfer, const LinearOperator<float>& m, int at_once) {
  if (!CornerImages::fit(transfer.aggregation())) return false;
  const CornerImages images(transfer, displacements_, neighbors_.data());
  const int columns = images.columns_in_memory(at_once);
  if (columns == 0) return false;
  images.multiply({matrices_.data(), displacements_.count(), size_}, m, columns, at_once);
  return true;
}

void CornerOperator::make_matrices(const SlicedTransfer& transfer, const LinearOperator<float>& fine, int at_once) {
  const Execution& execution = lattice_.execution();
  const CornerMatrices matrices{matrices_.data(), displacements_.count(), size_};
  for (int first = 0; first < size_; first += at_once) {
    const int count = std::min(at_once, size_ - first);
    SpinorParameters of_fine = transfer.fine_domain(), of_coarse = domain_;
    of_fine.right_hand_sides = of_coarse.right_hand_sides = count;
    Temporaries<float> fields(fine.lattice(), of_fine, 2);
    SpinorField<float> y(lattice_, of_coarse);
    const CoarseNumbers numbers = CoarseNumbers::of(y);
    const Kokkos::RangePolicy<Execution> items(execution, 0, sites_ * size_ * count);
    for (int d = 0; d < displacements_.count(); ++d) {
      const auto phases = plane_wave(lattice_, displacements_.momentum(d));
      Kokkos::parallel_for("kaon::plane_waves", items, PlaneWaves{numbers, phases.data(), size_, first, count});
      transfer.prolong(fields[0], y);
      fine.apply(fields[1], fields[0]);
      transfer.restrict(y, fields[1]);
      Kokkos::parallel_for("kaon::take_waves", items, TakeWaves{matrices, numbers, phases.data(), d, first, count});
      execution.fence("kaon::CornerOperator");  // before the phases are freed
    }
  }
  transform();
  execution.fence("kaon::CornerOperator");
}

void CornerOperator::transform() {
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<std::size_t>>;
  int stride = 1;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int count = displacements_.counts()[mu];
    if (count > 1) {
      TransformCorners kernel{{matrices_.data(), displacements_.count(), size_}, {}, count, stride};
      invert_waves(kernel.weights, displacements_, mu, lattice_.extents()[mu]);
      const std::size_t items = static_cast<std::size_t>(sites_) *
                                static_cast<std::size_t>(displacements_.count() / count) *
                                static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
      Kokkos::parallel_for("kaon::transform_corners", Policy(lattice_.execution(), 0, items), kernel);
    }
    stride *= count;
  }
}

void CornerOperator::apply(SpinorField<float>& out, const SpinorField<float>& in) const {
  this->require_domain(out, in);
  const int columns = in.right_hand_sides(),
            groups = (columns + most_right_hand_sides_of_team - 1) / most_right_hand_sides_of_team;
  SitesOfAll sites{in.data(), in.right_hand_side_stride(), 2 * size_, component_lanes<float>(size_)};
  if (lattice_.communicator().size() > 1) {
    if (!gathered_ || gathered_->right_hand_sides() != columns) {
      gathered_ = std::make_unique<GatheredField>(lattice_, 2 * static_cast<std::size_t>(sites_ * size_), columns);
    }
    gathered_->gather(in);
    sites.data = gathered_->data();
    sites.stride = gathered_->stride();
  }
  const CornerMatrices matrices{matrices_.data(), displacements_.count(), size_};
  int packs = most_packs_of_team;
  while (matrices.packs() % packs != 0) --packs;
  with_count<most_packs_of_team>(packs, [&]<int R>() {
    with_count<most_right_hand_sides_of_team>((columns + groups - 1) / groups, [&]<int K>() {
      using Kernel = CornerSum<K, R>;
      launch_teams(
          "kaon::corner_sum", lattice_.execution(), sites_ * matrices.packs() / R * groups, Kernel::max_team_size,
          Kernel{matrices, neighbors_.data(), sites, CoarseNumbers::of(out), groups, columns, Kernel::bytes()});
    });
  });
}

double CornerOperator::flops() const {
  return 8.0 * static_cast<double>(lattice_.volume()) * displacements_.count() * size_ * size_;
}

double CornerOperator::bytes() const {
  return bytes(lattice_, size_) * lattice_.communicator().size() +
         4.0 * sizeof(float) * static_cast<double>(lattice_.volume()) * size_;
}

}  // namespace kaon::detail
