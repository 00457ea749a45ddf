// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/core/kept_fields.hpp>

#include <optional>

namespace kaon::detail {

/// A hop whose site term is a kernel of its own, which mixes slices: `apply(out, in, x, x_scale)` computes out =
/// B in + x_scale x, B = A, A^-1 or an adjoint as the form says, and x may be null; `out` may be in or x.
template <class T, class Apply>
void hop_with_separate_term(const WilsonHop<T>& hopping, SpinorField<T>& out, const SpinorField<T>& in,
                            const HopForm<T>& form, const Apply& apply) {
  if (form.term == SiteTerm::none) return hopping.apply(out, in, form, NoSiteTerm{});
  require(form.term != SiteTerm::diagonal || form.x != nullptr, "out = A x + c K in needs x");
  HopForm<T> plain = form;
  plain.term = SiteTerm::none;
  plain.x = nullptr;
  plain.reduced = nullptr;
  // A hop onto its own x: A would read what the hop has written.
  std::optional<Temporaries<T>> scratch;
  if (form.x != nullptr && form.x->data() == out.data()) scratch.emplace(hopping.lattice(), out.parameters(), 1);
  SpinorField<T>& hopped = scratch ? (*scratch)[0] : out;
  hopping.apply(hopped, in, plain, NoSiteTerm{});
  if (form.term == SiteTerm::diagonal) {
    apply(out, *form.x, &hopped, 1.0);
  } else {
    apply(out, hopped, form.x, form.x_scale);
  }
  if (form.reduced != nullptr) *form.reduced = blas::reduce(out, form.x, form.reductions);
}

}  // namespace kaon::detail
