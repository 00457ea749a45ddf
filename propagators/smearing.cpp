// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/field_access.hpp"
#include "core/fields/ghost_box.hpp"
#include "core/lattice/single_sites.hpp"
#include "core/launch/launch.hpp"
#include "gauge/ghost_links.hpp"
#include "operators/stencil/crossing.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>
#include <kaon/propagators/smearing.hpp>

#include <fmt/format.h>

#include <cmath>

namespace kaon {
namespace {

using detail::ColorVector;
using detail::Complex;

/// One parity of a field of 3 colours and any number of spins.
template <class T, class V>
struct ColorVectors {
  T* data;
  std::size_t stride;  // between right-hand sides
  int components;

  KOKKOS_FORCEINLINE_FUNCTION std::size_t offset(int index, int spin, int color, int re_im) const {
    return detail::element_offset<std::remove_const_t<T>>(index, 0, detail::lane_count<V>, components, 3 * spin + color,
                                                          re_im);
  }
  KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> load(int index, int spin, int rhs) const {
    const T* from = data + static_cast<std::size_t>(rhs) * stride;
    ColorVector<V> v;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      v.c[color] = {detail::load_lanes<V>(from + offset(index, spin, color, 0)),
                    detail::load_lanes<V>(from + offset(index, spin, color, 1))};
    }
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const ColorVector<V>& v, int index, int spin, int rhs) const {
    T* to = data + static_cast<std::size_t>(rhs) * stride;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      detail::store_lanes<V>(to + offset(index, spin, color, 0), v.c[color].re);
      detail::store_lanes<V>(to + offset(index, spin, color, 1), v.c[color].im);
    }
  }
};

template <class V>
KOKKOS_FORCEINLINE_FUNCTION void add(ColorVector<V>& sum, const ColorVector<V>& v) {
  KAON_UNROLL
  for (int color = 0; color < 3; ++color) sum.c[color] += v.c[color];
}

/// out(x) = (1 - 6 a) in(x) + a H in(x) on one parity, a = w^2/(4N). 444 flops a site and spin.
template <class T, class V>
struct SmearingKernel {
  detail::SubLattice node;
  int parity;  // of out
  int spins;
  detail::GaugeAccess<T, V> links;
  ColorVectors<T, V> out;
  ColorVectors<const T, V> in, in_opposite;
  detail::LanePermutation<V> leave_forward[3];
  detail::LanePermutation<V> leave_backward[3];
  detail::Scalar<V> center_weight, hop_weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const detail::Site site = node.site(index, parity);
    for (int rhs = first; rhs < last; ++rhs) {
      for (int spin = 0; spin < spins; ++spin) {
        ColorVector<V> sum{};
        for (int mu = 0; mu < 3; ++mu) {
          const detail::Neighbor forward = node.forward(site, mu);
          ColorVector<V> ahead = in_opposite.load(forward.index, spin, rhs);
          if (forward.crossed) change_lanes(ahead, leave_forward[mu]);
          add(sum, links.load(index, parity, mu) * ahead);

          const detail::Neighbor backward = node.backward(site, mu);
          ColorVector<V> behind =
              adjoint_multiply(links.load(backward.index, 1 - parity, mu), in_opposite.load(backward.index, spin, rhs));
          if (backward.crossed) change_lanes(behind, leave_backward[mu]);
          add(sum, behind);
        }
        ColorVector<V> result = in.load(index, spin, rhs);
        KAON_UNROLL
        for (int color = 0; color < 3; ++color) {
          result.c[color] = V(center_weight) * result.c[color] + V(hop_weight) * sum.c[color];
        }
        out.store(result, index, spin, rhs);
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void change_lanes(ColorVector<V>& v, const detail::LanePermutation<V>& lanes) {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      v.c[color] = {permute(v.c[color].re, lanes), permute(v.c[color].im, lanes)};
    }
  }
};

/// out = in + a (H - 6) in.
template <class V, class T>
void smear_once(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, double a) {
  const Lattice& lattice = in.lattice();
  const std::size_t stride = in.right_hand_side_stride();
  SmearingKernel<T, V> kernel;
  kernel.node = detail::SubLattice(lattice.local_extents(), lattice.lane_grid<T>());
  kernel.spins = in.spins();
  kernel.links = detail::access<V>(links);
  for (std::size_t mu = 0; mu < 3; ++mu) {
    kernel.leave_forward[mu] = detail::make_crossing<V>(lattice.lane_grid<T>(), mu, true, 0.0).lanes;
    kernel.leave_backward[mu] = detail::make_crossing<V>(lattice.lane_grid<T>(), mu, false, 0.0).lanes;
  }
  kernel.center_weight = static_cast<T>(1.0 - 6.0 * a);
  kernel.hop_weight = static_cast<T>(a);
  for (const Parity parity : {Parity::even, Parity::odd}) {
    kernel.parity = static_cast<int>(parity);
    kernel.out = {out.data(parity), out.right_hand_side_stride(), out.components()};
    kernel.in = {in.data(parity), stride, in.components()};
    kernel.in_opposite = {in.data(opposite(parity)), stride, in.components()};
    detail::for_each_site("kaon::gaussian_smear", lattice.execution(), kernel.node.half_volume, in.right_hand_sides(),
                          kernel);
  }
}

/// Colour vectors in a box: [right-hand side][spin][colour][re, im] on each site.
template <class T, class V>
struct GhostVectors {
  detail::BoxShape box;
  T* data;

  KOKKOS_FORCEINLINE_FUNCTION ColorVector<V> load(int site, int vector) const {
    ColorVector<V> v;
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      const int real = 6 * vector + 2 * color;
      v.c[color] = {detail::load_lanes<V>(data + box.offset(site, real, 0)),
                    detail::load_lanes<V>(data + box.offset(site, real + 1, 0))};
    }
    return v;
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(const ColorVector<V>& v, int site, int vector) const {
    KAON_UNROLL
    for (int color = 0; color < 3; ++color) {
      const int real = 6 * vector + 2 * color;
      detail::store_lanes<V>(data + box.offset(site, real, 0), v.c[color].re);
      detail::store_lanes<V>(data + box.offset(site, real + 1, 0), v.c[color].im);
    }
  }
};

/// `SmearingKernel` in boxes.
template <class T, class V>
struct GhostSmearingKernel {
  detail::SubLattice node;
  int parity;
  int spins;
  detail::BoxShape links_box;
  const T* links;
  GhostVectors<T, V> out, in;
  detail::Scalar<V> center_weight, hop_weight;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    const detail::Site site = node.site(index, parity);
    const int here = in.box.number(site.x);
    const int link = links_box.number(site.x);
    for (int vector = first * spins; vector < last * spins; ++vector) {
      ColorVector<V> sum{};
      for (int mu = 0; mu < 3; ++mu) {
        add(sum, detail::load_link<V>(links_box, links, link, mu) * in.load(here + in.box.stride[mu], vector));
        add(sum, adjoint_multiply(detail::load_link<V>(links_box, links, link - links_box.stride[mu], mu),
                                  in.load(here - in.box.stride[mu], vector)));
      }
      ColorVector<V> result = in.load(here, vector);
      KAON_UNROLL
      for (int color = 0; color < 3; ++color) {
        result.c[color] = V(center_weight) * result.c[color] + V(hop_weight) * sum.c[color];
      }
      out.store(result, here, vector);
    }
  }
};

/// A spinor field's site into its box (`fill`) or out of it.
template <class T>
struct BoxCopyKernel {
  detail::SiteSpinor<T> psi;
  detail::BoxShape box;
  T* data;
  int right_hand_sides;
  bool fill;

  KOKKOS_FUNCTION void operator()(const int (&x)[4]) const {
    int y[4];
    const int lane = box.locate(x, y);
    const int site = box.number(y);
    for (int rhs = 0; rhs < right_hand_sides; ++rhs) {
      for (int component = 0; component < psi.components; ++component) {
        const int real = 2 * (rhs * psi.components + component);
        T& re = data[box.offset(site, real, lane)];
        T& im = data[box.offset(site, real + 1, lane)];
        if (fill) {
          const Complex<double> value = psi.load(x, component, rhs);
          re = static_cast<T>(value.re);
          im = static_cast<T>(value.im);
        } else {
          psi.store({static_cast<double>(re), static_cast<double>(im)}, x, component, rhs);
        }
      }
    }
  }
};

/// `steps` times chi <- chi + a (H - 6) chi, in copies with a layer of the neighbours' sites around them.
template <class V, class T>
void smear_in_boxes(SpinorField<T>& chi, const GaugeField<T>& links, double a, int steps) {
  const Lattice& lattice = chi.lattice();
  const Coordinates& lane_grid = lattice.lane_grid<T>();
  const Coordinates layers{1, 1, 1, 0};
  const int reals = 2 * chi.components() * chi.right_hand_sides();
  detail::GhostBox<T> links_box(lattice, lane_grid, layers, detail::link_reals);
  detail::GhostBox<T> first(lattice, lane_grid, layers, reals), second(lattice, lane_grid, layers, reals);
  detail::fill_box(links_box, links);
  links_box.exchange();
  const auto copy = [&](const detail::GhostBox<T>& box, bool fill) {
    detail::for_each_single_site<T>(
        "kaon::gaussian_smear", lattice,
        BoxCopyKernel<T>{detail::site_access(chi), box.shape(), box.data(), chi.right_hand_sides(), fill});
  };
  copy(first, true);
  detail::GhostBox<T>* in = &first;
  detail::GhostBox<T>* out = &second;
  for (int step = 0; step < steps; ++step) {
    in->exchange();
    for (const int parity : {0, 1}) {
      const GhostSmearingKernel<T, V> kernel{detail::SubLattice(lattice.local_extents(), lane_grid),
                                             parity,
                                             chi.spins(),
                                             links_box.shape(),
                                             links_box.data(),
                                             {out->shape(), out->data()},
                                             {in->shape(), in->data()},
                                             static_cast<T>(1.0 - 6.0 * a),
                                             static_cast<T>(a)};
      detail::for_each_site("kaon::gaussian_smear", lattice.execution(), kernel.node.half_volume,
                            chi.right_hand_sides(), kernel);
    }
    std::swap(in, out);
  }
  copy(*in, false);
}

}  // namespace

template <class T>
void gaussian_smear(SpinorField<T>& chi, const GaugeField<T>& links, const GaussianSmearingParameters& parameters) {
  require(std::isfinite(parameters.width) && parameters.width > 0.0,
          [&] { return fmt::format("smearing width must be positive, got {}", parameters.width); });
  require(parameters.steps > 0,
          [&] { return fmt::format("smearing needs at least one step, got {}", parameters.steps); });
  require(chi.lattice() == links.lattice(), [&] {
    return fmt::format("a field on lattice {} cannot be smeared by links on lattice {}",
                       to_string(chi.lattice().extents()), to_string(links.lattice().extents()));
  });
  require(chi.colors() == 3 && chi.subset() == Subset::full, [&] {
    return fmt::format("smearing needs a field of 3 colours on both parities, not {} colours on {}", chi.colors(),
                       chi.parities() == 2 ? "both" : "one");
  });
  const double a = parameters.width * parameters.width / (4.0 * parameters.steps);
  const Lattice& lattice = chi.lattice();
  if (lattice.is_partitioned(0) || lattice.is_partitioned(1) || lattice.is_partitioned(2)) {
    return detail::with_lanes<T>(lattice.template lane_count<T>(),
                                 [&]<class V>() { smear_in_boxes<V>(chi, links, a, parameters.steps); });
  }
  SpinorField<T> other(chi.lattice(), chi.parameters());
  SpinorField<T>* in = &chi;
  SpinorField<T>* out = &other;
  detail::with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    for (int step = 0; step < parameters.steps; ++step) {
      smear_once<V>(*out, *in, links, a);
      std::swap(in, out);
    }
  });
  if (in != &chi) blas::copy(chi, *in);
}

template void gaussian_smear(SpinorField<double>&, const GaugeField<double>&, const GaussianSmearingParameters&);
template void gaussian_smear(SpinorField<float>&, const GaugeField<float>&, const GaussianSmearingParameters&);

}  // namespace kaon
