// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "operators/wilson/wilson_hop.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/clover.hpp>
#include <kaon/operators/wilson.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon::detail {

/// m + 1 + 3 nu/xi_0 + A from the links.
template <class T>
CloverField<T> make_site_term(const GaugeField<T>& links, const WilsonCloverParameters& parameters) {
  require_anisotropy(parameters.anisotropy);
  require(std::isfinite(parameters.mass) && std::isfinite(parameters.csw) &&
              std::isfinite(parameters.temporal_coefficient()),
          [&] {
            return fmt::format("mass {}, csw {} and temporal csw {} must be numbers", parameters.mass, parameters.csw,
                               parameters.temporal_coefficient());
          });
  if (links.storage() != LinkStorage::full) {
    return make_site_term(GaugeField<T>(links, LinkStorage::full), parameters);
  }
  return make_clover(links, {.diagonal = parameters.mass + 1.0 + 3.0 * parameters.anisotropy.spatial_weight(),
                             .spatial = parameters.csw / parameters.anisotropy.xi0,
                             .temporal = parameters.temporal_coefficient()});
}

/// A site term that is given, the field itself. Throws `Error` unless it is on all sites of the links.
template <class T>
CloverField<T> of_all_sites(const GaugeField<T>& links, const CloverField<T>& given) {
  require(given.lattice() == links.lattice() && given.subset() == Subset::full,
          "a site term that is given must be on all sites of the lattice of the links");
  return given.share();
}

}  // namespace kaon::detail
