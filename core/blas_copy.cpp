// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/convert.hpp"

#include <kaon/core/blas.hpp>
#include <kaon/core/error.hpp>

#include <type_traits>

namespace kaon::blas {

template <class To, class From>
void copy(SpinorField<To>& out, const SpinorField<From>& in) {
  require(out.parameters() == in.parameters() && out.lattice() == in.lattice(),
          "a field can be copied only to one with the same lattice, sites, spins, colours and right-hand sides");
  const detail::SiteShape shape{.objects = 1, .components = in.components(), .subset = in.subset()};
  for (int r = 0; r < in.right_hand_sides(); ++r) {
    To* to = out.data() + static_cast<std::size_t>(r) * out.right_hand_side_stride();
    const From* from = in.data() + static_cast<std::size_t>(r) * in.right_hand_side_stride();
    if constexpr (std::is_same_v<To, From>) {
      using ToView = Kokkos::View<To*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      using FromView = Kokkos::View<const From*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
      Kokkos::deep_copy(in.lattice().execution(), ToView(to, in.size()), FromView(from, in.size()));
    } else {
      detail::convert_sites(in.lattice(), shape, to, from);
    }
  }
}

template <class To, class From>
void add(SpinorField<To>& y, const SpinorField<From>& x) {
  require(y.parameters() == x.parameters() && y.lattice() == x.lattice(),
          "a field can be added only to one with the same lattice, sites, spins, colours and right-hand sides");
  const detail::SiteShape shape{.objects = 1, .components = x.components(), .subset = x.subset()};
  for (int r = 0; r < x.right_hand_sides(); ++r) {
    detail::convert_sites(x.lattice(), shape, y.data() + static_cast<std::size_t>(r) * y.right_hand_side_stride(),
                          x.data() + static_cast<std::size_t>(r) * x.right_hand_side_stride(), detail::Conversion::add);
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
