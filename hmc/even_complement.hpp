// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/schur.hpp>

namespace kaon::detail {

/// N of pseudofermions on the even sites.
inline constexpr SchurParameters even_complement{.form = SchurForm::asymmetric, .parity = Parity::even};

}  // namespace kaon::detail
