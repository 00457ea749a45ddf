// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#include "operators/domain_wall/slice_matrix.hpp"

#include "operators/domain_wall/slice_kernel.hpp"

#include <kaon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kaon::detail {
namespace {

/// 1 + m prod k. Throws `Error` if that is zero, and for factors whose products overflow in residuals.
std::complex<double> closing(const char* name, const std::vector<std::complex<double>>& k, double mass) {
  constexpr double most = 1e70;  // residuals of M^dag M have fourth powers
  std::complex<double> product = mass;
  double growth = 1.0;
  for (const std::complex<double>& factor : k) {
    product *= factor;
    growth *= std::max(1.0, std::abs(factor));
  }
  require(growth <= most, [&] {
    return fmt::format(
        "numbers of the matrix {} of a domain wall operator with {} slices grow by {:.3g} from wall to wall, and {:g} "
        "is possible: |c/b| is too large",
        name, k.size(), growth, most);
  });
  const std::complex<double> sum = 1.0 + product;
  require(std::abs(sum) > 1e-10 * (1.0 + std::abs(product)), [&] {
    return fmt::format("the matrix {} of a domain wall operator with {} slices and mass {} has no inverse", name,
                       k.size(), mass);
  });
  return sum;
}

}  // namespace

template <class T>
SliceMatrix<T>::SliceMatrix(const char* name, const SliceNumbers& numbers, const SliceMasses& masses)
    : slices_(static_cast<int>(numbers.u.size())), is_real_(true) {
  std::vector<std::complex<double>> forward, adjoint;
  for (std::size_t s = 0; s < numbers.u.size(); ++s) {
    const std::complex<double> u = numbers.u[s], k = numbers.k[s], p = numbers.p[s], q = numbers.q[s];
    for (const std::complex<double>& number : {u, k, p, q}) is_real_ = is_real_ && number.imag() == 0.0;
    forward.insert(forward.end(), {u, k, p * u, q + p * k});
    adjoint.insert(adjoint.end(), {std::conj(q + k * p), std::conj(k), std::conj(u * p), std::conj(u)});
  }
  for (const double mass : {masses.upper, masses.lower}) {
    const std::complex<double> sum = closing(name, numbers.k, mass);
    forward.push_back(-mass / sum);
    adjoint.push_back(-mass / std::conj(sum));
  }
  forward_ = stored(forward);
  adjoint_ = stored(adjoint);
}

template <class T>
Kokkos::View<Arithmetic<T>*, Memory> SliceMatrix<T>::stored(const std::vector<std::complex<double>>& recurrence) const {
  std::vector<Number> values;
  for (const std::complex<double>& number : recurrence) {
    values.push_back(static_cast<Number>(number.real()));
    if (!is_real_) values.push_back(static_cast<Number>(number.imag()));
  }
  Kokkos::View<Number*, Memory> view("kaon::SliceMatrix", values.size());
  Kokkos::deep_copy(view, Kokkos::View<const Number*, Kokkos::HostSpace>(values.data(), values.size()));
  return view;
}

template <class T>
void SliceMatrix<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger, double scale,
                           const SpinorField<T>* x, double x_scale) const {
  const auto fits = [&](const SpinorField<T>& field) {
    return field.parameters() == out.parameters() && field.lattice() == out.lattice();
  };
  require(out.slices() == slices_ && out.spins() == 4 && out.colors() == 3, [&] {
    return fmt::format("a matrix on {} slices cannot act on a field of {} slices, {} spins and {} colours", slices_,
                       out.slices(), out.spins(), out.colors());
  });
  require(fits(in) && (x == nullptr || fits(*x)),
          "fields that a matrix on slices acts on must have the same lattice, sites and right-hand sides");
  if (out.subset() == Subset::full) {
    for (const Parity parity : {Parity::even, Parity::odd}) {
      SpinorField<T> of_out = out.parity(parity);
      const SpinorField<T> of_in = in.parity(parity), of_x = (x != nullptr ? *x : in).parity(parity);
      apply(of_out, of_in, dagger, scale, x != nullptr ? &of_x : nullptr, x_scale);
    }
    return;
  }
  const Lattice& lattice = out.lattice();
  with_lanes<T>(lattice.template lane_count<T>(), [&]<class V>() {
    const auto launch = [&]<bool is_complex>(std::bool_constant<is_complex>) {
      using Kernel =
          std::conditional_t<std::is_same_v<T, half>, ScaledSliceKernel<V, is_complex>, SliceKernel<T, V, is_complex>>;
      using Item = typename Kernel::Item;
      Kernel kernel;
      kernel.out = out.data();
      kernel.in = in.data();
      kernel.x = x != nullptr ? x->data() : nullptr;
      kernel.out_stride = out.right_hand_side_stride();
      kernel.in_stride = in.right_hand_side_stride();
      kernel.x_stride = x != nullptr ? x->right_hand_side_stride() : 0;
      kernel.slice = out.slice_size();
      kernel.recurrence = {table(dagger), slices_, dagger};
      kernel.scale = static_cast<Number>(scale);
      kernel.x_scale = static_cast<Number>(x_scale);
      kernel.chunks = out.slice_size() / Item::numbers;
      std::size_t of_part;
      int team_size = Kernel::max_team_size;
      if constexpr (std::is_same_v<T, half>) {
        constexpr int most_bytes = on_device ? std::min(most_team_bytes, 48 * 1024) : most_team_bytes;
        const int bytes = Kernel::bytes_of_thread(slices_);
        team_size = Kernel::threads_of_site;
        while (on_device && team_size < Kernel::max_team_size && 2 * team_size * bytes <= most_bytes) team_size *= 2;
        require(bytes * team_size <= most_bytes, [&] {
          return fmt::format("fields in half precision of {} slices: a team of threads has memory for {}", slices_,
                             most_bytes / Kernel::threads_of_site / Kernel::bytes_of_thread(1));
        });
        kernel.team_size = team_size;
        kernel.team_bytes = bytes * team_size;
        of_part = static_cast<std::size_t>(team_size / Kernel::threads_of_site);
      } else {
        of_part = Kernel::chunks_of_part();
      }
      kernel.parts = static_cast<int>((kernel.chunks + of_part - 1) / of_part);
      launch_teams("kaon::slice_matrix", lattice.execution(), out.right_hand_sides() * kernel.parts, team_size, kernel);
    };
    is_real_ ? launch(std::false_type{}) : launch(std::true_type{});
  });
}

template class SliceMatrix<double>;
template class SliceMatrix<float>;
template class SliceMatrix<half>;

}  // namespace kaon::detail
