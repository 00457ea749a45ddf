// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/fields/convert.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <type_traits>

namespace kaon::blas {
namespace {

/// Right-hand side r of `out` = that of `in`, or their sum.
template <class To, class From>
void convert(SpinorField<To>& out, const SpinorField<From>& in, int r, detail::Conversion conversion) {
  const auto k = static_cast<std::size_t>(r);
  detail::convert_sites(in.lattice(), out.data() + k * out.right_hand_side_stride(),
                        detail::spinor_shape<To>(in.components(), in.subset()),
                        in.data() + k * in.right_hand_side_stride(),
                        detail::spinor_shape<From>(in.components(), in.subset()), conversion);
}

}  // namespace

template <class To, class From>
void copy(SpinorField<To>& out, const SpinorField<From>& in) {
  require(out.parameters() == in.parameters() && out.lattice() == in.lattice(),
          "a field can be copied only to one with the same lattice, sites, spins, colours and right-hand sides");
  for (int r = 0; r < in.right_hand_sides(); ++r) {
    if constexpr (std::is_same_v<To, From>) {
      using ToView = Kokkos::View<To*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      using FromView = Kokkos::View<const From*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      To* to = out.data() + static_cast<std::size_t>(r) * out.right_hand_side_stride();
      const From* from = in.data() + static_cast<std::size_t>(r) * in.right_hand_side_stride();
      Kokkos::deep_copy(in.lattice().execution(), ToView(to, in.size()), FromView(from, in.size()));
    } else {
      convert(out, in, r, detail::Conversion::assign);
    }
  }
}

template <class To, class From>
void add(SpinorField<To>& y, const SpinorField<From>& x) {
  require(y.parameters() == x.parameters() && y.lattice() == x.lattice(),
          "a field can be added only to one with the same lattice, sites, spins, colours and right-hand sides");
  for (int r = 0; r < x.right_hand_sides(); ++r) convert(y, x, r, detail::Conversion::add);
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
