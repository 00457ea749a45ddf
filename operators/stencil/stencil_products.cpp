// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/stencil/stencil_products.hpp"

#include "core/at_once.hpp"
#include "core/products.hpp"

#include <kaon/core/blas.hpp>

#include <optional>
#include <type_traits>
#include <vector>

namespace kaon::detail {
namespace {

/// Where norms of `numbers` complex numbers must lie: of the mean, so that what is much smaller does not matter, and
/// has room to be right.
template <class T>
ProductRange product_range(double numbers, bool with_x) {
  if (std::is_same_v<T, double>) return {.with_x = with_x};
  return {.least = 1e-32 * numbers, .most = 1e30 * numbers, .with_x = with_x};
}

}  // namespace

template <class T>
void collect_products(const Lattice& lattice, const HopForm<T>& form, const SpinorField<T>& out, const SiteSums& sums) {
  if (form.products == nullptr) return;
  if (!sums.wanted()) {
    *form.products = blas::products(out, form.x, form.wanted);
    return;
  }
  const double numbers = 0.5 * out.components() * static_cast<double>(lattice.volume());
  const auto range = product_range<T>(numbers, form.wanted.with_x);
  const int slot = form.wanted.at_once != nullptr ? form.wanted.at_once->slot : 0;
  PartsOfSums parts(lattice, sums, out.right_hand_sides(), range, slot);
  if (form.wanted.at_once != nullptr) form.wanted.at_once->enqueue(parts);
  const SumsInFlight& made = parts.wait();
  if (form.wanted.at_once != nullptr) form.wanted.at_once->done = made.done();
  const std::vector<double> totals = made.sums();
  blas::Products& products = *form.products;
  products = products_of(totals, site_sums, form.wanted.with_x, form.wanted.w != nullptr);
  if constexpr (!std::is_same_v<T, double>) {
    std::optional<blas::Products> taken;
    for (std::size_t k = 0; k < products.y_norm2.size(); ++k) {
      if (range.holds(totals.data() + k * site_sums)) continue;
      if (!taken) taken = blas::products(out, form.x, form.wanted);
      // Of this right-hand side alone: what was done at once with others may have changed x.
      const auto replace = [k](auto& made, const auto& of_memory) {
        if (!of_memory.empty()) made[k] = of_memory[k];
      };
      replace(products.y_norm2, taken->y_norm2);
      replace(products.y_x, taken->y_x);
      replace(products.x_norm2, taken->x_norm2);
      replace(products.w_y, taken->w_y);
      replace(products.w_x, taken->w_x);
    }
  }
}

template void collect_products(const Lattice&, const HopForm<double>&, const SpinorField<double>&, const SiteSums&);
template void collect_products(const Lattice&, const HopForm<float>&, const SpinorField<float>&, const SiteSums&);
template void collect_products(const Lattice&, const HopForm<half>&, const SpinorField<half>&, const SiteSums&);

}  // namespace kaon::detail
