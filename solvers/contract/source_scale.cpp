// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "solvers/contract/source_scale.hpp"

#include <kaon/core/message.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace kaon::detail {

template <class T>
SourceLengths source_lengths(const SpinorField<T>& b) {
  constexpr double largest_norm2 = 1e280;
  constexpr int far = 600, farthest = 1000;  // powers of two
  const blas::Reals norm2 = blas::norm2(b);
  SourceLengths out;
  out.scale.assign(norm2.size(), 1.0);
  for (std::size_t k = 0; k < norm2.size(); ++k) {
    if (norm2[k] >= least_norm2 && norm2[k] <= largest_norm2) continue;
    if constexpr (!std::is_same_v<T, double>) {  // double holds the square of any number but zero
      if (norm2[k] == 0.0) out.zero.push_back(k);
      continue;
    }
    const SpinorField<T> b_k = b.right_hand_side(static_cast<int>(k));
    SpinorField<T> scaled = blas::clone(b_k);
    const int power = norm2[k] < least_norm2 ? far : -far;
    blas::scale(scaled, std::ldexp(1.0, power));
    const double length = std::sqrt(blas::norm2(scaled)[0]);
    if (length == 0.0) out.zero.push_back(k);
    if (length == 0.0 || !std::isfinite(length)) continue;  // the solve names NaN and infinity
    out.scale[k] = std::ldexp(1.0, std::min(power - std::ilogb(length), farthest));
    out.in_range = false;
  }
  return out;
}

void tell_zeros(const Lattice& lattice, const SourceLengths& lengths) {
  if (lengths.zero.empty() || lattice.communicator().rank() != 0) return;
  tell(MessageKind::notice,
       fmt::format("right-hand side {} is zero, and so is its solution", fmt::join(lengths.zero, ", ")));
}

template SourceLengths source_lengths(const SpinorField<double>&);
template SourceLengths source_lengths(const SpinorField<float>&);
template SourceLengths source_lengths(const SpinorField<half>&);

}  // namespace kaon::detail
