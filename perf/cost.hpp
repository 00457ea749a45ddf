// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/fields/layout.hpp"

#include <kaon/operators/even_odd_operator.hpp>

namespace kaon::perf {

/// Cost of one call for all its right-hand sides: floating-point operations by the field's counts, and the bytes that
/// it must move at least, each operand once.
struct Cost {
  double flops = 0.0;
  double bytes = 0.0;
};

inline Cost operator+(const Cost& a, const Cost& b) { return {a.flops + b.flops, a.bytes + b.bytes}; }

/// Bytes of one right-hand side of a field, without the padding of its storage.
template <class T>
double vector_bytes(const Lattice& lattice, const SpinorParameters& shape) {
  const double sites = static_cast<double>(lattice.volume()) * (shape.subset == Subset::full ? 1.0 : 0.5);
  return sites * shape.slices * detail::site_bytes<T>(shape.components());
}
template <class T>
double vector_bytes(const SpinorField<T>& field) {
  return vector_bytes<T>(field.lattice(), field.parameters());
}
/// Bytes of one vector on one parity.
template <class T>
double vector_bytes(const LinearOperator<T>& dirac) {
  return vector_bytes<T>(dirac.lattice(), dirac.domain().on(Subset::even));
}

/// Cost of `EvenOddOperator::hop`. Links and site terms are read once for all right-hand sides, vectors once for each:
/// bytes(n) = matrices + n vectors, where `hop_bytes` is matrices + vectors.
template <class T>
Cost hop_cost(const EvenOddOperator<T>& dirac, SiteTerm term, bool with_x, int right_hand_sides) {
  const double vectors = (with_x ? 3.0 : 2.0) * vector_bytes(dirac);
  const double matrices = hop_bytes_of(dirac, term, with_x) - vectors;
  return {right_hand_sides * hop_flops_of(dirac, term, with_x), matrices + right_hand_sides * vectors};
}

/// Cost of the symmetric `Schur` operator: two hops.
template <class T>
Cost schur_cost(const EvenOddOperator<T>& dirac, int right_hand_sides) {
  return hop_cost(dirac, SiteTerm::inverse, false, right_hand_sides) +
         hop_cost(dirac, SiteTerm::inverse, true, right_hand_sides);
}

}  // namespace kaon::perf
