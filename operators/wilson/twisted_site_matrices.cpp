// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "core/launch/launch.hpp"
#include "operators/wilson/site_matrices.hpp"
#include "operators/wilson/site_matrix_kernel.hpp"

namespace kaon::detail {

/// `apply_doublet_matrix` on the sites of one parity. A thread has both flavours, which share the clover blocks.
template <class T, class V, bool has_clover>
struct DoubletKernel {
  SiteAccess<T, Spinor<V>> out[2];
  SiteAccess<const T, Spinor<V>> in[2], x[2];     // x without data: zero
  CloverAccess<const T, V> clover, norm_inverse;  // R without data: 1
  Scalar<V> diagonal, twist, mix, x_scale;

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) {
      Spinor<V> psi[2] = {in[0].load(index, rhs), in[1].load(index, rhs)};
      if constexpr (has_clover) {
        if (norm_inverse.data != nullptr) {
          KAON_UNROLL
          for (int flavor = 0; flavor < 2; ++flavor) psi[flavor] = multiply_clover(norm_inverse, psi[flavor], index);
        }
      }
      KAON_UNROLL
      for (int flavor = 0; flavor < 2; ++flavor) {
        Spinor<V> result;
        if constexpr (has_clover) {
          result = combine(V(1), multiply_clover(clover, psi[flavor], index), V(mix), psi[1 - flavor]);
        } else {
          result = combine(V(diagonal), psi[flavor], V(mix), psi[1 - flavor]);
        }
        add_twist(result, V(flavor == 0 ? twist : -twist), psi[flavor]);
        if (x[0].data != nullptr) result = combine(V(1), result, V(x_scale), x[flavor].load(index, rhs));
        out[flavor].store(result, index, rhs);
      }
    }
  }
};

template <class T>
void apply_doublet_matrix(SpinorField<T>& out, const SpinorField<T>& in, const DoubletMatrix<T>& matrix,
                          const SpinorField<T>* x, double x_scale) {
  const Lattice& lattice = in.lattice();
  const Parity parity = parity_of(in.subset());
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    const auto launch = [&]<bool has_clover>(const char* label, std::bool_constant<has_clover>) {
      DoubletKernel<T, V, has_clover> kernel{};
      for (int flavor = 0; flavor < 2; ++flavor) {
        SpinorField<T> to = out.slice(flavor);
        kernel.out[flavor] = access<Spinor<V>>(to, parity);
        kernel.in[flavor] = access<Spinor<V>>(in.slice(flavor), parity);
        if (x != nullptr) kernel.x[flavor] = access<Spinor<V>>(x->slice(flavor), parity);
      }
      if constexpr (has_clover) kernel.clover = access<V>(*matrix.clover, parity);
      if (matrix.norm_inverse != nullptr) kernel.norm_inverse = access<V>(*matrix.norm_inverse, parity);
      kernel.diagonal = static_cast<Scalar<V>>(matrix.diagonal);
      kernel.twist = static_cast<Scalar<V>>(matrix.twist);
      kernel.mix = static_cast<Scalar<V>>(matrix.mix);
      kernel.x_scale = static_cast<Scalar<V>>(x_scale);
      const int sites = SubLattice(lattice.local_extents(), lattice.template lane_grid<T>()).half_volume;
      for_each_site(label, lattice.execution(), sites, in.right_hand_sides(), kernel);
    };
    matrix.clover != nullptr ? launch("kaon::twisted_clover_doublet", std::true_type{})
                             : launch("kaon::twisted_doublet", std::false_type{});
  });
}

template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistMatrix&);
template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistedCloverMatrix<double>&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistedCloverMatrix<float>&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistedCloverMatrix<half>&);
template void apply_site_matrix(SpinorField<double>&, const SpinorField<double>&, const TwistedCloverInverse<double>&);
template void apply_site_matrix(SpinorField<float>&, const SpinorField<float>&, const TwistedCloverInverse<float>&);
template void apply_site_matrix(SpinorField<half>&, const SpinorField<half>&, const TwistedCloverInverse<half>&);
template void apply_doublet_matrix(SpinorField<double>&, const SpinorField<double>&, const DoubletMatrix<double>&,
                                   const SpinorField<double>*, double);
template void apply_doublet_matrix(SpinorField<float>&, const SpinorField<float>&, const DoubletMatrix<float>&,
                                   const SpinorField<float>*, double);
template void apply_doublet_matrix(SpinorField<half>&, const SpinorField<half>&, const DoubletMatrix<half>&,
                                   const SpinorField<half>*, double);

}  // namespace kaon::detail
