// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#pragma GCC visibility push(default)
#include <quda_milc_interface.h>
#pragma GCC visibility pop

#include "quda/client/interface.hpp"

#include <type_traits>

// Common part of MILC's functions for solves and of those for gauge fields. MILC's links come with phases and the sign
// of antiperiodic boundaries in them.

namespace kaon::quda {

/// Settings of MILC that hold for all later calls.
struct Milc {
  int local_extents[4] = {0, 0, 0, 0};
  bool makes_links = false;  ///< MILC has its fat links made here, and says when they are new
  bool momenta_resident = false;
};

Milc& milc();

QudaPrecision precision_of_milc(int milcs);

/// The parameters of arrays of links in MILC's order.
QudaGaugeParam link_parameters(int precision, QudaLinkType type);

/// Which residuals count: those whose tolerance is not zero.
void set_tolerances(QudaInvertParam& param, double tolerance, double heavy_quark);
void set_precisions(QudaInvertParam& param, int external, int internal, int mixed);

/// Sets the offsets and tolerances of several shifts. Throws `Error` for too many of them.
void set_shifts(QudaInvertParam& param, int count, const double* offsets, const double* tolerances,
                const double* heavy_quark);

/// The last of `count` results in an array, or a result that is one number.
double last_of(const auto& result, int count) {
  if constexpr (std::is_array_v<std::remove_cvref_t<decltype(result)>>) {
    return result[count - 1];
  } else {
    return result;
  }
}

/// Results of a solve for `count` sources: those of the last one, as in MILC's own solver for several.
inline void report(const QudaInvertParam& param, int count, double* residual, double* heavy_quark, int* iterations) {
  *iterations = param.iter;
  *residual = last_of(param.true_res, count);
  *heavy_quark = last_of(param.true_res_hq, count);
}

}  // namespace kaon::quda
