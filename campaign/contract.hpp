// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <span>
#include <vector>

namespace kaon::detail {

/// The correlators of a hadron from one source and at one sink: [momentum][channel][t], t the distance from the source.
/// `quarks` are the propagators of the hadron's quarks,
/// which have the angle `time_boundary` in time.
std::vector<std::complex<double>> contract(std::span<const SpinorField<double>* const> quarks,
                                           const MeasuredHadron& hadron, const SourceParameters& source,
                                           double time_boundary);

}  // namespace kaon::detail
