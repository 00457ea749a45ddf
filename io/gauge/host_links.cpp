// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/base/host_zeros.hpp"
#include "io/collective.hpp"
#include "io/gauge/link_examination.hpp"
#include "io/host_threads.hpp"
#include "su3.hpp"

#include <kaon/io/gauge_file.hpp>

#include <array>
#include <cstdlib>

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

/// Sums over spatial and over temporal planes.
using PlaneSums = std::array<ExactSum, 2>;

/// Sums of Re Tr of the six plaquettes at every site of the plane of one z and one t.
PlaneSums plaquette_sums(const Part& part, const HostLinks& field, const LinksAhead& ahead, int z, int t) {
  const auto& extents = part.local_extents;
  std::array<Complex, 9> forward, backward;
  PlaneSums sums;
  Coordinates site{0, 0, z, t};
  for (site[1] = 0; site[1] < extents[1]; ++site[1]) {
    for (site[0] = 0; site[0] < extents[0]; ++site[0]) {
      const auto here = lexicographic_index(site, extents);
      for (int mu = 0; mu < directions; ++mu) {
        for (int nu = mu + 1; nu < directions; ++nu) {
          multiply(forward.data(), field.link(here, mu), ahead.link_ahead(site, static_cast<std::size_t>(mu), nu));
          multiply(backward.data(), field.link(here, nu), ahead.link_ahead(site, static_cast<std::size_t>(nu), mu));
          sums[nu == 3].add(real_trace_of_product_with_adjoint(forward.data(), backward.data()));
        }
      }
    }
  }
  return sums;
}

/// The sum of body(begin, end) over pieces of 0 .. size - 1 and over all processes.
template <class Body>
double total(const Communicator& communicator, std::size_t size, std::size_t longest, const Body& body) {
  ExactSum sum;
  for (const ExactSum& of_piece : for_pieces_on_threads<ExactSum>(size, longest, body)) sum.add(of_piece);
  return sum.total(communicator);
}

}  // namespace

HostLinks::HostLinks(const Coordinates& lattice_extents)
    : extents(lattice_extents),
      links(kaon::detail::host_zeros(static_cast<std::size_t>(volume_of(lattice_extents)) * 36)) {}

Plaquette plaquette(const Part& part, const HostLinks& field) {
  const LinksAhead ahead(part, field);
  const auto [lx, ly, lz, lt] = part.local_extents;
  const auto planes = static_cast<std::size_t>(lz) * static_cast<std::size_t>(lt);
  ExactSum all, spatial, temporal;
  for (const PlaneSums& sums : for_pieces_on_threads<PlaneSums>(planes, 1, [&](std::size_t plane, std::size_t) {
         const auto [t, z] = std::div(static_cast<int>(plane), lz);
         return plaquette_sums(part, field, ahead, z, t);
       })) {
    spatial.add(sums[0]);
    temporal.add(sums[1]);
  }
  all.add(spatial);
  all.add(temporal);
  const double scale = 9.0 * static_cast<double>(volume_of(part.extents));
  return {all.total(part.communicator) / (2.0 * scale), spatial.total(part.communicator) / scale,
          temporal.total(part.communicator) / scale};
}

std::complex<double> polyakov_loop(const Part& part, const HostLinks& field) {
  constexpr std::size_t t = 3;
  const std::ptrdiff_t lines = volume_of(part.local_extents) / part.local_extents[t];
  const bool first = part.origin[t] == 0, last = part.origin[t] + part.local_extents[t] == part.extents[t];
  // The products of the processes before.
  std::vector<Complex> products(first && last ? 0 : static_cast<std::size_t>(lines) * 9);
  const auto pass = [&](int peer, bool receive) {
    const Message message[] = {
        {.data = products.data(), .bytes = products.size() * sizeof(Complex), .peer = peer, .tag = 0}};
    const std::span<const Message> none, one(message);
    const auto exchange = part.communicator.make_exchange(receive ? none : one, receive ? one : none);
    exchange->start();
    exchange->finish();
  };
  if (!first) pass(part.behind[t], true);
  ExactSum real, imaginary;
  for (const PlaneSums& sums : for_pieces_on_threads<PlaneSums>(
           static_cast<std::size_t>(lines), 1 << 8, [&](std::size_t begin, std::size_t end) {
             PlaneSums of_lines;
             std::array<Complex, 9> product, next;
             for (std::size_t line = begin; line < end; ++line) {
               const auto site = static_cast<std::ptrdiff_t>(line);
               std::copy_n(first ? field.link(site, t) : &products[9 * line], 9, product.begin());
               for (int x = first ? 1 : 0; x < part.local_extents[t]; ++x) {
                 multiply(next.data(), product.data(), field.link(site + x * lines, t));
                 product = next;
               }
               if (!last) {
                 std::copy_n(product.begin(), 9, &products[9 * line]);
                 continue;
               }
               const Complex loop = product[0] + product[4] + product[8];
               of_lines[0].add(loop.real());
               of_lines[1].add(loop.imag());
             }
             return of_lines;
           })) {
    real.add(sums[0]);
    imaginary.add(sums[1]);
  }
  if (!last) pass(part.ahead[t], false);
  const double scale = 3.0 * static_cast<double>(volume_of(part.extents)) / part.extents[t];
  return Complex(real.total(part.communicator), imaginary.total(part.communicator)) / scale;
}

double link_trace(const Part& part, const HostLinks& field) {
  const double sum = total(part.communicator, field.links.size() / 9, 1 << 14, [&](std::size_t begin, std::size_t end) {
    ExactSum traces;
    for (std::size_t link = begin; link < end; ++link) {
      const Complex* const u = &field.links[9 * link];
      traces.add(u[0].real() + u[4].real() + u[8].real());
    }
    return traces;
  });
  return sum / (12.0 * static_cast<double>(volume_of(part.extents)));
}

double plaquette(const HostLinks& field) { return plaquette(whole_part(field.extents), field).average; }

double link_trace(const HostLinks& field) { return link_trace(whole_part(field.extents), field); }

}  // namespace kaon::io
