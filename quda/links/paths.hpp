// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "quda/client/interface.hpp"
#include "quda/state/state.hpp"

#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/path_coefficients.hpp>

#include <array>
#include <complex>
#include <vector>

// Paths of links in a client's codes: 0 to 3 are steps forward in x to t, 7 to 4 steps backward.

namespace kaon::quda {

struct PathsGiven {
  int count = 0;
  const int* lengths = nullptr;
  int longest = 0;
  const double* coefficients = nullptr;
};

/// The sums of the paths of each direction mu, behind a link of this direction: factor U_mu(x) sum_i c_i P_i(x+mu).
/// Throws `Error` for paths that kaon cannot take.
std::array<std::vector<WeightedPath>, 4> paths_behind_links(int*** paths, const PathsGiven& given, double factor);
/// Links that a client's parameters name; `links_of_paths` of these are those of the paths.
ResidentLinks links_for_paths(const QudaGaugeParam& given, void* pointer);
/// The client's links without staggered phases.
GaugeField<double> links_of_paths(const ResidentLinks& links);
/// Makes links resident that are not, if the parameters want it.
void keep_links(const QudaGaugeParam& given, ResidentLinks links);

/// The traces of closed paths, summed over all sites, times coefficient and factor. Throws `Error` for paths that kaon
/// cannot take.
std::vector<std::complex<double>> traces_of(const ResidentLinks& resident, int** paths, const PathsGiven& given,
                                            double factor);

/// A client's coefficients of fat and third links. Throws `Error`, with the name of the array, for NULL.
PathCoefficients coefficients_of(const double* given, const char* name);

}  // namespace kaon::quda
