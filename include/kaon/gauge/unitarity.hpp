// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>

namespace kaon {

/// How far links are from SU(3), and which are the worst. Links that hold a NaN are infinitely far.
struct UnitarityDeviation {
  struct Worst {
    double deviation = 0.0;
    Coordinates site{};  ///< global; of several links with the same deviation, the first
    int direction = 0;
  };
  Worst unitarity;    ///< largest |(U U^dag - 1)_ij|
  Worst determinant;  ///< largest |det U - 1|
};

/// The largest distance of a link from SU(3). Collective.
template <class T>
UnitarityDeviation deviation_from_su3(const GaugeField<T>& links);

/// Brings every link back to SU(3): row 1 normalised, row 2 made orthogonal to it and normalised, row 3 = conj(row 1 x
/// row 2). For links that left SU(3) by rounding: a link far from it becomes an arbitrary one.
template <class T>
void reunitarize(GaugeField<T>& links);

extern template UnitarityDeviation deviation_from_su3(const GaugeField<double>&);
extern template UnitarityDeviation deviation_from_su3(const GaugeField<float>&);
extern template void reunitarize(GaugeField<double>&);
extern template void reunitarize(GaugeField<float>&);

}  // namespace kaon
