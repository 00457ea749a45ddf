// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/links/paths.hpp"
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/state/arrays.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/link_paths.hpp>

#include <algorithm>

namespace kaon::quda {
namespace {

void require_given(const PathsGiven& given, const void* paths) {
  require(given.count >= 0, [&] { return fmt::format("num_paths = {} is negative", given.count); });
  require(given.count == 0 || (paths != nullptr && given.lengths != nullptr && given.coefficients != nullptr),
          "the paths, their lengths or their coefficients are NULL");
}

/// Path i of a client's.
LinkPath path_of(int** paths, const PathsGiven& given, int i) {
  const int length = given.lengths[i];
  require(length >= 1 && length <= given.longest, [&] {
    return fmt::format("path {} has {} steps: 1 to max_length = {} are possible", i, length, given.longest);
  });
  require(paths[i] != nullptr, [&] { return fmt::format("path {} is NULL", i); });
  LinkPath path;
  for (int k = 0; k < length; ++k) {
    const int code = paths[i][k];
    require(code >= 0 && code < 8, [&] {
      return fmt::format("step {} of path {} is {}: 0 to 3 are forward in x to t, 7 to 4 backward", k, i, code);
    });
    path.push_back(code < 4 ? code + 1 : code - 8);
  }
  return path;
}

/// out_mu(x) = factor U_mu(x) sum_i c_i P_i(x+mu), added to `out` unless that is to be overwritten.
void add_paths(void* out, void* h_links, int*** paths, const PathsGiven& given, double factor,
               const QudaGaugeParam& param) {
  const GaugeDescription description = describe_thin(param);
  const auto of_direction = paths_behind_links(paths, given, factor);
  ResidentLinks links = links_for_paths(param, h_links);
  GaugeField<double> sums(links.links.lattice());
  require_sites(description, sums);
  if (param.overwrite_gauge == 0) copy_in(sums, description.view(out));
  add_link_paths(sums, links_of_paths(links), of_direction);
  copy_out(description.view(out), sums);
  keep_links(param, std::move(links));
}

}  // namespace

std::array<std::vector<WeightedPath>, 4> paths_behind_links(int*** paths, const PathsGiven& given, double factor) {
  require_given(given, paths);
  std::array<std::vector<WeightedPath>, 4> of_direction;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (int i = 0; i < given.count; ++i) {
      require(paths[mu] != nullptr, [&] { return fmt::format("the paths of direction {} are NULL", mu); });
      WeightedPath path{path_of(paths[mu], given, i), factor * given.coefficients[i]};
      path.steps.insert(path.steps.begin(), static_cast<int>(mu) + 1);
      of_direction[mu].push_back(std::move(path));
    }
  }
  return of_direction;
}

ResidentLinks links_for_paths(const QudaGaugeParam& given, void* pointer) {
  return given.use_resident_gauge != 0 ? shared(state().links(LinkKind::wilson))
                                       : read_links(describe_thin(given), pointer);
}

GaugeField<double> links_of_paths(const ResidentLinks& links) {
  return links.factors.staggered_phases ? links.links.share() : with_factors(links);
}

void keep_links(const QudaGaugeParam& given, ResidentLinks links) {
  if (given.make_resident_gauge != 0 && given.use_resident_gauge == 0) {
    state().set_links(LinkKind::wilson, std::move(links));
  }
}

std::vector<std::complex<double>> traces_of(const ResidentLinks& resident, int** paths, const PathsGiven& given,
                                            double factor) {
  require_given(given, paths);
  std::vector<LinkPath> loops;
  for (int i = 0; i < given.count; ++i) loops.push_back(path_of(paths, given, i));
  std::vector<std::complex<double>> traces = loop_traces(links_of_paths(resident), loops);
  const double sites = 3.0 * static_cast<double>(resident.links.lattice().volume());
  for (std::size_t i = 0; i < traces.size(); ++i) traces[i] *= sites * factor * given.coefficients[i];
  return traces;
}

PathCoefficients coefficients_of(const double* given, const char* name) {
  require(given != nullptr, [&] { return fmt::format("{} is NULL", name); });
  return {.one_link = given[0],
          .third = given[1],
          .three_staple = given[2],
          .five_staple = given[3],
          .seven_staple = given[4],
          .lepage = given[5]};
}

}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

int computeGaugePathQuda(void* out, void* sitelink, int*** input_path_buf, int* path_length, double* loop_coeff,
                         int num_paths, int max_length, double dt, QudaGaugeParam* qudaGaugeParam) {
  call(__func__, qudaGaugeParam, [&](const QudaGaugeParam& given) {
    add_paths(out, sitelink, input_path_buf, {num_paths, path_length, max_length, loop_coeff}, dt, given);
  });
  return 0;
}

void computeGaugeLoopTraceQuda(double _Complex* traces, int** input_path_buf, int* path_length, double* loop_coeff,
                               int num_paths, int max_length, double factor) {
  call(__func__, [&] {
    require(traces != nullptr, "the pointer to the traces is NULL");
    const auto found = traces_of(state().smeared_or_gauge_links(), input_path_buf,
                                 {num_paths, path_length, max_length, loop_coeff}, factor);
    std::copy(found.begin(), found.end(), reinterpret_cast<std::complex<double>*>(traces));
  });
}
}
