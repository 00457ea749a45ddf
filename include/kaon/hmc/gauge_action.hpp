// SPDX-FileCopyrightText: The kaon authors
// SPDX-License-Identifier: MIT
#pragma once

#include <kaon/gauge/one_loop_action.hpp>
#include <kaon/hmc/action_term.hpp>

namespace kaon {

/// The gauge action of plaquettes and rectangles, `loop_action`, and of parallelograms, `one_loop_action`.
class GaugeAction final : public ActionTerm {
 public:
  /// Throws `Error` for numbers that are not finite.
  explicit GaugeAction(double beta, const LoopWeights& weights = wilson_weights);
  GaugeAction(double beta, const OneLoopWeights& weights);

  std::string name() const override;
  double draw(const GaugeField<double>& links, const RandomKey&) override { return value(links); }
  double value(const GaugeField<double>& links) override;
  void add_force(GaugeField<double>& matrices, const GaugeField<double>& links) override;

 private:
  double beta_;
  OneLoopWeights weights_;
};

}  // namespace kaon
