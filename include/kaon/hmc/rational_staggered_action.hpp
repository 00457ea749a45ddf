// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>
#include <kaon/hmc/rational_approximation.hpp>
#include <kaon/quarks/make_quark.hpp>
#include <kaon/quarks/solve_options.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kaon {

/// Staggered quarks of one mass: a factor det(2m + D)^(N/4) = det(4m^2 - D_eo D_oe)^(N/4). A negative N divides by
/// it, as in ratios of a light and a heavier mass.
struct StaggeredFlavors {
  double mass = 0.0;     ///< m, above 0
  double flavors = 1.0;  ///< N
};

/// Quarks that share pseudofermions, one complex vector of colour on each even site.
struct StaggeredPseudofermion {
  std::vector<StaggeredFlavors> quarks;
  double naik_epsilon = 0.0;  ///< of HISQ
  /// Instead of the best approximations: those that another program uses.
  std::optional<RationalFunctions> functions{};
  std::optional<SolveOptions> solver{};  ///< its own ones
};

/// The determinant by as few equal pseudofermions as have less than four flavours each, which rational functions
/// need.
std::vector<StaggeredPseudofermion> split_pseudofermion(const StaggeredPseudofermion& whole);

/// The links in D.
enum class StaggeredLinks { naive, asqtad, hisq };

struct RationalStaggeredParameters {
  StaggeredLinks links = StaggeredLinks::hisq;
  double u0 = 1.0;            ///< tadpole factor of asqtad
  bool antiperiodic = true;   ///< in time
  double force_filter = 0.0;  ///< of HISQ, `u3_projection_gradient`
  /// No eigenvalue of -D_eo D_oe may be larger. Free quarks have 16 (naive) and 21.8, tadpole factors make more.
  double largest_eigenvalue = 90.0;
  RationalErrors errors{};
  SolveOptions solver{};  ///< its `method` is not used: all solves are multi-shift conjugate gradients
};

/// Returns the parameters for quarks of a staggered family, with their links, tadpole factor and boundary. Throws
/// `Error` for boundaries that are not periodic in space, and periodic or antiperiodic in time.
RationalStaggeredParameters staggered_parameters(const FermionParameters& quarks, const SolveOptions& solver);

/// Rooted staggered quarks by rational functions of x = -D_eo D_oe, as in MILC's RHMC: pseudofermions phi_k on the even
/// sites with
///
///   S = sum_k <phi_k, f_k(x) phi_k>,   f_k(x) = prod_i (x + 4 m_i^2)^(-N_i/4),
///
/// the product over the quarks of pseudofermion k. Functions of x from 0 on they are safe for light quarks: 4m^2 is
/// known. For two light quarks, a strange and a heavy mass M to stabilise them,
///
///   RationalStaggeredAction({{.quarks = {{m_l, 2.0}, {m_s, 1.0}, {M, -3.0}}},
///                            {.quarks = {{M, 1.0}}}, {.quarks = {{M, 1.0}}}, {.quarks = {{M, 1.0}}}}, {...});
///
/// Sources: M. A. Clark and A. D. Kennedy, Phys. Rev. Lett. 98 (2007) 051601; A. Bazavov et al., Phys. Rev. D 82 (2010)
/// 074501.
class RationalStaggeredAction final : public FermionTerm {
 public:
  /// Throws `Error` if there is no pseudofermion, for masses not above 0, for exponents and errors that
  /// `minimax_powers_within` refuses, and for Naik epsilons of links other than HISQ's.
  explicit RationalStaggeredAction(std::vector<StaggeredPseudofermion> pseudofermions,
                                   const RationalStaggeredParameters& parameters = {});

  std::string name() const override;
  /// Throws `Error` where a solve does not converge, and where D has a larger eigenvalue than its parameters say: an
  /// estimate from below at each draw, of 30 Lanczos steps.
  double draw(const GaugeField<double>& links, const RandomKey& key) override;
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

  /// The pseudofermions from given Gaussian numbers, <|eta|^2> = 1 a component: one right-hand side for each, on the
  /// even sites, without spin. Throws `Error` for other fields.
  double draw_from(const GaugeField<double>& links, const SpinorField<double>& eta);
  /// In the order of the pseudofermions.
  const std::vector<RationalFunctions>& functions() const { return functions_; }

 private:
  void begin(const GaugeField<double>& links) override;
  const SolveOptions& solver(std::size_t k) const;
  SpinorField<double> apply(std::size_t k, const PartialFractions& r, const SpinorField<double>& psi);
  /// X_r of all pseudofermions with Naik epsilon number `group`, on all sites.
  SpinorField<double> force_vectors(std::size_t group);
  void require_range(const SpinorField<double>& start) const;

  std::vector<StaggeredPseudofermion> pseudofermions_;
  RationalStaggeredParameters parameters_;
  std::vector<RationalFunctions> functions_;
  std::vector<double> naik_epsilons_;  // different ones
  std::vector<std::size_t> group_;     // of each pseudofermion: the number of its Naik epsilon
  std::optional<GaugeField<double>> links_;
  std::vector<Quark<double>> massless_;  // for each Naik epsilon
};

}  // namespace kaon
