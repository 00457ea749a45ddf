// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/core/spinor_field.hpp>
#include <kaon/hmc/action_term.hpp>

#include <optional>

namespace kaon {

/// A term with pseudofermions, which a draw makes and which stay until the next one.
class FermionTerm : public ActionTerm {
 public:
  long iterations() const override { return iterations_; }

  /// The pseudofermions that were drawn last, on the even sites, of an exact one flavour on all: right-hand sides of
  /// one field. Throws `Error` before.
  const SpinorField<double>& pseudofermions() const;

 protected:
  /// Makes the operators on these links.
  virtual void begin(const GaugeField<double>& links) = 0;
  /// `begin`, and the pseudofermions. Throws `Error` for links of another lattice than that of the draw.
  const SpinorField<double>& begin_after_draw(const GaugeField<double>& links);

  std::optional<SpinorField<double>> phi_;
  long iterations_ = 0;
};

}  // namespace kaon
