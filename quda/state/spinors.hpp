// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/description.hpp"

#include <span>

namespace kaon::quda {

/// Calls body(slice, parity, s) with each slice of each parity of a field, which share its storage.
template <class Field, class Body>
void for_each_slice(Field& psi, const Body& body) {
  for (const Parity parity : {Parity::even, Parity::odd}) {
    if (!psi.holds(parity)) continue;
    decltype(auto) sites = psi.parity(parity);
    for (int s = 0; s < psi.slices(); ++s) body(sites.slice(s), parity, s);
  }
}

/// Right-hand side k from a client's array, in kaon's basis. Throws `Error` for null pointers.
void read_spinor(SpinorField<double>& psi, int k, const void* pointer, const SpinorDescription& description);
/// Writes right-hand side k to a client's array, in the client's basis.
void write_spinor(void* pointer, const SpinorField<double>& psi, int k, const SpinorDescription& description);

/// All right-hand sides from a list of a client's arrays, and back.
void read_spinors(SpinorField<double>& psi, std::span<void* const> pointers, const SpinorDescription& description);
void write_spinors(std::span<void* const> pointers, const SpinorField<double>& psi,
                   const SpinorDescription& description);

}  // namespace kaon::quda
