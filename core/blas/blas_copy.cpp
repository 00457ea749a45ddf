// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert.hpp"
#include "core/fields/field_access.hpp"
#include "core/launch/launch.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <type_traits>

namespace kaon::blas {
namespace {

/// out = in, or out + in, in two precisions that store sites in one order, N complex numbers each.
template <class To, class From, class V, int N>
struct RoundKernel {
  using Stored = detail::LanesIn<detail::Arithmetic<From>, V>;
  using Out = detail::ObjectAccess<To, V, N, std::is_same_v<To, half>>;
  using In = detail::ObjectAccess<From, Stored, N, std::is_same_v<From, half>>;

  To* out;
  const From* in;
  std::size_t out_stride, in_stride;  // between right-hand sides
  bool adds;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) {
      To* const to = out + static_cast<std::size_t>(rhs) * out_stride;
      detail::Complex<Stored> z[N];
      detail::Complex<V> y[N];
      In::load(z, in + static_cast<std::size_t>(rhs) * in_stride, index);
      if (adds) {
        Out::load(y, to, index);
      } else {
        for (int n = 0; n < N; ++n) y[n] = {V(0), V(0)};
      }
      for (int n = 0; n < N; ++n) {
        y[n] += detail::Complex<V>{detail::convert_lanes<V>(z[n].re), detail::convert_lanes<V>(z[n].im)};
      }
      Out::store(to, y, index);
    }
  }
};

template <int N, class To, class From>
void round_sites(SpinorField<To>& out, const SpinorField<From>& in, bool adds) {
  const Lattice& lattice = in.lattice();
  const int lanes = lattice.lane_count<To>();
  detail::with_lanes<To>(lanes, [&]<class V>() {
    const RoundKernel<To, From, V, N> kernel{out.data(), in.data(), out.right_hand_side_stride(),
                                             in.right_hand_side_stride(), adds};
    // All that is stored: sites of both parities, and on a device the ends of blocks.
    const int numbers = detail::object_size(N, std::is_same_v<To, half>) * lanes;
    const int sites = static_cast<int>(out.size() / static_cast<std::size_t>(numbers));
    detail::for_each_site("kaon::blas::round", lattice.execution(), sites, in.right_hand_sides(), kernel);
  });
}

/// out = in or out + in: site by site where both precisions have the same order of sites, which is quick, else one site
/// at a time.
template <class To, class From>
void convert(SpinorField<To>& out, const SpinorField<From>& in, detail::Conversion conversion) {
  const Lattice& lattice = in.lattice();
  // 16-bit numbers are unpacked to `float`, which would round them before they meet doubles.
  constexpr bool in_float = sizeof(To) + sizeof(From) != sizeof(double) + sizeof(half);
  if constexpr (in_float) {
    const bool same_order = !lattice.is_coarse() && lattice.lane_count<To>() == lattice.lane_count<From>();
    const bool adds = conversion == detail::Conversion::add;
    if (same_order && in.components() == 12) return round_sites<12>(out, in, adds);
    if (same_order && in.components() == 3) return round_sites<3>(out, in, adds);
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(in.right_hand_sides()); ++k) {
    detail::convert_sites(in.lattice(), out.data() + k * out.right_hand_side_stride(),
                          detail::spinor_shape<To>(in.components(), in.subset(), in.slices()),
                          in.data() + k * in.right_hand_side_stride(),
                          detail::spinor_shape<From>(in.components(), in.subset(), in.slices()), conversion);
  }
}

}  // namespace

template <class To, class From>
void copy(SpinorField<To>& out, const SpinorField<From>& in) {
  require(out.parameters() == in.parameters() && out.lattice() == in.lattice(),
          "a field can be copied only to one with the same lattice, sites, spins, colours and right-hand sides");
  if constexpr (std::is_same_v<To, From>) {
    using ToView = Kokkos::View<To*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using FromView = Kokkos::View<const From*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    const std::size_t right_hand_sides = static_cast<std::size_t>(in.right_hand_sides());
    const bool in_one = out.right_hand_side_stride() == in.size() && in.right_hand_side_stride() == in.size();
    const std::size_t runs = in_one ? 1 : right_hand_sides;
    const std::size_t length = in_one ? right_hand_sides * in.size() : in.size();
    for (std::size_t k = 0; k < runs; ++k) {
      Kokkos::deep_copy(in.lattice().execution(), ToView(out.data() + k * out.right_hand_side_stride(), length),
                        FromView(in.data() + k * in.right_hand_side_stride(), length));
    }
  } else {
    convert(out, in, detail::Conversion::assign);
  }
}

template <class To, class From>
void add(SpinorField<To>& y, const SpinorField<From>& x) {
  require(y.parameters() == x.parameters() && y.lattice() == x.lattice(),
          "a field can be added only to one with the same lattice, sites, spins, colours and right-hand sides");
  if constexpr (std::is_same_v<To, From>) {
    axpy(y, x, 1.0);
  } else {
    convert(y, x, detail::Conversion::add);
  }
}

#define KAON_INSTANTIATE(T)                                        \
  template void copy(SpinorField<T>&, const SpinorField<double>&); \
  template void copy(SpinorField<T>&, const SpinorField<float>&);  \
  template void copy(SpinorField<T>&, const SpinorField<half>&);   \
  template void add(SpinorField<T>&, const SpinorField<double>&);  \
  template void add(SpinorField<T>&, const SpinorField<float>&);   \
  template void add(SpinorField<T>&, const SpinorField<half>&);
KAON_INSTANTIATE(double)
KAON_INSTANTIATE(float)
KAON_INSTANTIATE(half)
#undef KAON_INSTANTIATE

}  // namespace kaon::blas
