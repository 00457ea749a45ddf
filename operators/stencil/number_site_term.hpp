// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/operators/even_odd_operator.hpp>

#include <vector>

namespace kaon::detail {

/// `form` of an operator whose site term A is the number `a`: every form is then a x + c K in.
template <class T>
HopForm<T> without_site_term(const HopForm<T>& form, double a) {
  require(form.term != SiteTerm::diagonal || form.x != nullptr, "out = A x + c K in needs x");
  HopForm<T> plain = form;
  plain.term = SiteTerm::none;
  if (form.term == SiteTerm::diagonal) plain.x_scale = a;
  if (form.term == SiteTerm::inverse) plain.scale = form.scale / a;
  return plain;
}

/// out = a in or in / a. `out` may be `in`.
template <class T>
void apply_number(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, double a) {
  if (out.data() != in.data()) blas::copy(out, in);
  const double factor = term == SiteTerm::diagonal ? a : 1.0 / a;
  blas::scale(out, std::vector<double>(static_cast<std::size_t>(out.right_hand_sides()), factor));
}

}  // namespace kaon::detail
