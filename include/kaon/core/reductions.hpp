// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/scalars.hpp>
#include <kaon/core/spinor_field.hpp>

#include <memory>

namespace kaon::detail {
struct ReductionState;
}

namespace kaon::blas {

/// Inner products of y with itself, x and w that are used in one pass. Products that were not requested are empty.
struct Products {
  Reals y_norm2 = {};  ///< |y|^2
  Complexes y_x = {};  ///< <y, x>
  Reals x_norm2 = {};  ///< |x|^2
  Complexes w_y = {};  ///< <w, y>
  Complexes w_x = {};  ///< <w, x>
};

/// Which of them are requested.
template <class T>
struct Reductions {
  bool norm = true;                   ///< |y|^2; false: it may be left out where that saves something
  bool x = false;                     ///< <y, x> and |x|^2
  const SpinorField<T>* w = nullptr;  ///< <w, y>, and with x <w, x>; none: no products with w
};

/// Reductions running: the host waits for them when it needs them. Until then y, x and w must remain as they are, but
/// for right-hand sides that operations change with `scalars` of these reductions.
class PendingReductions {
 public:
  /// No values.
  PendingReductions();
  /// Reductions that are known already.
  explicit PendingReductions(Products known);
  explicit PendingReductions(std::unique_ptr<detail::ReductionState> state);
  PendingReductions(PendingReductions&&) noexcept;
  PendingReductions& operator=(PendingReductions&&) noexcept;
  ~PendingReductions();

  /// The reductions. Waits for them at the first call, which is collective.
  const Products& wait();

  /// Results of a function of the reductions of each right-hand side: see core/reductions/scalar_function.hpp, where it
  /// is defined for solvers within kaon. `function_of(k)` is the function of right-hand side k, and `earlier` are
  /// scalars that it takes beside the reductions. Kernels apply it if `ahead` and if they can; else the host waits and
  /// does it. A right-hand side that a function declines, or whose reductions have left the range of their arithmetic,
  /// is left as it is by the operations that take these scalars. Collective.
  template <class FunctionOf>
  Scalars scalars(const FunctionOf& function_of, bool ahead, const Scalars& earlier = {});
  /// Applies the function; the host never requests the reductions and waits for nothing if kernels can apply it.
  template <class FunctionOf>
  Scalars unattended_scalars(const FunctionOf& function_of, const Scalars& earlier = {});
  /// True if kernels can apply functions to them.
  bool in_kernels() const;

  detail::ReductionState& state() { return *state_; }

 private:
  std::unique_ptr<detail::ReductionState> state_;
};

/// The reductions of y, x (needed if they are requested) and w in memory. (1 to 3, 0)
template <class T>
PendingReductions reduce(const SpinorField<T>& y, const SpinorField<T>* x, const Reductions<T>& reductions);

}  // namespace kaon::blas
