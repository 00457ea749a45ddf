// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/gauge_field.hpp>
#include <kaon/core/random.hpp>

#include <string>

namespace kaon {

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
  /// anti-Hermitian P, as `kick_momenta` takes them. Throws `Error` where a solve fails.
  virtual void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) = 0;
  /// Iterations of its solvers so far, of all right-hand sides that are solved together as one.
  virtual long iterations() const { return 0; }
};

}  // namespace kaon
