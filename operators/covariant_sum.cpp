// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_checks.hpp"
#include "core/fields/link_codes.hpp"
#include "core/launch/launch.hpp"
#include "operators/covariant_sum_kernels.hpp"
#include "operators/stencil/crossing.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/covariant_sum.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

template <class T>
void require_fields(const SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                    const CovariantSum& sum) {
  require(std::isfinite(sum.weight) && std::isfinite(sum.center), [&] {
    return fmt::format("the weights of a covariant sum must be finite, not {} and {}", sum.weight, sum.center);
  });
  require(in.lattice() == links.lattice(), [&] {
    return fmt::format("a field on lattice {} cannot be shifted by links on lattice {}",
                       to_string(in.lattice().extents()), to_string(links.lattice().extents()));
  });
  require(in.colors() == 3 && in.subset() == Subset::full, [&] {
    return fmt::format("covariant shifts need a field of 3 colours on both parities, not {} colours on {}", in.colors(),
                       in.parities() == 2 ? "both" : "one");
  });
  detail::require_one_slice(in, "a covariant shift");
  require(out.lattice() == in.lattice() && out.parameters() == in.parameters(),
          "covariant shifts need two fields of one shape");
  detail::require_storage(links.storage(), LinkStorage::full);
}

bool needs_boxes(const Lattice& lattice, const CovariantSum& sum) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if ((sum.forward[mu] || sum.backward[mu]) && lattice.is_partitioned(mu)) return true;
  }
  return false;
}

/// `covariant_sum` where no direction of its terms is partitioned, on all slices or on that of a time.
template <class V, class T>
void sum_once(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, const CovariantSum& sum,
              std::optional<int> time = {}) {
  const Lattice& lattice = in.lattice();
  detail::CovariantSumKernel<T, V> kernel;
  kernel.node = detail::SubLattice(lattice.local_extents(), lattice.lane_grid<T>());
  kernel.first_site = 0;
  int sites = kernel.node.half_volume;
  if (time.has_value()) {  // the slowest coordinate of sites; lanes hold slices as far apart as the sub-lattice is long
    const int here = *time - lattice.origin()[3];
    if (here < 0 || here >= lattice.local_extents()[3]) return;
    sites /= kernel.node.extent[3];
    kernel.first_site = here % kernel.node.extent[3] * sites;
  }
  kernel.spins = in.spins();
  kernel.terms = detail::SumTerms<V>(sum);
  kernel.links = detail::access<V>(links);
  for (std::size_t mu = 0; mu < 4; ++mu) {
    kernel.leave_forward[mu] = detail::make_crossing<V>(lattice.lane_grid<T>(), mu, true, 0.0).lanes;
    kernel.leave_backward[mu] = detail::make_crossing<V>(lattice.lane_grid<T>(), mu, false, 0.0).lanes;
  }
  for (const Parity parity : {Parity::even, Parity::odd}) {
    kernel.parity = static_cast<int>(parity);
    kernel.out = {out.data(parity), out.right_hand_side_stride(), out.components()};
    kernel.in = {in.data(parity), in.right_hand_side_stride(), in.components()};
    kernel.in_opposite = {in.data(opposite(parity)), in.right_hand_side_stride(), in.components()};
    detail::for_each_site("kaon::covariant_sum", lattice.execution(), sites, in.right_hand_sides(), kernel);
  }
}

/// out = `covariant_sum`, applied `steps` times to in, in copies with a layer of the neighbours' sites around them.
template <class V, class T>
void sum_in_boxes(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, const CovariantSum& sum,
                  int steps) {
  const Lattice& lattice = in.lattice();
  const Coordinates& lane_grid = lattice.lane_grid<T>();
  Coordinates layers{};
  for (std::size_t mu = 0; mu < 4; ++mu) layers[mu] = sum.forward[mu] || sum.backward[mu] ? 1 : 0;
  const int reals = 2 * in.components() * in.right_hand_sides();
  detail::GhostBox<T> links_box(lattice, lane_grid, layers, detail::link_reals);
  detail::GhostBox<T> first(lattice, lane_grid, layers, reals), second(lattice, lane_grid, layers, reals);
  detail::fill_box(links_box, links);
  links_box.exchange();
  const auto copy = [&](const SpinorField<T>& psi, const detail::GhostBox<T>& box, bool fill) {
    const detail::BoxCopyKernel<T> kernel{detail::site_access(psi), box.shape(), box.data(), psi.right_hand_sides(),
                                          fill};
    detail::for_each_single_site<T>("kaon::covariant_sum_copy", lattice, kernel);
  };
  copy(in, first, true);
  detail::GhostBox<T>* from = &first;
  detail::GhostBox<T>* to = &second;
  for (int step = 0; step < steps; ++step) {
    from->exchange();
    for (const int parity : {0, 1}) {
      const detail::GhostSumKernel<T, V> kernel{detail::SubLattice(lattice.local_extents(), lane_grid),
                                                parity,
                                                in.spins(),
                                                detail::SumTerms<V>(sum),
                                                links_box.shape(),
                                                links_box.data(),
                                                {to->shape(), to->data()},
                                                {from->shape(), from->data()}};
      detail::for_each_site("kaon::covariant_sum_in_boxes", lattice.execution(), kernel.node.half_volume,
                            in.right_hand_sides(), kernel);
    }
    std::swap(from, to);
  }
  copy(out, *from, false);
}

}  // namespace

template <class T>
void covariant_sum(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, const CovariantSum& sum) {
  require_fields(out, in, links, sum);
  require(!detail::overlap(out, in), "covariant shifts need two fields, not one");
  const Lattice& lattice = in.lattice();
  detail::with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    needs_boxes(lattice, sum) ? sum_in_boxes<V>(out, in, links, sum, 1) : sum_once<V>(out, in, links, sum);
  });
}

template <class T>
void covariant_shift(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                     const CovariantShift& shift) {
  require(shift.direction >= 0 && shift.direction < 4,
          [&] { return fmt::format("direction {} of a shift is none of 0 to 3", shift.direction); });
  CovariantSum sum;
  (shift.forward ? sum.forward : sum.backward)[static_cast<std::size_t>(shift.direction)] = true;
  covariant_sum(out, in, links, sum);
}

template <class T>
void detail::repeat_covariant_sum(SpinorField<T>& psi, const GaugeField<T>& links, const CovariantSum& sum, int steps,
                                  std::optional<int> time) {
  require_fields(psi, psi, links, sum);
  const Lattice& lattice = psi.lattice();
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    if (needs_boxes(lattice, sum)) return sum_in_boxes<V>(psi, psi, links, sum, steps);
    SpinorField<T> other(lattice, psi.parameters());
    SpinorField<T>* in = &psi;
    SpinorField<T>* out = &other;
    for (int step = 0; step < steps; ++step) {
      sum_once<V>(*out, *in, links, sum, time);
      std::swap(in, out);
    }
    if (in != &psi) blas::copy(psi, *in);
  });
}

template <class T>
CovariantLaplace<T>::CovariantLaplace(const GaugeField<T>& links, const LaplaceParameters& parameters)
    : links_(links.share()), dimensions_(parameters.dimensions), spins_(parameters.spins) {
  detail::require_storage(links.storage(), LinkStorage::full);
  require(std::isfinite(parameters.kappa), [&] { return fmt::format("kappa = {} is not finite", parameters.kappa); });
  require(dimensions_ == 3 || dimensions_ == 4,
          [&] { return fmt::format("a Laplace operator has 3 or 4 dimensions, not {}", dimensions_); });
  require(spins_ >= 1, [&] { return fmt::format("a Laplace operator acts on one spin or more, not on {}", spins_); });
  const std::array<bool, 4> directions{true, true, true, dimensions_ == 4};
  sum_ = CovariantSum{.forward = directions, .backward = directions, .weight = -parameters.kappa, .center = 1.0};
}

template <class T>
void CovariantLaplace<T>::apply(SpinorField<T>& out, const SpinorField<T>& in) const {
  this->require_domain(out, in);
  covariant_sum(out, in, links_, sum_);
}

template <class T>
double CovariantLaplace<T>::flops() const {
  const int terms = 2 * dimensions_;
  return static_cast<double>(lattice().volume()) * spins_ * (66.0 * terms + 6.0 * (terms - 1) + 18.0);
}

template <class T>
double CovariantLaplace<T>::bytes() const {
  return static_cast<double>(lattice().volume()) * (18.0 * dimensions_ + 12.0 * spins_) * sizeof(T);
}

template void covariant_sum(SpinorField<double>&, const SpinorField<double>&, const GaugeField<double>&,
                            const CovariantSum&);
template void covariant_sum(SpinorField<float>&, const SpinorField<float>&, const GaugeField<float>&,
                            const CovariantSum&);
template void covariant_shift(SpinorField<double>&, const SpinorField<double>&, const GaugeField<double>&,
                              const CovariantShift&);
template void covariant_shift(SpinorField<float>&, const SpinorField<float>&, const GaugeField<float>&,
                              const CovariantShift&);
template void detail::repeat_covariant_sum(SpinorField<double>&, const GaugeField<double>&, const CovariantSum&, int,
                                           std::optional<int>);
template void detail::repeat_covariant_sum(SpinorField<float>&, const GaugeField<float>&, const CovariantSum&, int,
                                           std::optional<int>);
template class CovariantLaplace<double>;
template class CovariantLaplace<float>;

}  // namespace kaon
