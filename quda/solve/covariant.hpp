// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"

#include <kaon/core/lattice.hpp>

// QUDA's covariant derivative and Laplace operator, on the resident links as the client gave them.

namespace kaon::quda {

/// N, or N^dag N (`normal`), on all sites.
void apply_covariant(void* h_out, const void* h_in, const QudaInvertParam& given, bool normal);
/// The covariant derivative from one parity to `to`.
void apply_shift(void* h_out, const void* h_in, const QudaInvertParam& given, Parity to);

}  // namespace kaon::quda
