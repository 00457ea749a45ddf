// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/lattice/result_slot.hpp"
#include "core/reductions/ordered_sum.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/observables.hpp>

#include <fmt/format.h>

#include <span>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::EntryValues;

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
  const EntryValues values(
      Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, std::string("kaon::polyakov_loop")), 2,
      static_cast<std::size_t>(lines));
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
