// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/chiralities.hpp"

#include "core/fields/field_access.hpp"
#include "core/launch/launch.hpp"

#include <kaon/core/error.hpp>

namespace kaon::detail {
namespace {

template <class T, class V>
struct ChiralityKernel {
  SiteAccess<T, Spinor<V>> out;
  SiteAccess<const T, Spinor<V>> upper, lower;  // without data: zero

  KOKKOS_FUNCTION void operator()(const int index, const int first, const int last) const {
    for (int rhs = first; rhs < last; ++rhs) {
      Spinor<V> joined = zero_vector<Spinor<V>>();
      if (upper.data != nullptr) {
        const Spinor<V> psi = upper.load(index, rhs);
        joined.s[0] = psi.s[0];
        joined.s[1] = psi.s[1];
      }
      if (lower.data != nullptr) {
        const Spinor<V> psi = lower.load(index, rhs);
        joined.s[2] = psi.s[2];
        joined.s[3] = psi.s[3];
      }
      out.store(joined, index, rhs);
    }
  }
};

}  // namespace

template <class T>
void join_chiralities(SpinorField<T>& out, const SpinorField<T>* upper, const SpinorField<T>* lower) {
  for (const SpinorField<T>* field : {upper, lower}) {
    require(field == nullptr || (field->parameters() == out.parameters() && field->lattice() == out.lattice()),
            "chiralities of fields of different shapes cannot be joined");
  }
  require(out.spins() == 4 && out.colors() == 3 && out.slices() == 1 && out.subset() != Subset::full,
          "chiralities are joined on one parity of a slice of 4 spins and 3 colours");
  const Lattice& lattice = out.lattice();
  const Parity parity = parity_of(out.subset());
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    const auto reads = [&](const SpinorField<T>* field) {
      return field != nullptr ? access<Spinor<V>>(*field, parity) : SiteAccess<const T, Spinor<V>>{};
    };
    const ChiralityKernel<T, V> kernel{access<Spinor<V>>(out, parity), reads(upper), reads(lower)};
    const int sites = SubLattice(lattice.local_extents(), lattice.template lane_grid<T>()).half_volume;
    for_each_site("kaon::join_chiralities", lattice.execution(), sites, out.right_hand_sides(), kernel);
  });
}

template void join_chiralities(SpinorField<double>&, const SpinorField<double>*, const SpinorField<double>*);
template void join_chiralities(SpinorField<float>&, const SpinorField<float>*, const SpinorField<float>*);

}  // namespace kaon::detail
