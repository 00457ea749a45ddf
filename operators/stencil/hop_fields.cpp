// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_reductions.hpp"
#include "operators/checks.hpp"
#include "operators/stencil/hopping.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>
#include <vector>

namespace kaon::detail {

void require_reach(const Lattice& lattice, int reach) {
  require(reach <= lattice.reach(), [&] {
    return fmt::format("this operator takes steps of up to {} sites: make the lattice with reach = {}", reach, reach);
  });
}

void require_one_lattice(const Lattice& lattice, const Lattice& other) {
  require(lattice == other, "the links of an operator live on different lattices");
}

void refuse_link_storages(std::span<const LinkStorage> storages) {
  std::vector<int> counts;
  for (const LinkStorage storage : storages) counts.push_back(reals(storage));
  throw Error(
      fmt::format("this operator takes no links of {} reals: store them in another way", fmt::join(counts, " and ")));
}

template <class T>
void require_hop_form(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                      const HopForm<T>& form) {
  require(out.right_hand_sides() == in.right_hand_sides(), [&] {
    return fmt::format("a hop's output has {} right-hand sides and its input {}", out.right_hand_sides(),
                       in.right_hand_sides());
  });
  require(out.slices() == in.slices(),
          [&] { return fmt::format("a hop's output has {} slices and its input {}", out.slices(), in.slices()); });
  require(form.term != SiteTerm::diagonal || form.x != nullptr, "out = A x + c K in needs x");
  require(form.reduced == nullptr || form.x != nullptr, "reductions of a hop need x");
  require(form.reduced == nullptr || (form.x->data() != out.data() &&
                                      (form.reductions.w == nullptr || form.reductions.w->data() != out.data())),
          "reductions of a hop need x and w that are not its output");
  require(
      form.reduced == nullptr || form.reductions.w == nullptr ||
          (form.reductions.w->parameters() == out.parameters() && form.reductions.w->lattice() == lattice),
      "w of a hop's reductions must have the output's lattice, parity, spins, colours, slices and right-hand sides");
  require(form.x == nullptr || form.x->parameters() == out.parameters(),
          "x must have the output's parity, spins, colours, slices and right-hand sides");
}

template <class T>
void require_hop_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                        const HopForm<T>& form, int spins) {
  require(out.spins() == spins && out.colors() == 3 && in.spins() == spins && in.colors() == 3, [&] {
    return fmt::format("this hop needs fields of {} spins and 3 colours, got {} x {} and {} x {}", spins, out.spins(),
                       out.colors(), in.spins(), in.colors());
  });
  require(out.subset() != Subset::full && in.subset() != Subset::full && out.subset() != in.subset(),
          "a hop leads from one parity to the other: give it an even and an odd field");
  require_hop_form(lattice, out, in, form);
  require(out.lattice() == lattice && in.lattice() == lattice && (form.x == nullptr || form.x->lattice() == lattice),
          "the operator and the fields of a hop live on different lattices");
}

template <class T>
void apply_to_slices(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form, const HopOfSlices<T>& hop) {
  const auto apply = [&](SpinorField<T>&& to, const SpinorField<T>& from, const SpinorField<T>* x) {
    HopForm<T> of_slices = form;
    of_slices.reduced = nullptr;
    of_slices.reductions = {};
    if (x == nullptr) return hop(to, from, of_slices);
    const SpinorField<T> slices_of_x = x->slices_as_right_hand_sides();
    of_slices.x = &slices_of_x;
    hop(to, from, of_slices);
  };
  if (out.slices_are_evenly_spaced() && in.slices_are_evenly_spaced() &&
      (form.x == nullptr || form.x->slices_are_evenly_spaced())) {
    apply(out.slices_as_right_hand_sides(), in.slices_as_right_hand_sides(), form.x);
  } else {
    for (std::size_t k = 0; k < static_cast<std::size_t>(out.right_hand_sides()); ++k) {
      const SpinorField<T> from = in.right_hand_side(k).slices_as_right_hand_sides();
      if (form.x == nullptr) {
        apply(out.right_hand_side(k).slices_as_right_hand_sides(), from, nullptr);
      } else {
        const SpinorField<T> x = form.x->right_hand_side(k);
        apply(out.right_hand_side(k).slices_as_right_hand_sides(), from, &x);
      }
    }
  }
  if (form.reduced != nullptr) *form.reduced = blas::reduce(out, form.x, form.reductions);
}

template <class T>
void require_site_term_fields(const Lattice& lattice, const SpinorField<T>& out, const SpinorField<T>& in,
                              SiteTerm term, const SpinorParameters& domain) {
  require(term != SiteTerm::none, "apply_site_term applies A or A^-1: say which");
  require(
      out.spins() == domain.spins && out.colors() == 3 && out.slices() == domain.slices && out.subset() != Subset::full,
      [&] {
        return fmt::format(
            "A acts on one parity of a field of {} spins, 3 colours and {} slices, not on {} x {} x {}{}", domain.spins,
            domain.slices, out.spins(), out.colors(), out.slices(),
            out.subset() == Subset::full ? " on all sites" : "");
      });
  require(out.parameters() == in.parameters(),
          "output and input of A must have the same parity, spins, colours, slices and right-hand sides");
  require(out.lattice() == lattice && in.lattice() == lattice,
          "the operator and the fields live on different lattices");
}

namespace {

/// The range for norms of `numbers` complex numbers: relative to the mean, so that smaller ones do not matter, and
/// with a margin for rounding.
template <class T>
SumRange sum_range(double numbers, bool with_x) {
  if (std::is_same_v<T, double>) return {.with_x = with_x};
  return {.least = 1e-32 * numbers, .most = 1e30 * numbers, .with_x = with_x};
}

}  // namespace

template <class T>
void collect_reductions(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out,
                        const SiteSums& sums) {
  if (form.reduced == nullptr) return;
  if (!sums.wanted()) {
    *form.reduced = blas::reduce(out, form.x, form.reductions);
    return;
  }
  const double numbers = 0.5 * out.components() * static_cast<double>(lattice.volume());
  *form.reduced = pending_reductions(sums, sum_range<T>(numbers, form.reductions.x), out, form.x, form.reductions);
}

#define KAON_INSTANTIATE(T)                                                                                         \
  template void require_hop_form(const Lattice&, const SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&);  \
  template void require_hop_fields(const Lattice&, const SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&, \
                                   int);                                                                            \
  template void apply_to_slices(SpinorField<T>&, const SpinorField<T>&, const HopForm<T>&, const HopOfSlices<T>&);  \
  template void require_site_term_fields(const Lattice&, const SpinorField<T>&, const SpinorField<T>&, SiteTerm,    \
                                         const SpinorParameters&);                                                  \
  template void collect_reductions(const Lattice&, const HopForm<T>&, const SpinorField<T>&, const SiteSums&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::detail
