// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>

#include <cstdint>

namespace kaon {

/// Names a set of random numbers. They are made by a counter-based generator (Philox4x32-10) from the key, the purpose
/// (Gaussian, Z2, links, ...), the global site and the number's place on the site: so a field depends on neither lanes,
/// threads, processes nor device, and one of `float` or `half` is the rounded one of `double`.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t stream = 0;  ///< to distinguish fields of one seed: the number of a noise vector, of a sweep, ...
};

/// psi = complex normal numbers of unit variance, <|psi|^2> = 1 a component (1/2 in the real and in the imaginary
/// part).
///
/// Right-hand side r of the field has its own numbers, which depend on r but not on how many there are. A field of one
/// parity gets the numbers that a full field has there.
template <class T>
void set_gaussian(SpinorField<T>& field, const RandomKey& key);

/// psi = +1 or -1, each with probability 1/2. Otherwise as `set_gaussian`.
template <class T>
void set_z2(SpinorField<T>& field, const RandomKey& key);

/// psi = (+-1 +- i) / sqrt(2), each with probability 1/4. Otherwise as `set_gaussian`.
template <class T>
void set_complex_z2(SpinorField<T>& field, const RandomKey& key);

}  // namespace kaon
