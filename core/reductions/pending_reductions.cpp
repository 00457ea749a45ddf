// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/pending_reductions.hpp"

#include <kaon/core/error.hpp>

#include <type_traits>
#include <utility>

namespace kaon::detail {
namespace {

/// The reductions of fields, which are retained until the reductions are known.
template <class T>
class FieldReductions final : public ReductionState {
 public:
  FieldReductions(const SpinorField<T>& y, const SpinorField<T>* x, const blas::Reductions<T>& reductions)
      : ReductionState(y.lattice(), y.right_hand_sides(), reductions.x, reductions.w != nullptr),
        y_(share(&y)),
        x_(share(reductions.x ? x : nullptr)),
        w_(share(reductions.w)) {}

 private:
  using Field = std::unique_ptr<const SpinorField<T>>;
  static Field share(const SpinorField<T>* field) {
    if (std::is_same_v<T, double> || field == nullptr) return nullptr;  // in double nothing leaves the range
    return Field(new const SpinorField<T>(field->range(0, field->right_hand_sides())));
  }
  std::optional<blas::Products> from_memory() override {
    if (y_ == nullptr) return {};
    return blas::reduce(*y_, x_.get(), {.x = with_x, .w = w_.get()}).wait();
  }

  Field y_, x_, w_;
};

}  // namespace

PendingSums PartialSums::reduce(const Lattice& lattice, int right_hand_sides) const {
  return reduce(lattice, right_hand_sides, no_function, {}, AppliedBy::host);
}

void ReductionState::set_partial(std::optional<PartialSums> partial) {
  if (partial_) lattice->workspace().unreduced() = nullptr;
  partial_ = std::move(partial);
  if (partial_) lattice->workspace().unreduced() = this;
}

void ReductionState::reduce() {
  const PartialSums partial = *partial_;
  set_partial({});
  pending = partial.reduce(*lattice, right_hand_sides);
}

void ReductionState::read_norm_as_y_x() {
  if (known) {
    known->y_x.assign(known->y_norm2.begin(), known->y_norm2.end());
  } else {
    norm_is_y_x_ = true;
    if (partial_) partial_->norm_is_y_x = true;
  }
}

const blas::Products& ReductionState::wait() {
  if (known) return *known;
  if (partial_) reduce();
  const std::vector<double>& sums = pending->wait();
  const std::size_t count = sums.size() / static_cast<std::size_t>(right_hand_sides);
  blas::Products products = products_of(sums, count, with_x, with_w);
  std::optional<blas::Products> taken;
  for (std::size_t k = 0; k < products.y_norm2.size(); ++k) {
    if (range.holds(sums.data() + k * count)) continue;
    if (!taken) taken = from_memory();
    if (!taken) break;
    // Reductions of this right-hand side alone: the fields of the others may have changed since.
    const auto replace = [k](auto& made, const auto& of_memory) {
      if (!of_memory.empty()) made[k] = of_memory[k];
    };
    replace(products.y_norm2, taken->y_norm2);
    replace(products.y_x, taken->y_x);
    replace(products.x_norm2, taken->x_norm2);
    replace(products.w_y, taken->w_y);
    replace(products.w_x, taken->w_x);
  }
  if (norm_is_y_x_) products.y_x.assign(products.y_norm2.begin(), products.y_norm2.end());
  known = std::move(products);
  return *known;
}

template <class T>
blas::PendingReductions pending_reductions(const SiteSums& sums, const SumRange& range, const SpinorField<T>& y,
                                           const SpinorField<T>* x, const blas::Reductions<T>& reductions) {
  auto state = std::make_unique<FieldReductions<T>>(y, x, reductions);
  state->range = range;
  state->set_partial(PartialSums{.sums = sums, .range = range});
  return blas::PendingReductions(std::move(state));
}

template blas::PendingReductions pending_reductions(const SiteSums&, const SumRange&, const SpinorField<double>&,
                                                    const SpinorField<double>*, const blas::Reductions<double>&);
template blas::PendingReductions pending_reductions(const SiteSums&, const SumRange&, const SpinorField<float>&,
                                                    const SpinorField<float>*, const blas::Reductions<float>&);
template blas::PendingReductions pending_reductions(const SiteSums&, const SumRange&, const SpinorField<half>&,
                                                    const SpinorField<half>*, const blas::Reductions<half>&);

}  // namespace kaon::detail

namespace kaon::blas {

PendingReductions::PendingReductions() = default;
PendingReductions::PendingReductions(Products known)
    : state_(std::make_unique<detail::ReductionState>(std::move(known))) {}
PendingReductions::PendingReductions(std::unique_ptr<detail::ReductionState> state) : state_(std::move(state)) {}
PendingReductions::PendingReductions(PendingReductions&&) noexcept = default;
PendingReductions& PendingReductions::operator=(PendingReductions&&) noexcept = default;
PendingReductions::~PendingReductions() = default;

const Products& PendingReductions::wait() {
  require(state_ != nullptr, "there are no reductions to wait for");
  return state_->wait();
}

bool PendingReductions::in_kernels() const { return state_ != nullptr && state_->in_kernels(); }

}  // namespace kaon::blas
