// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator.hpp"

#include "multigrid/coarse/coarse_halo.hpp"
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/coarse/site_matrix_fields.hpp"
#include "operators/checks.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace kaon::detail {
namespace {

/// Directions in which sites have neighbours.
std::vector<int> hop_directions(const Lattice& lattice) {
  std::vector<int> found;
  for (int mu = 0; mu < directions; ++mu) {
    if (lattice.extents()[static_cast<std::size_t>(mu)] > 1) found.push_back(mu);
  }
  return found;
}

Parity neighbor_parity(const Lattice& lattice, Parity parity) {
  return lattice.parities() == 2 ? opposite(parity) : parity;
}

/// Checks a field that holds the columns of a matrix at each site.
const SpinorField<float>& require_columns(const SpinorField<float>& x) {
  require(x.spins() == 2 && x.subset() == Subset::full && x.right_hand_sides() == x.components(), [&] {
    return fmt::format(
        "X of a coarse operator is a field on all sites with 2 spins, N colours and 2 N right-hand sides, not {} "
        "spins, "
        "{} colours and {} right-hand sides",
        x.spins(), x.colors(), x.right_hand_sides());
  });
  require(x.components() <= CoarseOperator::most_components, [&] {
    return fmt::format("a coarse operator of {} components a site: {} are the most", x.components(),
                       CoarseOperator::most_components);
  });
  return x;
}

void require_hop_columns(std::span<const SpinorField<float>> y, const SpinorField<float>& x) {
  const std::size_t hops = hop_directions(x.lattice()).size();
  require(y.size() == 4 || y.size() == hops, [&] {
    return fmt::format("a coarse operator on {} needs 4 fields Y, or the {} in directions of extent above 1, not {}",
                       to_string(x.lattice().extents()), hops, y.size());
  });
  for (const SpinorField<float>& field : y) {
    require(field.parameters() == x.parameters() && field.lattice() == x.lattice(),
            "Y of a coarse operator must have the lattice, sites, colours and right-hand sides of X");
  }
}

/// Flops of the product of `matrices` n x n matrices with one long vector.
double sum_flops(int matrices, int n) { return matrices == 0 ? 0.0 : 8.0 * matrices * n * n - 2.0 * n; }

void require_no_coarse_dagger(bool dagger) {
  require(!dagger,
          "a coarse operator has no adjoint of its own: where M^dag = gamma5 M(-twist) gamma5 is wanted, use the "
          "hierarchy of the opposite twist");
}

void require_coarse_field(const EvenOddOperator<float>& dirac, const SpinorField<float>& field) {
  const SpinorParameters domain = dirac.domain();
  require(field.spins() == 2 && field.colors() == domain.colors, [&] {
    return fmt::format("this coarse operator acts on fields of 2 spins and {} colours, not {} and {}", domain.colors,
                       field.spins(), field.colors());
  });
  require(field.lattice() == dirac.lattice(), "the coarse operator and the fields live on different lattices");
  require(field.parities() == 1, "X of a coarse operator acts on one parity of a field, not on all sites");
}

}  // namespace

void require_coarse_site_term(const EvenOddOperator<float>& dirac, const SpinorField<float>& out,
                              const SpinorField<float>& in, SiteTerm term, bool dagger) {
  require(term != SiteTerm::none, "apply_site_term applies X or X^-1: say which");
  require_coarse_field(dirac, out);
  require(out.parameters() == in.parameters() && in.lattice() == dirac.lattice(),
          "output and input of X must have the same lattice, parity, spins, colours and right-hand sides");
  require_no_coarse_dagger(dagger);
}

void require_coarse_hop(const EvenOddOperator<float>& dirac, const SpinorField<float>& out,
                        const SpinorField<float>& in, const HopForm<float>& form) {
  require_no_coarse_dagger(form.dagger);
  for (const SpinorField<float>* field : {&out, &in}) require_coarse_field(dirac, *field);
  const Lattice& lattice = dirac.lattice();
  require(lattice.parities() == 1 || out.subset() != in.subset(),
          "a hop leads from one parity to the other: give it an even and an odd field");
  require(out.data() != in.data(), "a hop's output must not be its input");
  require_hop_form(lattice, out, in, form);
  require(form.x == nullptr || form.x->lattice() == lattice, "the coarse operator and x live on different lattices");
}

CoarseOperator::CoarseOperator(const SpinorField<float>& x, std::span<const SpinorField<float>> y,
                               MultigridPrecision links)
    : lattice_(require_columns(x).lattice()),
      components_(x.components()),
      link_precision_(links),
      along_(hop_directions(lattice_)),
      sites_(CoarseSites::kept_by(lattice_)),
      x_(x),
      inverse_(lattice_, components_),
      links_(make_coarse_links(lattice_, components_, links_of_site(), links)) {
  require_hop_columns(y, x);
  const double singular = invert_site_matrices(inverse_.matrices(), x_.matrices(), lattice_, components_);
  singular_sites_ = static_cast<int>(lattice_.communicator().sum(singular));
  set_links(y);
}

void CoarseOperator::set_links(std::span<const SpinorField<float>> y) {
  std::optional<CoarseHalo> halo;
  if (lattice_.is_partitioned()) halo.emplace(lattice_, *sites_, components_, components_);
  for (int p = 0; p < lattice_.parities(); ++p) {
    const Parity parity{p};
    Temporaries<float> fields(lattice_, matrix_shape(parity), 2);
    SpinorField<float>&columns = fields[0], &divided = fields[1];
    for (std::size_t d = 0; d < along_.size(); ++d) {
      const int mu = along_[d];
      const SpinorField<float>& forward = y[y.size() == 4 ? static_cast<std::size_t>(mu) : d];
      const auto store = [&](const SpinorField<float>& hop, int number) {
        inverse_.apply(divided, hop);
        std::visit([&](auto& links) { links.store(divided, number); }, links_);
      };
      store(forward.parity(parity), static_cast<int>(2 * d));
      const SpinorField<float> behind = forward.parity(neighbor_parity(lattice_, parity));
      CoarseHaloAccess access;
      if (halo) access = halo->exchange_and_wait(*sites_, behind);
      backward_hops(columns, behind, *sites_, mu, access);
      store(columns, static_cast<int>(2 * d + 1));
    }
  }
  lattice_.execution().fence("kaon::CoarseOperator");
}

SpinorParameters CoarseOperator::matrix_shape(Parity parity) const {
  return {.spins = 2, .colors = vectors(), .subset = subset_of(parity), .right_hand_sides = components_};
}

void CoarseOperator::add_links(SpinorField<float>& out, const SpinorField<float>& in, double scale,
                               const Addend& addend, int first, int count) const {
  CoarseHaloAccess halo;
  if (lattice_.is_partitioned()) {
    CoarseHalo& exchange = CoarseHalo::of(lattice_, *sites_, components_, in.right_hand_sides());
    // A kernel with all links waits for the halos itself.
    halo = count == links_of_site() ? exchange.exchange(*sites_, in) : exchange.exchange_and_wait(*sites_, in);
  }
  std::visit(
      [&]<class L>(const CoarseMatrices<L>& links) {
        CoarseSum<L> sum = make_coarse_sum(out, in, links, scale, addend);
        sum.terms = count;
        sum.links += 2 * static_cast<std::size_t>(first) * static_cast<std::size_t>(components_) *
                     static_cast<std::size_t>(components_);
        if (sum.link_scales != nullptr) sum.link_scales += first;
        sum.neighbors = sites_->neighbors(parity_of(out.subset()));
        sum.halo = halo;
        for (int term = 0; term < count; ++term) {
          const int link = first + term;
          sum.inputs.face[term] = 2 * along_[static_cast<std::size_t>(link / 2)] + link % 2;
        }
        const char* label = count < links.count()     ? "kaon::coarse_hop_along"
                            : std::is_same_v<L, half> ? "kaon::coarse_hop_half"
                                                      : "kaon::coarse_hop_single";
        if (count == 0) label = "kaon::coarse_hop_of_none";
        run_coarse_sum(label, lattice_, sum);
      },
      links_);
}

void CoarseOperator::hop(SpinorField<float>& out, const SpinorField<float>& in, const HopForm<float>& form) const {
  require_coarse_hop(*this, out, in, form);
  const int count = links_of_site();
  const Addend addend{form.term == SiteTerm::diagonal ? 1.0 : form.x_scale, form.x};
  if (form.term == SiteTerm::inverse) {
    add_links(out, in, form.scale, addend, 0, count);
  } else if (form.term == SiteTerm::diagonal) {
    add_links(out, in, form.scale, addend, 0, count);
    x_.apply(out, out);
  } else if (form.x == nullptr || form.x->data() != out.data()) {
    add_links(out, in, 1.0, {}, 0, count);
    x_.apply(out, out, form.scale, addend);
  } else {
    Temporaries<float> hopped(lattice_, out.parameters(), 1);
    add_links(hopped[0], in, 1.0, {}, 0, count);
    x_.apply(out, hopped[0], form.scale, addend);
  }
  if (form.reduced != nullptr) *form.reduced = blas::reduce(out, form.x, form.reductions);
}

void CoarseOperator::apply_site_term(SpinorField<float>& out, const SpinorField<float>& in, SiteTerm term,
                                     bool dagger) const {
  require_coarse_site_term(*this, out, in, term, dagger);
  (term == SiteTerm::diagonal ? x_ : inverse_).apply(out, in);
}

void CoarseOperator::hop_along(SpinorField<float>& out, const SpinorField<float>& in, int mu) const {
  require_coarse_hop(*this, out, in, {});
  require(mu >= 0 && mu < 4, [&] { return fmt::format("a hop along direction {}: directions are 0 to 3", mu); });
  const auto found = std::find(along_.begin(), along_.end(), mu);
  const bool has_links = found != along_.end();
  add_links(out, in, 1.0, {}, has_links ? 2 * static_cast<int>(found - along_.begin()) : 0, has_links ? 1 : 0);
  if (has_links) x_.apply(out, out);
}

double CoarseOperator::hop_flops(SiteTerm term, bool with_x) const {
  const double site_term = term == SiteTerm::inverse ? 0.0 : sum_flops(1, components_);
  return sites() * (sum_flops(links_of_site(), components_) + site_term + (with_x ? 4.0 * components_ : 0.0));
}

double CoarseOperator::site_term_flops() const { return sites() * sum_flops(1, components_); }

double CoarseOperator::hop_bytes(SiteTerm term, bool with_x) const {
  const double link = std::visit([](const auto& links) { return links.matrix_bytes(); }, links_);
  const double site_term = term == SiteTerm::inverse ? 0.0 : x_.matrix_bytes();
  return sites() * (links_of_site() * link + site_term + (with_x ? 3.0 : 2.0) * 2.0 * components_ * sizeof(float));
}

double CoarseOperator::site_term_bytes() const {
  return sites() * (x_.matrix_bytes() + 4.0 * components_ * sizeof(float));
}

}  // namespace kaon::detail
