// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/operators/wilson.hpp>

#include <complex>
#include <memory>
#include <optional>
#include <vector>

namespace kaon {

namespace detail {
template <class T>
class SliceMatrix;
}

struct DomainWallParameters {
  double mass = 0.0;  ///< m of the quark; 1 for Pauli-Villars
  double m5 = 1.8;    ///< M5, the height of the domain wall: positive, below 2 for one flavour at tree level
  int slices = 16;    ///< L_s
  double b = 1.0;     ///< Moebius; b = 1, c = 0 is Shamir's operator, b = c = 1 Borici's
  double c = 0.0;
  /// z-Moebius: b_s of each slice instead of b, and c_s instead of c.
  std::vector<std::complex<double>> b_of_slices{};
  std::vector<std::complex<double>> c_of_slices{};
  Anisotropy anisotropy{};
  BoundaryAngles boundary = antiperiodic_in_time;
  /// m of psi_{L_s}, which the lower chirality sees, if it is another: `ExactOneFlavorAction`.
  std::optional<double> lower_mass{};
};

/// Throws `ParameterError` for parameters that `DomainWall` refuses on any links.
void check_parameters(const DomainWallParameters& parameters);

/// The domain wall operator of Shamir (hep-lat/9303005), Borici (hep-lat/9912040) and Brower, Neff and Orginos
/// (Moebius, arXiv:1206.5214), on fields of L_s slices,
///
///   D = D_W B + 1 - S,  B = b + c S,  D_W = (1 + 3 nu/xi_0 - M5) - K,  K = D_hop/2 of `Wilson`,
///   (S psi)_s = P_- psi_{s+1} + P_+ psi_{s-1},  psi_{L_s} = -m psi_0,  psi_{-1} = -m psi_{L_s-1},  P_+- = (1 +- g5)/2,
///
/// in the form that is solved for all of them,
///
///   M = D B^-1 = A' - K,  A' = (1 + 3 nu/xi_0 - M5) + (1 - S) B^-1:
///
/// `apply` is M. D psi = eta has the solution psi = B^-1 phi, M phi = eta (`apply_b_inverse`), and both have the same
/// residual. K does not mix slices; A', its inverse and B are recurrences in s, alike on all sites. With (R psi)_s =
/// g5 psi_{L_s-1-s}, R M R = M^dag for constant b and c. L_s (1320 + 216 + 48) flops a site of a hop with A'.
template <class T>
class DomainWall final : public WilsonLike<T> {
 public:
  /// Stores a handle to `links`; changing them later changes the operator.
  /// Throws `Error` for parameters that are not numbers, other numbers of b_s and c_s than slices, no slice, an
  /// anisotropy that is not positive, and where B or A' has no inverse.
  DomainWall(const GaugeField<T>& links, const DomainWallParameters& parameters,
             HaloPrecision halo = HaloPrecision::field);
  /// The operator in another precision, like that of `Wilson`.
  template <class S>
  explicit DomainWall(const DomainWall<S>& other, std::optional<LinkStorage> storage = {},
                      std::optional<HaloPrecision> halo = {})
      : DomainWall(GaugeField<T>(other.links(), storage.value_or(other.links().storage())), other.parameters(),
                   halo.value_or(other.halo())) {}

  const DomainWallParameters& parameters() const { return parameters_; }
  SpinorParameters domain() const override { return {.slices = parameters_.slices}; }
  bool is_indefinite() const override { return true; }
  bool suits_asymmetric_form() const override { return true; }

  void hop(SpinorField<T>& out, const SpinorField<T>& in, const HopForm<T>& form) const override;
  void apply_site_term(SpinorField<T>& out, const SpinorField<T>& in, SiteTerm term, bool dagger) const override;
  std::unique_ptr<EvenOddOperator<T>> on_blocks(const Coordinates& block) const override;

  /// out = B in or B^-1 in, or with B^dag, on any sites. `out` may be `in`. Throws `Error` for fields that do not fit.
  void apply_b(SpinorField<T>& out, const SpinorField<T>& in, bool dagger = false) const;
  void apply_b_inverse(SpinorField<T>& out, const SpinorField<T>& in, bool dagger = false) const;

 private:
  typename WilsonLike<T>::SiteCost site_cost(SiteTerm) const override;
  DomainWallParameters parameters_;
  std::shared_ptr<const detail::SliceMatrix<T>> site_term_, site_term_inverse_, b_, b_inverse_;
};

}  // namespace kaon
