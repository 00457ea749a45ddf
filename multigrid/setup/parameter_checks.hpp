// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/lattice.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/multigrid/parameters.hpp>

namespace kaon::detail {

/// Throws `Error` for numbers of `parameters` that are too small.
void require_parameters(const MultigridParameters& parameters);

/// Throws `Error` unless `given` can be the `vectors` vectors of the first level.
void require_vectors(const SpinorField<float>& given, const Lattice& fine, const SpinorParameters& domain, int vectors);

}  // namespace kaon::detail
