// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>
#include <kaon/core/spinor_field.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kaon {

/// The mass of the Pauli-Villars fields that divide determinants of domain wall quarks.
inline constexpr double pauli_villars_mass = 1.0;

/// A term S_i of the action S = sum_i S_i that hybrid Monte Carlo samples exp(-S) of: a function of the links, and of
/// pseudofermions that the term holds.
///
/// Links are in double precision and uncompressed, without boundary phases. All functions are collective.
class ActionTerm {
 public:
  virtual ~ActionTerm() = default;

  /// The term's name, with its parameters: for reports and errors.
  virtual std::string name() const = 0;
  /// Draws pseudofermions from exp(-S_i) at these links, where the term has any, and returns S_i there. Each key draws
  /// others, and terms need keys of their own. Throws `Error` where a solve fails.
  virtual double draw(const GaugeField<double>& links, const RandomKey& key) = 0;
  /// S_i at these links, up to a constant which is that of `draw`. Throws `Error` where a solve fails, and for links of
  /// another lattice than that of the draw, as `add_force` does.
  virtual double value(const GaugeField<double>& links) = 0;
  /// V <- V + matrices with dS_i/dt = sum_{x, mu} Re Tr(P_mu(x) V_mu(x)) for dU/dt = P U and all traceless
  /// anti-Hermitian P, for `kick_momenta`. Throws `Error` where a solve fails.
  virtual void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) = 0;
  /// Starts the solves of forces from the last `solutions` ones from now on, and forgets those before: a trajectory
  /// starts with this call. Terms that solve for many shifts at once, which have no initial guess, ignore it.
  virtual void set_forecast(int /*solutions*/) {}
  /// Iterations of its solvers so far, of all right-hand sides that are solved together as one.
  virtual long iterations() const { return 0; }
};

namespace detail {

/// The last solutions of systems A x = b whose A and b move slowly along a trajectory.
class ForecastHistory {
 public:
  using Matrix = std::function<void(SpinorField<double>& out, const SpinorField<double>& in)>;

  /// Stores this number of solutions from now on, and forgets those before.
  void restart(int most);
  bool empty() const { return solutions_.empty(); }
  /// x = the sum of the solutions with the smallest |b - A x|, or, if A is positive, with the smallest error in its
  /// norm.
  void guess(SpinorField<double>& x, const SpinorField<double>& b, bool is_positive, const Matrix& matrix) const;
  void add(const SpinorField<double>& x);

 private:
  std::size_t most_ = 0;
  std::vector<SpinorField<double>> solutions_;  // the newest first
};

/// Whether a solve with these earlier solutions, if any, can start from a forecast.
inline bool has_solutions(const ForecastHistory* earlier) { return earlier != nullptr && !earlier->empty(); }

}  // namespace detail

/// A term with pseudofermions, which a draw makes and which remain until the next one.
class FermionTerm : public ActionTerm {
 public:
  long iterations() const override { return iterations_; }
  void set_forecast(int solutions) override;

  /// The pseudofermions that were drawn last, on the even sites, of an exact one flavour on all: right-hand sides of
  /// one field. Throws `Error` before.
  const SpinorField<double>& pseudofermions() const;

 protected:
  /// Makes the operators on these links.
  virtual void begin(const GaugeField<double>& links) = 0;
  /// `begin`, and the pseudofermions. Throws `Error` for links of another lattice than that of the draw.
  const SpinorField<double>& begin_after_draw(const GaugeField<double>& links);

  std::optional<SpinorField<double>> phi_;
  std::array<detail::ForecastHistory, 2> earlier_;  // of the two systems that a force may solve
  long iterations_ = 0;
};

}  // namespace kaon
