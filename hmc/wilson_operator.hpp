// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/schur.hpp>
#include <kaon/operators/wilson.hpp>
#include <kaon/propagators/any_operator.hpp>

namespace kaon::detail {

/// `WilsonClover`, or `Wilson` where all c_sw are 0.
AnyOperator<double> wilson_operator(const GaugeField<double>& links, const WilsonCloverParameters& quarks);

/// N of pseudofermions on the even sites.
inline constexpr SchurParameters even_complement{.form = SchurForm::asymmetric, .parity = Parity::even};

}  // namespace kaon::detail
