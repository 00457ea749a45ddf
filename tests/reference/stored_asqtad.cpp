// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "stored_asqtad.hpp"

#include "stored_fields.hpp"

namespace kaon::reference {
namespace {

/// Links from x to x + step mu, divided by `weight`, by eta_mu(x) and by -1 where they lead over the edge in time.
Links without_phases(Links links, int step, double weight, const Coordinates& extents) {
  for_each_site(extents, [&](const Coordinates& x) {
    for (int mu = 0; mu < directions; ++mu) {
      const double edge = mu == 3 && x[3] + step >= extents[3] ? -1.0 : 1.0;
      for (std::size_t k = 0; k < 9; ++k)
        links[link_offset(x, mu, extents) + k] *= edge * staggered_phase(x, mu) / weight;
    }
  });
  return links;
}

}  // namespace

StoredAsqtad::StoredAsqtad(const std::filesystem::path& milc) {
  const auto numbers = static_cast<std::size_t>(36 * volume_of(extents));
  fat = without_phases(read_scidac_single(milc / "fat.l8", numbers), 1, 1.0, extents);
  third = without_phases(read_scidac_single(milc / "long.l8", numbers), 3, third_weight, extents);
  source = read_milc_color_field(milc / "ksvector.src.sample.l8", extents);
}

ColorField read_milc_color_field(const std::filesystem::path& path, const Coordinates& extents) {
  return read_scidac_single(path, static_cast<std::size_t>(3 * volume_of(extents)));
}

}  // namespace kaon::reference
