// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/staggered/hypercube_hops.hpp"

#include "multigrid/coarse/coarse_halo.hpp"
#include "multigrid/coarse/coarse_hop_launch.hpp"
#include "multigrid/coarse/coarse_operator.hpp"
#include "multigrid/staggered/hypercube_inputs.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace kaon::detail {

HypercubeHops::HypercubeHops(const Lattice& hypercubes, std::shared_ptr<const CoarseLinks> outer,
                             std::shared_ptr<const SiteMatrices> left, std::shared_ptr<const SiteMatrices> right)
    : lattice_(hypercubes),
      sites_(CoarseSites::kept_by(lattice_)),
      outer_(std::move(outer)),
      left_(std::move(left)),
      right_(std::move(right)),
      all_faces_(0) {
  require(outer_->index() == left_->links().index(), "links and matrices of hypercubes must have one precision");
  for (std::size_t mu = 0; mu < directions; ++mu) {
    if (lattice_.extents()[mu] > 1) all_faces_ |= 3U << 2 * mu;  // else the hops are in X
  }
}

const SpinorField<float>& HypercubeHops::multiplied(const SpinorField<float>& in) const {
  if (!right_) return in;
  SpinorField<float>& out =
      multiplied_[static_cast<std::size_t>(parity_of(in.subset()))].provide(lattice_, in.parameters(), 1)[0];
  right_->apply(out, in);
  return out;
}

void HypercubeHops::add_hops(SpinorField<float>& out, const SpinorField<float>& in, double scale, const Addend& addend,
                             unsigned open_faces) const {
  CoarseHaloAccess halo;
  if (lattice_.is_partitioned()) {
    CoarseHalo& exchange = CoarseHalo::of(lattice_, *sites_, hypercube_components, in.right_hand_sides());
    // A kernel that reads all faces waits for the halos itself.
    halo = open_faces == all_faces_ ? exchange.exchange(*sites_, in) : exchange.exchange_and_wait(*sites_, in);
  }
  std::visit(
      [&]<class L>(const CoarseMatrices<L>& matrices) {
        const auto& outer = std::get<CoarseMatrices<L>>(*outer_);
        const Parity parity = parity_of(out.subset());
        auto sum = make_coarse_sum<HypercubeInputs<L>>(out, in, matrices, scale, addend);
        sum.inputs = {outer.data(parity), outer.scales(parity), open_faces};
        sum.neighbors = sites_->neighbors(parity);
        sum.halo = halo;
        run_coarse_sum(open_faces == all_faces_ ? "kaon::hypercube_hop" : "kaon::hypercube_hop_along", lattice_, sum);
      },
      left_->links());
}

void HypercubeHops::hop(SpinorField<float>& out, const SpinorField<float>& in, const HopForm<float>& form) const {
  require_coarse_hop(*this, out, in, form);
  add_hops(out, multiplied(in), form.scale, {form.term == SiteTerm::diagonal ? 1.0 : form.x_scale, form.x}, all_faces_);
  if (form.reduced != nullptr) *form.reduced = blas::reduce(out, form.x, form.reductions);
}

void HypercubeHops::apply_site_term(SpinorField<float>& out, const SpinorField<float>& in, SiteTerm term,
                                    bool dagger) const {
  require_coarse_site_term(*this, out, in, term, dagger);
  if (out.data() != in.data()) blas::copy(out, in);
}

void HypercubeHops::hop_along(SpinorField<float>& out, const SpinorField<float>& in, int mu) const {
  require_coarse_hop(*this, out, in, {});
  hop_along_after_factor(out, multiplied(in), mu);
}

void HypercubeHops::apply_factor(SpinorField<float>& out, const SpinorField<float>& in) const {
  if (right_) return right_->apply_to_all(out, in);
  if (out.data() != in.data()) blas::copy(out, in);
}

void HypercubeHops::hop_along_after_factor(SpinorField<float>& out, const SpinorField<float>& in, int mu) const {
  require_coarse_hop(*this, out, in, {});
  require(mu >= 0 && mu < directions,
          [&] { return fmt::format("a hop along direction {}: directions are 0 to 3", mu); });
  add_hops(out, in, 1.0, {}, all_faces_ & 1U << 2 * mu);
}

double HypercubeHops::hop_flops(SiteTerm, bool with_x) const {
  const double product = 8.0 * hypercube_components * hypercube_components - 2.0 * hypercube_components;
  const double outer = (8.0 * outer_columns - 2.0) * hypercube_components;
  return sites() * ((right_ ? 2.0 : 1.0) * product + outer + (with_x ? 4.0 * hypercube_components : 0.0));
}

double HypercubeHops::hop_bytes(SiteTerm, bool with_x) const {
  const double outer = std::visit([](const auto& links) { return links.matrix_bytes(); }, *outer_);
  const double fields = (with_x ? 3.0 : 2.0) + (right_ ? 2.0 : 0.0);
  return sites() *
         ((right_ ? 2.0 : 1.0) * left_->matrix_bytes() + outer + fields * 2.0 * hypercube_components * sizeof(float));
}

}  // namespace kaon::detail
