// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "io/collective.hpp"
#include "io/gauge/link_examination.hpp"
#include "su3.hpp"

#include <kaon/io/gauge_file.hpp>

#include <array>

namespace kaon::io {
namespace {

/// The links of a part, and those of the sites just beyond its upper faces, which other processes hold.
class LinksAhead {
 public:
  LinksAhead(const Part& part, const HostLinks& field) : part_(part), field_(field) {
    std::array<std::vector<Complex>, directions> lower;
    std::vector<Message> sends, receives;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      if (!part.is_cut(mu)) continue;
      lower[mu] = lower_face(mu);
      upper_[mu].resize(lower[mu].size());
      const int tag = static_cast<int>(mu);
      sends.push_back(message(lower[mu], part.behind[mu], tag));
      receives.push_back(message(upper_[mu], part.ahead[mu], tag));
    }
    if (sends.empty()) return;
    const auto exchange = part.communicator.make_exchange(sends, receives);
    exchange->start();
    exchange->finish();
  }

  /// U_nu(x + mu) of a site x of the part, by its local coordinates.
  const Complex* link_ahead(Coordinates x, std::size_t mu, int nu) const {
    if (++x[mu] == part_.local_extents[mu]) {
      x[mu] = 0;
      if (part_.is_cut(mu)) return &upper_[mu][offset(lexicographic_index(x, face(mu)), nu)];
    }
    return field_.link(lexicographic_index(x, part_.local_extents), nu);
  }

 private:
  static std::size_t offset(std::ptrdiff_t site, int nu) {
    return (static_cast<std::size_t>(site) * 4 + static_cast<std::size_t>(nu)) * 9;
  }
  static Message message(std::vector<Complex>& links, int peer, int tag) {
    return {.data = links.data(), .bytes = links.size() * sizeof(Complex), .peer = peer, .tag = tag};
  }
  /// Extents of a layer at right angles to mu.
  Coordinates face(std::size_t mu) const {
    Coordinates extents = part_.local_extents;
    extents[mu] = 1;
    return extents;
  }
  std::vector<Complex> lower_face(std::size_t mu) const {
    const Coordinates extents = face(mu);
    std::vector<Complex> links;
    links.reserve(static_cast<std::size_t>(volume_of(extents)) * 36);
    for (std::ptrdiff_t site = 0; site < volume_of(extents); ++site) {
      const auto at = lexicographic_index(lexicographic_site(site, extents), part_.local_extents);
      links.insert(links.end(), field_.link(at, 0), field_.link(at, 0) + 36);
    }
    return links;
  }

  const Part& part_;
  const HostLinks& field_;
  std::array<std::vector<Complex>, directions> upper_;
};

/// Sum of Re Tr of the six plaquettes at every site of one time slice.
ExactSum plaquette_sum(const Part& part, const HostLinks& field, const LinksAhead& ahead, int t) {
  const auto& extents = part.local_extents;
  std::array<Complex, 9> forward, backward;
  ExactSum sum;
  Coordinates site{0, 0, 0, t};
  for (site[2] = 0; site[2] < extents[2]; ++site[2]) {
    for (site[1] = 0; site[1] < extents[1]; ++site[1]) {
      for (site[0] = 0; site[0] < extents[0]; ++site[0]) {
        const auto here = lexicographic_index(site, extents);
        for (int mu = 0; mu < directions; ++mu) {
          for (int nu = mu + 1; nu < directions; ++nu) {
            multiply(forward.data(), field.link(here, mu), ahead.link_ahead(site, static_cast<std::size_t>(mu), nu));
            multiply(backward.data(), field.link(here, nu), ahead.link_ahead(site, static_cast<std::size_t>(nu), mu));
            sum.add(real_trace_of_product_with_adjoint(forward.data(), backward.data()));
          }
        }
      }
    }
  }
  return sum;
}

}  // namespace

HostLinks::HostLinks(const Coordinates& lattice_extents)
    : extents(lattice_extents), links(static_cast<std::size_t>(volume_of(lattice_extents)) * 36) {}

double plaquette(const Part& part, const HostLinks& field) {
  const LinksAhead ahead(part, field);
  std::vector<ExactSum> sums(static_cast<std::size_t>(part.local_extents[3]));
#pragma omp parallel for
  for (int t = 0; t < part.local_extents[3]; ++t) {
    sums[static_cast<std::size_t>(t)] = plaquette_sum(part, field, ahead, t);
  }
  ExactSum sum;
  for (const ExactSum& slice : sums) sum.add(slice);
  return sum.total(part.communicator) / (18.0 * static_cast<double>(volume_of(part.extents)));
}

double link_trace(const Part& part, const HostLinks& field) {
  ExactSum sum;
  for (std::size_t k = 0; k < field.links.size(); k += 9) {
    sum.add(field.links[k].real() + field.links[k + 4].real() + field.links[k + 8].real());
  }
  return sum.total(part.communicator) / (12.0 * static_cast<double>(volume_of(part.extents)));
}

double plaquette(const HostLinks& field) { return plaquette(whole_part(field.extents), field); }

double link_trace(const HostLinks& field) { return link_trace(whole_part(field.extents), field); }

}  // namespace kaon::io
