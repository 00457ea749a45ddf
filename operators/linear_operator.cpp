// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_checks.hpp"

#include <kaon/core/error.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

const char* name(Subset subset) {
  switch (subset) {
    case Subset::even:
      return "even";
    case Subset::odd:
      return "odd";
    case Subset::full:
      return "all";
  }
  return "?";
}

std::string shape(const SpinorParameters& p) {
  const std::string slices = p.slices == 1 ? "" : fmt::format(" and {} slices", p.slices);
  return fmt::format("{} spins, {} colours{} on {} sites", p.spins, p.colors, slices, name(p.subset));
}

}  // namespace

template <class T>
void LinearOperator<T>::require_domain(const SpinorField<T>& out, const SpinorField<T>& in) const {
  for (const SpinorField<T>* field : {&out, &in}) {
    SpinorParameters expected = domain();
    expected.right_hand_sides = field->right_hand_sides();
    require(field->parameters() == expected, [&] {
      return fmt::format("the operator acts on fields with {}, but was given one with {}", shape(expected),
                         shape(field->parameters()));
    });
    require(field->lattice() == lattice(), "the operator and the field live on different lattices");
  }
  require(out.right_hand_sides() == in.right_hand_sides(), [&] {
    return fmt::format("the operator's output has {} right-hand sides and its input {}", out.right_hand_sides(),
                       in.right_hand_sides());
  });
  require(!detail::overlap(out, in), "the operator's output must not be its input");
}

template <class T>
blas::PendingReductions LinearOperator<T>::apply_and_reduce(SpinorField<T>& y, const SpinorField<T>& x,
                                                            const blas::Reductions<T>& reductions) const {
  apply(y, x);
  return blas::reduce(y, &x, reductions);
}

template class LinearOperator<double>;
template class LinearOperator<float>;
template class LinearOperator<half>;

}  // namespace kaon
