// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "hmc/wilson_operator.hpp"

namespace kaon::detail {

AnyOperator<double> wilson_operator(const GaugeField<double>& links, const WilsonCloverParameters& quarks) {
  if (quarks.csw == 0.0 && quarks.temporal_coefficient() == 0.0) {
    return AnyOperator<double>(Wilson<double>(links, {quarks.mass, quarks.anisotropy, quarks.boundary}));
  }
  return AnyOperator<double>(WilsonClover<double>(links, quarks));
}

}  // namespace kaon::detail
