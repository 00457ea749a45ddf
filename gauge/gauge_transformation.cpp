// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/lattice/single_sites.hpp"
#include "gauge/ghost_links.hpp"
#include "gauge/su3.hpp"

#include <kaon/core/error.hpp>
#include <kaon/gauge/gauge_transformation.hpp>

#include <fmt/format.h>

namespace kaon {
namespace {

using detail::ColorMatrix;
using detail::ColorVector;

static_assert(sizeof(ColorMatrix<double>) == 18 * sizeof(double));

/// g(x) from the site's random numbers.
struct RandomKernel {
  detail::SiteMap map;
  ColorMatrix<double>* g;
  RandomKey key;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    const detail::RandomSequence sequence(key, detail::Purpose::gauge_transformation, map.global_index(x), 0);
    g[detail::local_number(map, x)] = detail::random_su3(sequence, 0.0, 1.0);
  }
};

/// g on the local lattice, periodic.
struct PeriodicMatrices {
  detail::SiteMap map;
  const ColorMatrix<double>* g;

  KOKKOS_FUNCTION const ColorMatrix<double>& load(const int (&x)[4]) const { return g[detail::local_number(map, x)]; }
};

/// g in a box with one lane.
struct GhostMatrices {
  detail::BoxShape map;
  double* data;

  KOKKOS_FUNCTION ColorMatrix<double> load(const int (&x)[4]) const {
    return detail::load_link<double>(map, data, map.number(x), 0);
  }
  KOKKOS_FUNCTION void store(const ColorMatrix<double>& g, const int (&x)[4]) const {
    detail::store_link(g, map, data, map.number(x), 0);
  }
};

/// Box of g.
struct FillKernel {
  PeriodicMatrices from;
  GhostMatrices to;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const { to.store(from.load(x), x); }
};

/// U_mu(x) = g(x) U_mu(x) g(x+mu)^dag.
template <class T, class Matrices>
struct LinkKernel {
  detail::SiteGauge<T> links;
  Matrices g;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    for (int mu = 0; mu < 4; ++mu) {
      int ahead[4] = {x[0], x[1], x[2], x[3]};
      g.map.shift(ahead, mu, 1);
      links.store(g.load(x) * links.load(x, mu) * adjoint(g.load(ahead)), x, mu);
    }
  }
};

/// psi(x) = g(x) psi(x).
template <class T>
struct SpinorKernel {
  detail::SiteSpinor<T> psi;
  const ColorMatrix<double>* g;
  int right_hand_sides;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    if (!psi.holds(x)) return;
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int first = 0; first < psi.components; first += 3) {
        ColorVector<double> v;
        for (int c = 0; c < 3; ++c) v.c[c] = psi.load(x, first + c, rhs);
        v = g[detail::local_number(psi.map, x)] * v;
        for (int c = 0; c < 3; ++c) psi.store(v.c[c], x, first + c, rhs);
      }
    }
  }
};

const ColorMatrix<double>* matrices(const GaugeTransformation& g) {
  return reinterpret_cast<const ColorMatrix<double>*>(g.data());
}

void require_same_lattice(const Lattice& field, const Lattice& g) {
  require(field == g, [&] {
    return fmt::format("a gauge transformation on lattice {} cannot act on a field on lattice {}",
                       to_string(g.extents()), to_string(field.extents()));
  });
}

}  // namespace

GaugeTransformation::GaugeTransformation(const Lattice& lattice, const RandomKey& key)
    : lattice_(lattice),
      matrices_(Kokkos::view_alloc(lattice.execution(), Kokkos::WithoutInitializing, "kaon::GaugeTransformation"),
                static_cast<std::size_t>(lattice.local_volume()) * 18) {
  const RandomKernel kernel{detail::SiteMap::of<double>(lattice),
                            reinterpret_cast<ColorMatrix<double>*>(matrices_.data()), key};
  detail::for_each_single_site<double>("kaon::gauge_transformation", lattice, kernel);
}

std::vector<std::complex<double>> GaugeTransformation::to_host() const {
  const auto host = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace(), matrices_);
  Kokkos::deep_copy(lattice_.execution(), host, matrices_);
  lattice_.execution().fence("kaon::GaugeTransformation::to_host");
  std::vector<std::complex<double>> values(host.extent(0) / 2);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = {host(2 * k), host(2 * k + 1)};
  return values;
}

template <class T>
void transform(GaugeField<T>& links, const GaugeTransformation& g) {
  require_same_lattice(links.lattice(), g.lattice());
  const Lattice& lattice = links.lattice();
  const auto run = [&]<class Matrices>(const Matrices& access) {
    detail::for_each_single_site<T>("kaon::transform_links", lattice,
                                    LinkKernel<T, Matrices>{detail::site_access(links), access});
  };
  const PeriodicMatrices periodic{detail::SiteMap::of<T>(lattice), matrices(g)};
  if (!lattice.is_partitioned()) return run(periodic);
  detail::GhostBox<double> box(lattice, {1, 1, 1, 1}, {1, 1, 1, 1}, 18);
  const GhostMatrices ghosts{box.shape(), box.data()};
  detail::for_each_single_site<T>("kaon::fill_box", lattice, FillKernel{periodic, ghosts});
  box.exchange();
  run(ghosts);
}

template <class T>
void transform(SpinorField<T>& psi, const GaugeTransformation& g) {
  require_same_lattice(psi.lattice(), g.lattice());
  require(psi.colors() == 3, [&] {
    return fmt::format("a gauge transformation acts on 3 colours, not on the {} of this field", psi.colors());
  });
  detail::for_each_single_site<T>("kaon::transform_spinor", psi.lattice(),
                                  SpinorKernel<T>{detail::site_access(psi), matrices(g), psi.right_hand_sides()});
}

template void transform(GaugeField<double>&, const GaugeTransformation&);
template void transform(GaugeField<float>&, const GaugeTransformation&);
template void transform(SpinorField<double>&, const GaugeTransformation&);
template void transform(SpinorField<float>&, const GaugeTransformation&);

}  // namespace kaon
