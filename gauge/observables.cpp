// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/lattice/workspace.hpp"
#include "core/reductions/ordered_sum.hpp"
#include "gauge/ghost_links.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>

#include <fmt/format.h>

#include <span>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

/// values(0, x) = sum over spatial planes of Re Tr U_mu(x) U_nu(x+mu) [U_nu(x) U_mu(x+nu)]^dag, values(1, x) =
/// temporal.
template <class Links>
struct PlaquetteKernel {
  Links links;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    ColorMatrix<double> u[4];
    for (int mu = 0; mu < 4; ++mu) u[mu] = links.load(x, mu);
    double sums[2] = {0.0, 0.0};
    for (int nu = 1; nu < 4; ++nu) {
      int ahead_nu[4] = {x[0], x[1], x[2], x[3]};
      links.map.shift(ahead_nu, nu, 1);
      for (int mu = 0; mu < nu; ++mu) {
        int ahead_mu[4] = {x[0], x[1], x[2], x[3]};
        links.map.shift(ahead_mu, mu, 1);
        const ColorMatrix<double> one_way = u[mu] * links.load(ahead_mu, nu);
        const ColorMatrix<double> other_way = u[nu] * links.load(ahead_nu, mu);
        sums[nu == 3] += real_trace_of_product(one_way, adjoint(other_way));
      }
    }
    const int number = detail::local_number(links.map, x);
    values(0, number) = sums[0];
    values(1, number) = sums[1];
  }
};

/// values(0, x) + i values(1, x) = sum_mu Tr U_mu(x).
template <class T>
struct LinkTraceKernel {
  detail::SiteGauge<T> links;
  EntryValues values;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    detail::Complex<double> sum{0.0, 0.0};
    for (int mu = 0; mu < 4; ++mu) sum += trace(links.load(x, mu));
    const int number = detail::local_number(links.map, x);
    values(0, number) = sum.re;
    values(1, number) = sum.im;
  }
};

}  // namespace

template <class T>
Plaquette plaquette(const GaugeField<T>& links) {
  const Lattice& lattice = links.lattice();
  std::vector<double> sums;
  detail::with_near_links(links, [&]<class Links>(const Links& access) {
    sums = detail::ordered_site_sums<T>("kaon::plaquette", lattice, 2, [&](const EntryValues& values) {
      return PlaquetteKernel<Links>{access, values};
    });
  });
  const double scale = 1.0 / (3.0 * 3.0 * static_cast<double>(lattice.volume()));
  return {0.5 * scale * (sums[0] + sums[1]), scale * sums[0], scale * sums[1]};
}

template <class T>
std::complex<double> link_trace(const GaugeField<T>& links) {
  const std::vector<double> sums =
      detail::ordered_site_sums<T>("kaon::link_trace", links.lattice(), 2, [&](const EntryValues& values) {
        return LinkTraceKernel<T>{detail::site_access(links), values};
      });
  return std::complex<double>(sums[0], sums[1]) / (3.0 * 4.0 * static_cast<double>(links.lattice().volume()));
}

template Plaquette plaquette(const GaugeField<double>&);
template Plaquette plaquette(const GaugeField<float>&);
template std::complex<double> link_trace(const GaugeField<double>&);
template std::complex<double> link_trace(const GaugeField<float>&);

namespace {

/// A matrix for each line of sites: [real][line].
using Matrices = Kokkos::View<double* [18], Kokkos::LayoutLeft, detail::ResultSlot::ResultMemory>;

/// The product of the links of a line, multiplied by that of the processes before: their matrix times U_mu(x)
/// U_mu(x+mu) ...
template <class T>
struct LineKernel {
  detail::SiteGauge<T> links;
  int mu;
  bool first, last;  ///< of the processes on the line
  Matrices products;
  EntryValues values;  ///< the trace, on the last process; else 0

  KOKKOS_FUNCTION void operator()(const int line) const {
    int x[4] = {0, 0, 0, 0};
    for (int nu = 0, rest = line; nu < 4; ++nu) {
      if (nu == mu) continue;
      x[nu] = rest % links.map.extent[nu];
      rest /= links.map.extent[nu];
    }
    ColorMatrix<double> product;
    if (first) {
      product = links.load(x, mu);
      x[mu] = 1;
    } else {
      for (int c = 0; c < 9; ++c) product.e[c / 3][c % 3] = {products(line, 2 * c), products(line, 2 * c + 1)};
    }
    for (; x[mu] < links.map.extent[mu]; ++x[mu]) product = product * links.load(x, mu);
    if (!last) {
      for (int c = 0; c < 9; ++c) {
        products(line, 2 * c) = product.e[c / 3][c % 3].re;
        products(line, 2 * c + 1) = product.e[c / 3][c % 3].im;
      }
    }
    const detail::Complex<double> loop = last ? trace(product) : detail::Complex<double>{0.0, 0.0};
    values(0, line) = loop.re;
    values(1, line) = loop.im;
  }
};

/// Receives matrices from a process, or sends them to it.
void pass(const Lattice& lattice, const Matrices& matrices, int peer, bool receive) {
  const Message message[] = {{matrices.data(), matrices.size() * sizeof(double), peer, 0}};
  const std::span<const Message> none;
  const auto exchange = lattice.communicator().make_exchange(receive ? none : std::span<const Message>(message),
                                                             receive ? std::span<const Message>(message) : none);
  exchange->start();
  exchange->finish();
}

}  // namespace

template <class T>
std::complex<double> polyakov_loop(const GaugeField<T>& links, int mu) {
  require(mu >= 0 && mu < 4, [&] { return fmt::format("direction {} of a loop is none of 0 to 3", mu); });
  const Lattice& lattice = links.lattice();
  const auto along = static_cast<std::size_t>(mu);
  const int position = lattice.process_coordinates()[along], processes = lattice.process_grid()[along];
  const int lines = static_cast<int>(lattice.local_volume() / lattice.local_extents()[along]);
  const bool first = position == 0, last = position == processes - 1;
  const Matrices products(Kokkos::view_alloc(Kokkos::WithoutInitializing, "kaon::polyakov_loop products"),
                          processes > 1 ? static_cast<std::size_t>(lines) : 0);
  const EntryValues values = detail::entry_values("kaon::polyakov_loop", lattice, 2, lines);
  const LineKernel<T> kernel{detail::site_access(links), mu, first, last, products, values};
  if (!first) pass(lattice, products, lattice.neighbor(along, -1), true);
  Kokkos::parallel_for("kaon::polyakov_loop", Kokkos::RangePolicy<Execution>(lattice.execution(), 0, lines), kernel);
  if (!last) {
    lattice.execution().fence("kaon::polyakov_loop");
    pass(lattice, products, lattice.neighbor(along, +1), false);
  }
  const std::vector<double> sums = detail::ordered_sums(lattice, values);
  const double lines_in_all = static_cast<double>(lattice.volume()) / lattice.extents()[along];
  return std::complex<double>(sums[0], sums[1]) / (3.0 * lines_in_all);
}

template std::complex<double> polyakov_loop(const GaugeField<double>&, int);
template std::complex<double> polyakov_loop(const GaugeField<float>&, int);

}  // namespace kaon
