// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/campaign/measurement.hpp>
#include <kaon/core/spinor_field.hpp>

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace kaon::detail {

/// The correlators of a hadron from one source and at one sink: [momentum][channel][t], t the distance from the source.
/// `quarks` are the propagators of the hadron's quarks, which have the angle `time_boundary` in time.
std::vector<std::complex<double>> contract(std::span<const SpinorField<double>* const> quarks,
                                           const MeasuredHadron& hadron, const SourceParameters& source,
                                           double time_boundary);

/// C[momentum][channel][t] / points of correlators [momentum][t] of each channel.
std::vector<std::complex<double>> by_momentum(const std::vector<std::vector<std::complex<double>>>& of_channels,
                                              std::size_t times, double points);

}  // namespace kaon::detail
