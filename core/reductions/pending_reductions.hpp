// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/reductions/partial_sums.hpp"
#include "core/reductions/products.hpp"

#include <kaon/core/reductions.hpp>

#include <array>
#include <optional>

namespace kaon::detail {

/// The state behind `blas::PendingReductions`: partial sums that a kernel makes, or sums that are sent to the host, or
/// products that the host knows.
struct ReductionState : Unreduced {
  explicit ReductionState(blas::Products products) : known(std::move(products)) {}
  ReductionState(const Lattice& on, int number, bool x, bool w)
      : lattice(on), right_hand_sides(number), with_x(x), with_w(w) {}
  ReductionState(const ReductionState&) = delete;
  ReductionState& operator=(const ReductionState&) = delete;
  ~ReductionState() override { set_partial({}); }

  std::optional<Lattice> lattice;  // none: known
  int right_hand_sides = 0;
  bool with_x = false, with_w = false;
  SumRange range = {};
  std::optional<PendingSums> pending;
  std::optional<blas::Products> known;

  const blas::Products& wait();
  bool in_kernels() const { return partial_.has_value() && kernels_apply_functions(*lattice, right_hand_sides); }
  void reduce() override;
  /// Partial sums that are running; none: they have been added up.
  void set_partial(std::optional<PartialSums> partial);
  /// The reductions are those of an operator's first factor: <y, x> of the whole operator is its |y|^2.
  void read_norm_as_y_x();

  template <class FunctionOf>
  blas::Scalars scalars(const FunctionOf& function_of, const blas::Scalars& earlier, AppliedBy applied_by) {
    if (applied_by != AppliedBy::host && in_kernels()) {
      const PartialSums partial = *partial_;
      set_partial({});
      pending = partial.reduce(*lattice, right_hand_sides, function_of, earlier, applied_by);
      return pending->scalars();
    }
    const blas::Products& products = wait();
    std::array<double, site_sums> sums;
    const auto row = [&](std::size_t k) {
      sums = sums_of(products, k);
      return sums.data();
    };
    return scalars_on_host(function_of, row, count_of(products), earlier);
  }

 private:
  /// The products as vectors in memory have them, where kernels may have left the range of their arithmetic.
  virtual std::optional<blas::Products> from_memory() { return {}; }

  std::optional<PartialSums> partial_;
  bool norm_is_y_x_ = false;
};

/// The reductions of y, x and w of which a kernel makes the partial sums. Reductions outside `range` are used from
/// memory.
template <class T>
blas::PendingReductions pending_reductions(const SiteSums& sums, const SumRange& range, const SpinorField<T>& y,
                                           const SpinorField<T>* x, const blas::Reductions<T>& reductions);

}  // namespace kaon::detail

namespace kaon::blas {

template <class FunctionOf>
Scalars PendingReductions::scalars(const FunctionOf& function_of, bool ahead, const Scalars& earlier) {
  return state_->scalars(function_of, earlier, ahead ? detail::AppliedBy::kernels : detail::AppliedBy::host);
}
template <class FunctionOf>
Scalars PendingReductions::unattended_scalars(const FunctionOf& function_of, const Scalars& earlier) {
  return state_->scalars(function_of, earlier, detail::AppliedBy::kernels_unattended);
}

}  // namespace kaon::blas
