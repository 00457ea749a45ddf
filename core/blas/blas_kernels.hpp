// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas/blas_operations.hpp"
#include "core/blas/solver_blas.hpp"
#include "core/reductions/pending_reductions.hpp"

namespace kaon::blas {
namespace {

ProductAndNorm split(const std::vector<double>& sums) {
  ProductAndNorm result;
  for (std::size_t r = 0; r < sums.size() / 3; ++r) {
    result.product.emplace_back(sums[3 * r], sums[3 * r + 1]);
    result.norm2.push_back(sums[3 * r + 2]);
  }
  return result;
}

}  // namespace

template <class T>
void set_zero(SpinorField<T>& x) {
  for (int r = 0; r < x.right_hand_sides(); ++r) {
    T* data = x.data() + static_cast<std::size_t>(r) * x.right_hand_side_stride();
    Kokkos::deep_copy(x.lattice().execution(),
                      Kokkos::View<T*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(data, x.size()), T{});
  }
}

template <class T>
void scale(SpinorField<T>& x, const Scalars& a) {
  detail::run_blas<ops::Scale, T>("kaon::blas::scale", {&x}, a);
}
template <class T>
void axpy(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a) {
  detail::run_blas<ops::Axpy, T>("kaon::blas::axpy", {&y, mutate(x)}, a);
}
template <class T>
void xpay(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a) {
  detail::run_blas<ops::Xpay, T>("kaon::blas::xpay", {&y, mutate(x)}, a);
}
template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a) {
  detail::run_blas<ops::Caxpy, T>("kaon::blas::caxpy", {&y, mutate(x)}, a);
}
template <class T>
Reals norm2(const SpinorField<T>& x) {
  return detail::run_blas<ops::Norm2, T>("kaon::blas::norm2", {mutate(x)}).wait();
}
template <class T>
Complexes inner_product(const SpinorField<T>& x, const SpinorField<T>& y) {
  const std::vector<double> sums =
      detail::run_blas<ops::InnerProduct, T>("kaon::blas::inner_product", {mutate(x), mutate(y)}).wait();
  Complexes result;
  for (std::size_t r = 0; r < sums.size() / 2; ++r) result.emplace_back(sums[2 * r], sums[2 * r + 1]);
  return result;
}
template <class T>
ProductAndNorm inner_product_norm2(const SpinorField<T>& x, const SpinorField<T>& y) {
  return split(
      detail::run_blas<ops::InnerProductNorm2, T>("kaon::blas::inner_product_norm2", {mutate(x), mutate(y)}).wait());
}
template <class T>
PendingReductions reduce(const SpinorField<T>& y, const SpinorField<T>* x, const Reductions<T>& reductions) {
  const SpinorField<T>* const w = reductions.w;
  require(!reductions.x || x != nullptr, "reductions with x need x");
  const auto run = [&] {
    constexpr const char* label = "kaon::blas::reduce";
    if (reductions.x && w != nullptr) {
      return detail::run_blas<ops::AllProducts, T>(label, {mutate(y), mutate(*x), mutate(*w)});
    }
    if (reductions.x) return detail::run_blas<ops::ProductsWithX, T>(label, {mutate(y), mutate(*x)});
    if (w != nullptr) return detail::run_blas<ops::InnerProductNorm2, T>(label, {mutate(y), mutate(*w)});
    return detail::run_blas<ops::Norm2, T>(label, {mutate(y)});
  };
  auto state = std::make_unique<detail::ReductionState>(y.lattice(), y.right_hand_sides(), reductions.x, w != nullptr);
  state->pending = run();
  return PendingReductions(std::move(state));
}
template <class T>
Reals axpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, const Scalars& a) {
  return detail::run_blas<ops::AxpyNorm2, T>("kaon::blas::axpy_norm2", {&y, mutate(x)}, a).wait();
}
template <class T>
Reals xmy_norm2(SpinorField<T>& y, const SpinorField<T>& x) {
  return detail::run_blas<ops::XmyNorm2, T>("kaon::blas::xmy_norm2", {&y, mutate(x)}).wait();
}
template <class T>
void cg_update(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z, const Scalars& a_b) {
  detail::run_blas<ops::CgUpdate, T>("kaon::blas::cg_update", {&x, &p, mutate(z)}, a_b);
}
template <class T>
Reals mr_update_norm2(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const Scalars& a) {
  return detail::run_blas<ops::MrUpdateNorm2, T>("kaon::blas::mr_update_norm2", {&x, &r, mutate(t)}, a).wait();
}
template <class T>
ProductAndNorm bicgstab_update_xr(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& p,
                                  const SpinorField<T>& t, const SpinorField<T>& s, const Scalars& a_w) {
  return split(detail::run_blas<ops::BiCgStabUpdateXR, T>("kaon::blas::bicgstab_update_xr",
                                                          {&x, &r, mutate(p), mutate(t), mutate(s)}, a_w)
                   .wait());
}
template <class T>
void bicgstab_update_p(SpinorField<T>& p, const SpinorField<T>& r, const SpinorField<T>& v, const Scalars& b_w) {
  detail::run_blas<ops::BiCgStabUpdateP, T>("kaon::blas::bicgstab_update_p", {&p, mutate(r), mutate(v)}, b_w);
}
template <class T>
void bicgstab_update(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                     const SpinorField<T>& v, const Scalars& a_w_b) {
  detail::run_blas<ops::BiCgStabUpdate, T>("kaon::blas::bicgstab_update", {&x, &r, &p, mutate(t), mutate(v)}, a_w_b);
}

}  // namespace kaon::blas

/// Everything above for fields of T, in one translation unit.
#define KAON_INSTANTIATE_BLAS(T)                                                                                  \
  template void set_zero(SpinorField<T>&);                                                                        \
  template void scale(SpinorField<T>&, const Scalars&);                                                           \
  template void axpy(SpinorField<T>&, const SpinorField<T>&, const Scalars&);                                     \
  template void xpay(SpinorField<T>&, const SpinorField<T>&, const Scalars&);                                     \
  template void caxpy(SpinorField<T>&, const SpinorField<T>&, const Scalars&);                                    \
  template Reals norm2(const SpinorField<T>&);                                                                    \
  template Complexes inner_product(const SpinorField<T>&, const SpinorField<T>&);                                 \
  template ProductAndNorm inner_product_norm2(const SpinorField<T>&, const SpinorField<T>&);                      \
  template PendingReductions reduce(const SpinorField<T>&, const SpinorField<T>*, const Reductions<T>&);          \
  template Reals axpy_norm2(SpinorField<T>&, const SpinorField<T>&, const Scalars&);                              \
  template Reals xmy_norm2(SpinorField<T>&, const SpinorField<T>&);                                               \
  template void cg_update(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&, const Scalars&);               \
  template Reals mr_update_norm2(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&, const Scalars&);        \
  template ProductAndNorm bicgstab_update_xr(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,             \
                                             const SpinorField<T>&, const SpinorField<T>&, const Scalars&);       \
  template void bicgstab_update_p(SpinorField<T>&, const SpinorField<T>&, const SpinorField<T>&, const Scalars&); \
  template void bicgstab_update(SpinorField<T>&, SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,         \
                                const SpinorField<T>&, const Scalars&);
