// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil/stencil_products.hpp"

#include "core/reductions/pending_reductions.hpp"

#include <kaon/core/blas.hpp>

#include <type_traits>

namespace kaon::detail {
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

template void collect_reductions(const Lattice&, const HopForm<double>&, const SpinorField<double>&, const SiteSums&);
template void collect_reductions(const Lattice&, const HopForm<float>&, const SpinorField<float>&, const SiteSums&);
template void collect_reductions(const Lattice&, const HopForm<half>&, const SpinorField<half>&, const SiteSums&);

}  // namespace kaon::detail
