// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

#include <array>
#include <span>

namespace kaon {

// Electric charges: links in U(3) = SU(3) x U(1), to be made before links are fattened. `asqtad_links`, `hisq_links`
// and their operators take such links as they take those in SU(3).

/// U_mu(x) <- exp(i angles[mu]) U_mu(x): a constant field, or a twist in every link. Throws `Error` for compressed
/// links and angles that are not finite.
template <class T>
void multiply_phases(GaugeField<T>& links, const std::array<double, 4>& angles);

/// U_mu(x) <- exp(i charge A_mu(x)) U_mu(x). `field` holds A on the sites of this process, [t][z][y][x][mu]. Throws
/// `Error` for compressed links, and on all processes if one has a wrong number of values, or one that is not finite by
/// itself or times the charge. Source: A. Bazavov et al., Phys. Rev. D 99 (2019) 034503.
template <class T>
void multiply_phases(GaugeField<T>& links, double charge, std::span<const double> field);

extern template void multiply_phases(GaugeField<double>&, const std::array<double, 4>&);
extern template void multiply_phases(GaugeField<float>&, const std::array<double, 4>&);
extern template void multiply_phases(GaugeField<double>&, double, std::span<const double>);
extern template void multiply_phases(GaugeField<float>&, double, std::span<const double>);

}  // namespace kaon
