// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/spinor_field.hpp>
#include <kaon/operators/linear_operator.hpp>

#include <array>
#include <optional>

namespace kaon {

/// The terms of `covariant_sum`.
struct CovariantSum {
  std::array<bool, 4> forward{};   ///< directions mu of the terms U_mu(x) psi(x+mu)
  std::array<bool, 4> backward{};  ///< and of the terms U_mu(x-mu)^dag psi(x-mu)
  double weight = 1.0;             ///< w, of all these
  double center = 0.0;             ///< c, of psi(x)
};

/// A sum of gauge-covariant shifts:
///
///   out(x) = c in(x) + w sum_{mu in forward} U_mu(x) in(x+mu) + w sum_{mu in backward} U_mu(x-mu)^dag in(x-mu)
///
/// The Laplace operator in space has three directions of both kinds, w = 1 and c = -6. Periodic: no boundary condition
/// of fermions enters. Any number of spins and right-hand sides. 66 flops a spin and term, 6 for each sum of two terms,
/// 6 for w and 12 for c; 18 reals a term and 12 a spin. Without c no in(x) is read.
///
/// Throws `Error` for weights that are not finite, for fields on different lattices or of different shapes, for `out`
/// that is `in`, for compressed links, and for fields that are not of 3 colours and both parities.
template <class T>
void covariant_sum(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links, const CovariantSum& sum);

struct CovariantShift {
  int direction = 0;    ///< mu, 0 to 3
  bool forward = true;  ///< from x+mu; else from x-mu
};

/// out(x) = U_mu(x) in(x+mu), or U_mu(x-mu)^dag in(x-mu), one the inverse of the other: a `covariant_sum` of one term.
///
/// Throws `Error` as `covariant_sum` does, and for a direction that is none of 0 to 3.
template <class T>
void covariant_shift(SpinorField<T>& out, const SpinorField<T>& in, const GaugeField<T>& links,
                     const CovariantShift& shift);

namespace detail {

/// `steps` times psi <- `covariant_sum` of psi: halos of links are exchanged once. Throws `Error` as `covariant_sum`
/// does. With `time`, psi is zero on all other slices and the sum has no terms in time: those slices are left out where
/// space is not partitioned.
template <class T>
void repeat_covariant_sum(SpinorField<T>& psi, const GaugeField<T>& links, const CovariantSum& sum, int steps,
                          std::optional<int> time = {});

}  // namespace detail

struct LaplaceParameters {
  double kappa = 0.0;
  int dimensions = 3;  ///< 3: in space; 4: in time, too
  int spins = 1;
};

/// M psi = psi - kappa H psi, H the sum of the covariant shifts ahead and behind in D = 3 or 4 directions
/// (`covariant_sum`): kappa times the Laplace operator 1/kappa - H, with H between -2D and 2D. Hermitian; positive for
/// 0 < kappa < 1/(2D), for `Cg`. Periodic: no boundary condition of fermions enters.
template <class T>
class CovariantLaplace final : public LinearOperator<T>, public Adjointable<T>, public Counted {
 public:
  /// Shares the links. Throws `Error` for compressed links, a kappa that is not finite, dimensions other than 3 and 4,
  /// and no spins.
  CovariantLaplace(const GaugeField<T>& links, const LaplaceParameters& parameters);

  void apply(SpinorField<T>& out, const SpinorField<T>& in) const override;
  void apply_dagger(SpinorField<T>& out, const SpinorField<T>& in) const override { apply(out, in); }

  const Lattice& lattice() const override { return links_.lattice(); }
  SpinorParameters domain() const override { return {.spins = spins_}; }
  double flops() const override;
  double bytes() const override;

 private:
  GaugeField<T> links_;
  CovariantSum sum_;
  int dimensions_, spins_;
};

}  // namespace kaon
