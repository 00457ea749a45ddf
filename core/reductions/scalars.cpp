// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/reductions/kernel_scalars.hpp"

namespace kaon::detail {

blas::Scalars ScalarState::share(std::shared_ptr<ScalarState> state) {
  blas::Scalars scalars;
  scalars.count_ = state->count;
  scalars.state_ = std::move(state);
  return scalars;
}

const std::vector<std::complex<double>>& ScalarState::wait() {
  if (!values.empty()) return values;
  const auto rows = static_cast<std::size_t>(right_hand_sides);
  if (slot == nullptr) {
    const auto numbers = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), memory->numbers);
    for (std::size_t k = 0; k < rows * static_cast<std::size_t>(count); ++k) {
      values.emplace_back(numbers(2 * k), numbers(2 * k + 1));
    }
    return values;
  }
  std::vector<double> row(2 * static_cast<std::size_t>(count));
  for (std::size_t k = 0; k < rows; ++k) {
    slot->wait(*execution, first + k * stride, row.size(), row.data());
    for (std::size_t j = 0; j < row.size(); j += 2) values.emplace_back(row[j], row[j + 1]);
  }
  return values;
}

}  // namespace kaon::detail

namespace kaon::blas {

Scalars::Scalars(std::complex<double> value)
    : count_(1),
      state_(std::make_shared<detail::ScalarState>(
          detail::ScalarState{.right_hand_sides = detail::ScalarState::all, .count = 1, .values = {value}})) {}

Scalars::Scalars(std::span<const double> values)
    : Scalars(std::span<const std::complex<double>>(Complexes(values.begin(), values.end()))) {}

Scalars::Scalars(std::span<const std::complex<double>> values)
    : count_(1),
      state_(std::make_shared<detail::ScalarState>(detail::ScalarState{
          .right_hand_sides = static_cast<int>(values.size()), .count = 1, .values = {values.begin(), values.end()}})) {
}

Scalars::Scalars(std::span<const Scalars> coefficients)
    : count_(static_cast<int>(coefficients.size())), state_(std::make_shared<detail::ScalarState>()) {
  require(count_ > 0, "coefficients of a vector operation are at least one");
  constexpr int all = detail::ScalarState::all;
  int& sides = state_->right_hand_sides = all;
  for (const Scalars& scalars : coefficients) sides = std::max(sides, scalars.state_->right_hand_sides);
  for (const Scalars& scalars : coefficients) {
    const int own = scalars.state_->right_hand_sides;
    require(scalars.count_ == 1 && (own == sides || own == all),
            "coefficients of a vector operation that are put together must be one each for the same number of "
            "right-hand sides");
  }
  state_->count = count_;
  for (int k = 0; k < (sides == all ? 1 : sides); ++k) {
    for (const Scalars& scalars : coefficients) state_->values.push_back(scalars(static_cast<std::size_t>(k)));
  }
}

Scalars Scalars::operator-() const {
  Scalars result = *this;
  result.sign_ = -sign_;
  return result;
}

std::complex<double> Scalars::operator()(std::size_t k, int j) const {
  const std::size_t row = state_->right_hand_sides == detail::ScalarState::all ? 0 : k;
  return sign_ * state_->wait().at(row * static_cast<std::size_t>(count_) + static_cast<std::size_t>(j));
}

}  // namespace kaon::blas
