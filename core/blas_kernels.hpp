// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/blas_at_once.hpp"
#include "core/blas_operations.hpp"
#include "core/products.hpp"

#include <kaon/core/blas.hpp>

namespace kaon::blas {
namespace {

Complexes to_complex(std::span<const double> values) { return Complexes(values.begin(), values.end()); }
Complexes to_vector(std::span<const std::complex<double>> values) { return Complexes(values.begin(), values.end()); }

ProductAndNorm split(const detail::BlasSums& sums) {
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
void scale(SpinorField<T>& x, std::span<const double> a) {
  detail::run_blas<ops::Scale, T>("kaon::blas::scale", {&x}, {to_complex(a)});
}
template <class T>
void axpy(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a) {
  detail::run_blas<ops::Axpy, T>("kaon::blas::axpy", {&y, mutate(x)}, {to_complex(a)});
}
template <class T>
void xpay(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a) {
  detail::run_blas<ops::Xpay, T>("kaon::blas::xpay", {&y, mutate(x)}, {to_complex(a)});
}
template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, std::span<const std::complex<double>> a) {
  detail::run_blas<ops::Caxpy, T>("kaon::blas::caxpy", {&y, mutate(x)}, {to_vector(a)});
}
template <class T>
Reals norm2(const SpinorField<T>& x) {
  return detail::run_blas<ops::Norm2, T>("kaon::blas::norm2", {mutate(x)});
}
template <class T>
Complexes inner_product(const SpinorField<T>& x, const SpinorField<T>& y) {
  const detail::BlasSums sums =
      detail::run_blas<ops::InnerProduct, T>("kaon::blas::inner_product", {mutate(x), mutate(y)});
  Complexes result;
  for (std::size_t r = 0; r < sums.size() / 2; ++r) result.emplace_back(sums[2 * r], sums[2 * r + 1]);
  return result;
}
template <class T>
ProductAndNorm inner_product_norm2(const SpinorField<T>& x, const SpinorField<T>& y) {
  return split(detail::run_blas<ops::InnerProductNorm2, T>("kaon::blas::inner_product_norm2", {mutate(x), mutate(y)}));
}
template <class T>
Products products(const SpinorField<T>& y, const SpinorField<T>* x, const ProductsWanted<T>& wanted) {
  const SpinorField<T>* const w = wanted.w;
  if (!wanted.with_x && w == nullptr) return {.y_norm2 = norm2(y)};
  if (!wanted.with_x) {
    ProductAndNorm y_w = inner_product_norm2(y, *w);
    for (std::complex<double>& product : y_w.product) product = std::conj(product);
    return {.y_norm2 = std::move(y_w.norm2), .w_y = std::move(y_w.product)};
  }
  require(x != nullptr, "products with x need x");
  if (w == nullptr) {
    return detail::products_of(detail::run_blas<ops::ProductsWithX, T>("kaon::blas::products", {mutate(y), mutate(*x)}),
                               ops::ProductsWithX::sums, true, false);
  }
  return detail::products_of(
      detail::run_blas<ops::AllProducts, T>("kaon::blas::products", {mutate(y), mutate(*x), mutate(*w)}),
      ops::AllProducts::sums, true, true);
}
template <class T>
Reals axpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, std::span<const double> a) {
  return detail::run_blas<ops::AxpyNorm2, T>("kaon::blas::axpy_norm2", {&y, mutate(x)}, {to_complex(a)});
}
template <class T>
Reals caxpy_norm2(SpinorField<T>& y, const SpinorField<T>& x, std::span<const std::complex<double>> a) {
  return detail::run_blas<ops::CaxpyNorm2, T>("kaon::blas::caxpy_norm2", {&y, mutate(x)}, {to_vector(a)});
}
template <class T>
Reals residual_norm2(SpinorField<T>& y, const SpinorField<T>& x) {
  return detail::run_blas<ops::ResidualNorm2, T>("kaon::blas::residual_norm2", {&y, mutate(x)});
}
template <class T>
void advance(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z, std::span<const double> a,
             std::span<const double> b) {
  detail::run_blas<ops::Advance, T>("kaon::blas::advance", {&x, &p, mutate(z)}, {to_complex(a), to_complex(b)});
}
template <class T>
void relax(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, std::span<const std::complex<double>> a) {
  detail::run_blas<ops::Relax, T>("kaon::blas::relax", {&x, &r, mutate(t)}, {to_vector(a)});
}
template <class T>
Reals relax_norm2(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t,
                  std::span<const std::complex<double>> a) {
  return detail::run_blas<ops::RelaxNorm2, T>("kaon::blas::relax_norm2", {&x, &r, mutate(t)}, {to_vector(a)});
}
template <class T>
ProductAndNorm stabilise(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& p, const SpinorField<T>& t,
                         const SpinorField<T>& s, std::span<const std::complex<double>> a,
                         std::span<const std::complex<double>> w) {
  return split(detail::run_blas<ops::Stabilise, T>("kaon::blas::stabilise", {&x, &r, mutate(p), mutate(t), mutate(s)},
                                                   {to_vector(a), to_vector(w)}));
}
template <class T>
void stabilise_redirect(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                        const SpinorField<T>& v, std::span<const std::complex<double>> a,
                        std::span<const std::complex<double>> w, std::span<const std::complex<double>> b) {
  detail::run_blas<ops::StabiliseRedirect, T>("kaon::blas::stabilise_redirect", {&x, &r, &p, mutate(t), mutate(v)},
                                              {to_vector(a), to_vector(w), to_vector(b)});
}
template <class T>
void redirect(SpinorField<T>& p, const SpinorField<T>& r, const SpinorField<T>& v,
              std::span<const std::complex<double>> b, std::span<const std::complex<double>> w) {
  detail::run_blas<ops::Redirect, T>("kaon::blas::redirect", {&p, mutate(r), mutate(v)}, {to_vector(b), to_vector(w)});
}

template <class T>
void caxpy(SpinorField<T>& y, const SpinorField<T>& x, const detail::ComputedCoefficients<1>& a) {
  using Coefficients = detail::KernelCoefficients<T, ops::Caxpy>;
  detail::run_blas_at_once<ops::Caxpy, T>("kaon::blas::caxpy", {&y, mutate(x)}, Coefficients{a});
}
template <class T>
void advance(SpinorField<T>& x, SpinorField<T>& p, const SpinorField<T>& z,
             const detail::ComputedCoefficients<2>& a_b) {
  using Coefficients = detail::KernelCoefficients<T, ops::Advance>;
  detail::run_blas_at_once<ops::Advance, T>("kaon::blas::advance", {&x, &p, mutate(z)}, Coefficients{a_b});
}
template <class T>
void relax(SpinorField<T>& x, SpinorField<T>& r, const SpinorField<T>& t, const detail::ComputedCoefficients<1>& a) {
  using Coefficients = detail::KernelCoefficients<T, ops::Relax>;
  detail::run_blas_at_once<ops::Relax, T>("kaon::blas::relax", {&x, &r, mutate(t)}, Coefficients{a});
}
template <class T>
void stabilise_redirect(SpinorField<T>& x, SpinorField<T>& r, SpinorField<T>& p, const SpinorField<T>& t,
                        const SpinorField<T>& v, const detail::ComputedCoefficients<3>& a_w_b) {
  using Coefficients = detail::KernelCoefficients<T, ops::StabiliseRedirect>;
  detail::run_blas_at_once<ops::StabiliseRedirect, T>("kaon::blas::stabilise_redirect",
                                                      {&x, &r, &p, mutate(t), mutate(v)}, Coefficients{a_w_b});
}

}  // namespace kaon::blas

/// Everything above for fields of T, in one translation unit.
#define KAON_INSTANTIATE_BLAS(T)                                                                                       \
  template void set_zero(SpinorField<T>&);                                                                             \
  template void scale(SpinorField<T>&, std::span<const double>);                                                       \
  template void axpy(SpinorField<T>&, const SpinorField<T>&, std::span<const double>);                                 \
  template void xpay(SpinorField<T>&, const SpinorField<T>&, std::span<const double>);                                 \
  template void caxpy(SpinorField<T>&, const SpinorField<T>&, std::span<const std::complex<double>>);                  \
  template Reals norm2(const SpinorField<T>&);                                                                         \
  template Complexes inner_product(const SpinorField<T>&, const SpinorField<T>&);                                      \
  template ProductAndNorm inner_product_norm2(const SpinorField<T>&, const SpinorField<T>&);                           \
  template Products products(const SpinorField<T>&, const SpinorField<T>*, const ProductsWanted<T>&);                  \
  template Reals axpy_norm2(SpinorField<T>&, const SpinorField<T>&, std::span<const double>);                          \
  template Reals caxpy_norm2(SpinorField<T>&, const SpinorField<T>&, std::span<const std::complex<double>>);           \
  template Reals residual_norm2(SpinorField<T>&, const SpinorField<T>&);                                               \
  template void advance(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&, std::span<const double>,              \
                        std::span<const double>);                                                                      \
  template void relax(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&, std::span<const std::complex<double>>); \
  template Reals relax_norm2(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,                                  \
                             std::span<const std::complex<double>>);                                                   \
  template ProductAndNorm stabilise(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&, const SpinorField<T>&,    \
                                    const SpinorField<T>&, std::span<const std::complex<double>>,                      \
                                    std::span<const std::complex<double>>);                                            \
  template void stabilise_redirect(SpinorField<T>&, SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,           \
                                   const SpinorField<T>&, std::span<const std::complex<double>>,                       \
                                   std::span<const std::complex<double>>, std::span<const std::complex<double>>);      \
  template void redirect(SpinorField<T>&, const SpinorField<T>&, const SpinorField<T>&,                                \
                         std::span<const std::complex<double>>, std::span<const std::complex<double>>);                \
  template void caxpy(SpinorField<T>&, const SpinorField<T>&, const detail::ComputedCoefficients<1>&);                 \
  template void advance(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,                                       \
                        const detail::ComputedCoefficients<2>&);                                                       \
  template void relax(SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,                                         \
                      const detail::ComputedCoefficients<1>&);                                                         \
  template void stabilise_redirect(SpinorField<T>&, SpinorField<T>&, SpinorField<T>&, const SpinorField<T>&,           \
                                   const SpinorField<T>&, const detail::ComputedCoefficients<3>&);
