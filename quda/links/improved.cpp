// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "quda/client/describe.hpp"
#include "quda/client/parameters.hpp"
#include "quda/links/paths.hpp"
#include "quda/state/arrays.hpp"
#include "quda/state/state.hpp"

#include <kaon/core/array_view.hpp>
#include <kaon/gauge/fat_links.hpp>
#include <kaon/gauge/improved_links.hpp>
#include <kaon/gauge/link_paths.hpp>
#include <kaon/gauge/link_phases.hpp>
#include <kaon/gauge/path_coefficients.hpp>
#include <kaon/gauge/unitarity.hpp>

#include <array>
#include <vector>

namespace kaon::quda {
namespace {

/// `factor` times the third links, as clients want their long links.
GaugeField<double> long_links_of(const GaugeField<double>& links, double factor) {
  const ImprovedLinks improved{links.share(), third_links(links), factor};
  return long_links(improved);
}

/// Projects links onto U(3); with Chroma's phases onto SU(3), after removing the phases, as in QUDA.
GaugeField<double> unitarized(const GaugeField<double>& smeared, const QudaGaugeParam& given) {
  if (given.staggered_phase_type != QUDA_STAGGERED_PHASE_CHROMA) return project_to_u3(smeared);
  const bool phased = given.staggered_phase_applied != 0;
  const StaggeredPhases phases{.antiperiodic = given.t_boundary == QUDA_ANTI_PERIODIC_T,
                               .convention = PhaseConvention::chroma};
  GaugeField<double> links = smeared.clone();
  if (phased) fold_staggered_phases(links, phases);
  links = project_to_su3(links);
  if (phased) fold_staggered_phases(links, phases);
  return links;
}

/// Fat, long and unitarised links of a client's, with the client's coefficients: as phases lie in the links, those of
/// staples have the signs for that. Results that have no pointer are not wanted.
void compute(void* fat, void* lengthy, void* unitary, void* links, const double* coefficients,
             const QudaGaugeParam& given) {
  const PathCoefficients paths = coefficients_of(coefficients, "path_coeff");
  const GaugeDescription description = describe(given);
  GaugeField<double> in(state().lattice(description.local_extents, 1));
  copy_in(in, description.view(links));
  if (fat != nullptr || unitary != nullptr) {
    const GaugeField<double> smeared = fat_links(in, paths);
    if (fat != nullptr) copy_out(description.view(fat), smeared);
    if (unitary != nullptr) copy_out(description.view(unitary), unitarized(smeared, given));
  }
  if (lengthy != nullptr) copy_out(description.view(lengthy), long_links_of(in, paths.third));
}

/// Returns null for a list of arrays, one for each direction, that are all NULL.
void* unless_empty(void* pointer, const QudaGaugeParam& given) {
  if (pointer == nullptr || !describe(given).one_array_per_direction) return pointer;
  return static_cast<void**>(pointer)[0] == nullptr ? nullptr : pointer;
}

/// U_mu(x) U_mu(x+mu) of a client's links, or of the resident links if the pointer is null.
void compute_two_links(void* out, void* links, const QudaGaugeParam& given) {
  require(out != nullptr, "the pointer to two-links is NULL");
  const GaugeDescription description = describe_thin(given);
  std::array<std::vector<WeightedPath>, 4> paths;
  for (int mu = 1; mu <= 4; ++mu) paths[static_cast<std::size_t>(mu - 1)] = {{{mu, mu}, 1.0}};
  GaugeField<double> in(state().lattice(description.local_extents, 1)), products(in.lattice());
  if (links != nullptr) copy_in(in, description.view(links));
  add_link_paths(products, links != nullptr ? in.share() : with_factors(state().links(LinkKind::wilson)), paths);
  copy_out(description.view(out), products);
  state().free_links(LinkKind::smeared);  // as in QUDA, which stores two-links there
}

}  // namespace
}  // namespace kaon::quda

using namespace kaon::quda;

extern "C" {

void computeKSLinkQuda(void* fatlink, void* longlink, void* ulink, void* inlink, double* path_coeff,
                       QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) {
    const auto wanted = [&](void* pointer) { return unless_empty(pointer, given); };
    compute(wanted(fatlink), wanted(longlink), wanted(ulink), inlink, path_coeff, given);
  });
}

void computeTwoLinkQuda(void* twolink, void* inlink, QudaGaugeParam* param) {
  call(__func__, param, [&](const QudaGaugeParam& given) { compute_two_links(twolink, inlink, given); });
}
}
