// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "multigrid/coarse/coarse_operator.hpp"

#include "multigrid/coarse/coarse_halo.hpp"
#include "multigrid/coarse/coarse_hop.hpp"
#include "multigrid/coarse/coarse_operator_checks.hpp"
#include "multigrid/coarse/site_inverse.hpp"
#include "multigrid/coarse/site_matrix_fields.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>

#include <fmt/format.h>

#include <array>
#include <utility>

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
template <class T>
const SpinorField<T>& require_columns(const SpinorField<T>& x) {
  require(x.spins() == 2 && x.subset() == Subset::full && x.right_hand_sides() == x.components(), [&] {
    return fmt::format(
        "X of a coarse operator is a field on all sites with 2 spins, N colours and 2 N right-hand sides, not {} "
        "spins, "
        "{} colours and {} right-hand sides",
        x.spins(), x.colors(), x.right_hand_sides());
  });
  require(x.components() <= CoarseOperator<T>::most_components, [&] {
    return fmt::format("a coarse operator of {} components a site: {} are the most", x.components(),
                       CoarseOperator<T>::most_components);
  });
  return x;
}

template <class T>
const SpinorField<T>& require_some(std::span<const SpinorField<T>> y) {
  require(!y.empty(), "a coarse operator without X needs fields Y");
  return require_columns(y.front());
}

template <class T>
void require_hop_columns(std::span<const SpinorField<T>> y, const SpinorField<T>& x) {
  const std::size_t hops = hop_directions(x.lattice()).size();
  require(y.size() == 4 || y.size() == hops, [&] {
    return fmt::format("a coarse operator on {} needs 4 fields Y, or the {} in directions of extent above 1, not {}",
                       to_string(x.lattice().extents()), hops, y.size());
  });
  for (const SpinorField<T>& field : y) {
    require(field.parameters() == x.parameters() && field.lattice() == x.lattice(),
            "Y of a coarse operator must have the lattice, sites, colours and right-hand sides of X");
  }
}

/// Flops of the product of `matrices` n x n matrices with one long vector.
double sum_flops(int matrices, int n) { return matrices == 0 ? 0.0 : 8.0 * matrices * n * n - 2.0 * n; }

template <class L>
const char* hop_label() {
  if constexpr (std::is_same_v<L, half>) return "kaon::coarse_hop_half";
  if constexpr (std::is_same_v<L, float>) return "kaon::coarse_hop_single";
  return "kaon::coarse_hop_double";
}

}  // namespace

template <class T>
CoarseOperator<T>::CoarseOperator(const Lattice& lattice, int components, StoredPrecision links)
    : lattice_(lattice),
      components_(components),
      link_precision_(links),
      along_(hop_directions(lattice_)),
      sites_(CoarseSites::kept_by(lattice_)),
      links_(make_coarse_links<T>(lattice_, components_, links_of_site(), links)) {}

template <class T>
CoarseOperator<T>::CoarseOperator(const SpinorField<T>& x, std::span<const SpinorField<T>> y, StoredPrecision links)
    : CoarseOperator(require_columns(x).lattice(), x.components(), links) {
  require_hop_columns(y, x);
  set_site_term(x);
  set_links(y);
}

template <class T>
CoarseOperator<T>::CoarseOperator(std::span<const SpinorField<T>> y, StoredPrecision links)
    : CoarseOperator(require_some(y).lattice(), y.front().components(), links) {
  require_hop_columns(y, y.front());
  set_links(y);
}

template <class T>
void CoarseOperator<T>::set_site_term(const SpinorField<T>& x) {
  site_terms_.emplace(SiteTerms{SiteMatrices<T>(x), SiteMatrices<T>(lattice_, components_)});
  double singular =
      invert_site_matrices(site_terms_->inverse.matrices(), site_terms_->x.matrices(), lattice_, components_);
  lattice_.communicator().sum(std::span(&singular, 1));
  singular_sites_ = static_cast<int>(singular);
}

template <class T>
void CoarseOperator<T>::set_links(std::span<const SpinorField<T>> y) {
  std::optional<CoarseHalo<T>> halo;
  if (lattice_.is_partitioned()) halo.emplace(lattice_, *sites_, components_, components_);
  for (int p = 0; p < lattice_.parities(); ++p) {
    const Parity parity{p};
    Temporaries<T> fields(lattice_, matrix_shape(parity), 2);
    SpinorField<T>&columns = fields[0], &divided = fields[1];
    for (std::size_t d = 0; d < along_.size(); ++d) {
      const int mu = along_[d];
      const SpinorField<T>& forward = y[y.size() == 4 ? static_cast<std::size_t>(mu) : d];
      const auto store = [&](const SpinorField<T>& hop, int number) {
        if (site_terms_) site_terms_->inverse.apply(divided, hop);
        std::visit([&](auto& links) { links.store(site_terms_ ? divided : hop, number); }, links_);
      };
      store(forward.parity(parity), static_cast<int>(2 * d));
      const SpinorField<T> behind = forward.parity(neighbor_parity(lattice_, parity));
      CoarseHaloAccess<T> access;
      if (halo) access = halo->exchange_and_wait(*sites_, behind);
      backward_hops(columns, behind, *sites_, mu, access);
      store(columns, static_cast<int>(2 * d + 1));
    }
  }
  lattice_.execution().fence("kaon::CoarseOperator");
}

template <class T>
SpinorParameters CoarseOperator<T>::matrix_shape(Parity parity) const {
  return {.spins = 2, .colors = vectors(), .subset = subset_of(parity), .right_hand_sides = components_};
}

template <class T>
Parity CoarseOperator<T>::parity_of(const SpinorField<T>& field) const {
  return field.subset() == Subset::odd ? Parity::odd : Parity::even;
}

template <class T>
void CoarseOperator<T>::add_links(SpinorField<T>& out, const SpinorField<T>& in, double scale, const Addend<T>& addend,
                                  int first, int count) const {
  CoarseHaloAccess<T> halo;
  if (lattice_.is_partitioned()) {
    CoarseHalo<T>& exchange = CoarseHalo<T>::of(lattice_, *sites_, components_, in.right_hand_sides());
    // A kernel with all links waits for the halos itself.
    halo = count == links_of_site() ? exchange.exchange(*sites_, in) : exchange.exchange_and_wait(*sites_, in);
  }
  std::visit(
      [&]<class L>(const CoarseMatrices<T, L>& links) {
        CoarseSum<T, L> sum = make_coarse_sum(out, in, links, scale, addend);
        sum.terms = count;
        sum.links += 2 * static_cast<std::size_t>(first) * static_cast<std::size_t>(components_) *
                     static_cast<std::size_t>(components_);
        if (sum.link_scales != nullptr) sum.link_scales += first;
        sum.neighbors = sites_->neighbors(parity_of(out));
        sum.halo = halo;
        for (int term = 0; term < count; ++term) {
          const int link = first + term;
          sum.inputs.face[term] = 2 * along_[static_cast<std::size_t>(link / 2)] + link % 2;
        }
        const char* label = count == links.count() ? hop_label<L>() : "kaon::coarse_hop_along";
        if (count == 0) label = "kaon::coarse_hop_of_none";
        run_coarse_sum(label, lattice_, sum);
      },
      links_);
}

template <class T>
void CoarseOperator<T>::hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const {
  require_coarse_hop(*this, out, in, form);
  const int count = links_of_site();
  const Addend<T> addend{form.term == SiteTerm::diagonal ? 1.0 : form.x_scale, form.x};
  if (!site_terms_ || form.term == SiteTerm::inverse) {
    add_links(out, in, form.scale, addend, 0, count);
  } else if (form.term == SiteTerm::diagonal) {
    add_links(out, in, form.scale, addend, 0, count);
    site_terms_->x.apply(out, out);
  } else if (form.x == nullptr || form.x->data() != out.data()) {
    add_links(out, in, 1.0, {}, 0, count);
    site_terms_->x.apply(out, out, form.scale, addend);
  } else {
    Temporaries<T> hopped(lattice_, out.parameters(), 1);
    add_links(hopped[0], in, 1.0, {}, 0, count);
    site_terms_->x.apply(out, hopped[0], form.scale, addend);
  }
  if (form.reduced != nullptr) *form.reduced = blas::reduce(out, form.x, form.reductions);
}

template <class T>
void CoarseOperator<T>::apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term,
                                        bool dagger) const {
  require_coarse_site_term(*this, out, in, term, dagger);
  if (site_terms_) {
    (term == SiteTerm::diagonal ? site_terms_->x : site_terms_->inverse).apply(out, in);
  } else if (out.data() != in.data()) {
    blas::copy(out, in);
  }
}

template <class T>
void CoarseOperator<T>::hop_along(SpinorField<T>& out, const SpinorField<T>& in, int mu) const {
  require_coarse_hop(*this, out, in, {});
  require(mu >= 0 && mu < 4, [&] { return fmt::format("a hop along direction {}: directions are 0 to 3", mu); });
  const auto found = std::find(along_.begin(), along_.end(), mu);
  const bool has_links = found != along_.end();
  add_links(out, in, 1.0, {}, has_links ? 2 * static_cast<int>(found - along_.begin()) : 0, has_links ? 1 : 0);
  if (has_links && site_terms_) site_terms_->x.apply(out, out);
}

template <class T>
double CoarseOperator<T>::hop_flops(SiteTerm term, bool with_x) const {
  const double site_term = term == SiteTerm::inverse || !site_terms_ ? 0.0 : sum_flops(1, components_);
  return sites() * (sum_flops(links_of_site(), components_) + site_term + (with_x ? 4.0 * components_ : 0.0));
}

template <class T>
double CoarseOperator<T>::site_term_flops() const {
  return site_terms_ ? sites() * sum_flops(1, components_) : 0.0;
}

template <class T>
double CoarseOperator<T>::hop_bytes(SiteTerm term, bool with_x) const {
  const double link = std::visit([](const auto& links) { return links.matrix_bytes(); }, links_);
  const double site_term = term == SiteTerm::inverse || !site_terms_ ? 0.0 : site_terms_->x.matrix_bytes();
  return sites() * (links_of_site() * link + site_term + (with_x ? 3.0 : 2.0) * 2.0 * components_ * sizeof(T));
}

template <class T>
double CoarseOperator<T>::site_term_bytes() const {
  const double matrix = site_terms_ ? site_terms_->x.matrix_bytes() : 0.0;
  return sites() * (matrix + 4.0 * components_ * sizeof(T));
}

template class CoarseOperator<double>;
template class CoarseOperator<float>;

}  // namespace kaon::detail
